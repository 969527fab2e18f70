// The criteria editor of criteria_editor.py: what a person does to the rows, and the exchange of rows with the page.
// Streamlit calls the default export again on every change of data or theme. What is written here counts; rows from the
// page are taken only where the page put other rows there than it was sent.

const PAUSE_MS = 600;
const LONGEST_MS = 3000;
const RETRY_MS = 3000;
const MOST_DOUBLINGS = 5;
const MOST_SENT = 50;
const MOST_UNHEARD = 3;

const editors = new WeakMap();

export default function mount({ data, parentElement, setStateValue }) {
  let editor = editors.get(parentElement);
  if (!editor) {
    editor = new Editor(parentElement);
    editors.set(parentElement, editor);
  }
  editor.update(data, (edited) => setStateValue("edited", edited));
  return () => editor.leave();
}

class Editor {
  constructor(parent) {
    this.root = parent;
    this.views = new Map();
    this.sent = [];
    this.revision = 0;
    this.composing = null;

    this.frame = element("div", "criteria");
    this.list = element("div", "list");
    this.list.setAttribute("role", "list");
    this.empty = element("p", "empty", "No criterion yet. RaR judges each response by these statements.");
    this.adder = button("adder", "Add a criterion");
    this.many = button("", "Paste many");
    this.undoer = button("undo", "↶ Undo");
    this.redoer = button("redo", "↷ Redo");
    this.undoer.title = "Ctrl+Z";
    this.redoer.title = "Ctrl+Shift+Z";
    this.status = element("span", "status");
    this.status.setAttribute("role", "status");
    this.tools = element("div", "tools");
    const steps = element("span", "steps");
    steps.append(this.undoer, this.redoer);
    this.tools.append(this.adder, this.many, steps, this.status);
    this.pasting = new Pasting((criteria) => this.append(criteria), () => this.many.focus());
    this.menu = new Menu((action, id) => this.act(action, id));
    this.frame.append(this.list, this.empty, this.pasting.node, this.tools, this.menu.node);
    this.listen();
    parent.append(this.frame);
  }

  listen() {
    const on = (name, react) => this.frame.addEventListener(name, react);
    on("input", (event) => this.typed(event));
    on("change", ({ target }) => {
      const id = rowOf(target);
      if (id && target.dataset.part === "category") this.set(id, "category", target.value);
    });
    on("click", ({ target }) => this.click(target.closest("button")));
    on("paste", (event) => this.paste(event));
    on("keydown", (event) => this.press(event));
    on("pointerdown", (event) => this.grab(event));
    on("focusout", () => this.flush());
    on("compositionstart", ({ target }) => { this.composing = target; });
    on("compositionend", () => { this.composing = null; this.later(); });
    on("beforeinput", (event) => {
      const back = event.inputType === "historyUndo";
      if ((!back && event.inputType !== "historyRedo") || !rowOf(event.target)) return;
      event.preventDefault();
      this.step(back);
    });
    // Streamlit's own shortcuts are single letters, and outside the shadow root a text field is not seen as one.
    for (const name of ["keydown", "keypress", "keyup"]) on(name, (event) => event.stopPropagation());
    this.undoer.addEventListener("click", () => this.step(true));
    this.redoer.addEventListener("click", () => this.step(false));
    this.adder.addEventListener("click", () => this.append([{}]));
    this.many.addEventListener("click", () => this.pasting.toggle());
    new ResizeObserver(() => this.views.forEach((view) => view.grow())).observe(this.list);
    this.leaving = new AbortController();
    const leave = () => document.visibilityState === "hidden" && this.flush();
    document.addEventListener("visibilitychange", leave, { signal: this.leaving.signal });
    window.addEventListener("pagehide", () => this.flush(), { signal: this.leaving.signal });
  }

  leave() {
    this.leaving.abort();
    this.flush();
    clearTimeout(this.retry);
  }

  // The exchange with the page

  update(data, tell) {
    this.tell = tell;
    this.data = data;
    this.told = new Map(data.rows.map((row) => [row.id, row]));
    const given = data.rows.map(({ percent, figure, lines, ...row }) => row);
    this.revision = Math.max(this.revision, data.seen);
    if (!this.past || !this.expected(given)) this.begin(given);
    this.base = data.version;
    attribute(this.list, "aria-label", data.label);
    this.draw();
  }

  begin(given) {
    clearTimeout(this.pause);
    clearTimeout(this.retry);
    this.past = new Past(given);
    this.sent = [{ revision: this.data.revision, rows: given }];
    this.dirty = false;
    this.since = undefined;
    this.tries = 0;
  }

  // Whether these rows are what was sent, or given before: then what is written here goes on.
  expected(given) {
    while (this.sent.length > 1 && this.sent[0].revision < this.data.revision) this.sent.shift();
    if (!this.sent.some(({ rows }) => same(rows, given))) return false;
    if (same(this.past.rows, given)) {
      clearTimeout(this.retry);
      this.adopt(given);
    }
    return true;
  }

  adopt(given) {
    const before = this.past.rows.map((row) => row.id);
    if (before.every((id, at) => id === given[at].id && JSON.stringify(this.past.rows[at].source) === JSON.stringify(given[at].source))) return;
    this.past.adopt(given);
    const views = before.map((id) => this.views.get(id));
    this.views = new Map(given.map((row, at) => [row.id, views[at]]).filter(([, view]) => view));
  }

  // When the typing pauses, and now and then while it does not.
  later() {
    clearTimeout(this.pause);
    if (!this.dirty) return;
    this.since ??= performance.now();
    const left = Math.max(0, this.since + LONGEST_MS - performance.now());
    this.pause = setTimeout(() => this.composing || this.flush(), Math.min(PAUSE_MS, left));
  }

  flush() {
    if (!this.dirty) return;
    clearTimeout(this.pause);
    this.dirty = false;
    this.since = undefined;
    this.tries = 0;
    this.past.pause();
    this.send();
  }

  // Sent again until the page has it, ever more rarely: a server that is away, or was begun anew, may not have heard.
  send() {
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.send(), RETRY_MS * 2 ** Math.min(this.tries, MOST_DOUBLINGS));
    this.tries += 1;
    const unheard = this.sent.filter(({ revision }) => revision > this.data.revision).slice(-MOST_UNHEARD);
    this.revision += 1;
    this.sent.push({ revision: this.revision, rows: this.past.rows });
    if (this.sent.length > MOST_SENT) this.sent.shift();
    this.tell({
      base: this.base,
      unheard: unheard.map(({ rows }) => rows),
      revision: this.revision,
      rows: this.past.rows,
    });
  }

  // What a person does

  typed({ target }) {
    const [id, part] = [rowOf(target), target.dataset.part];
    if (!id || part === "category") return;
    const value = part === "weight" ? numberIn(target) : target.value;
    if (part === "weight") attribute(target, "aria-invalid", value === undefined ? "true" : "");
    if (part === "description") this.views.get(id).grow();
    if (value === undefined) return;
    this.past.record(this.with(id, part, value), { id, part }, `${id} ${part}`);
    this.dirty = true;
    this.later();
    this.drawTools();
  }

  with(id, part, value) {
    return this.past.rows.map((row) => (row.id === id ? { ...row, [part]: value } : row));
  }

  set(id, part, value) {
    this.change(this.with(id, part, value), { id, part }, "");
  }

  change(rows, place, said) {
    this.past.record(rows, place);
    this.redraw(said);
  }

  redraw(said) {
    this.dirty = true;
    this.draw();
    text(this.status, said);
    this.flush();
  }

  step(back) {
    if (back ? !this.past.canUndo : !this.past.canRedo) return;
    const inside = this.list.contains(this.root.activeElement);
    const place = back ? this.past.undo() : this.past.redo();
    this.redraw(back ? "Undone" : "Done again");
    if (place && this.views.has(place.id)) this.go(place, inside);
  }

  made(written) {
    return newRow({ weight: this.data.weights === "own" ? 1 : null, ...written });
  }

  append(criteria) {
    this.insert(this.past.rows.length, criteria.map((one) => this.made(one)));
  }

  insert(at, added, said) {
    const [first] = added;
    this.change(this.past.rows.toSpliced(at, 0, ...added), { id: first.id, part: "description" }, said ?? "");
    this.go({ id: first.id, part: "description" }, true);
    if (said === undefined) text(this.status, added.length > 1 ? `${added.length} criteria added` : `Criterion ${at + 1} added`);
  }

  click(pressed) {
    const id = pressed && rowOf(pressed);
    if (!id || !this.data.editable) return;
    if (pressed.dataset.part === "meets_when") this.set(id, "meets_when", !this.row(id).meets_when);
    if (pressed.dataset.part === "menu") this.menu.toggle(pressed, id, this.index(id), this.past.rows.length);
  }

  act(action, id, part = "description") {
    const [rows, at] = [this.past.rows, this.index(id)];
    if (at < 0 || !this.data.editable) return;
    if (action === "up" || action === "down") this.move(id, at + (action === "up" ? -1 : 1), part);
    else if (action === "below") this.insert(at + 1, [this.made({})]);
    else if (action === "duplicate") this.insert(at + 1, [this.made({ ...rows[at], source: {} })], `Criterion ${at + 1} duplicated`);
    else {
      this.change(rows.toSpliced(at, 1), { id, part }, `Criterion ${at + 1} deleted; Undo brings it back`);
      const next = this.past.rows[Math.min(at, rows.length - 2)];
      if (next) this.go({ id: next.id, part }, true);
      else this.adder.focus();
    }
  }

  move(id, to, part) {
    const from = this.index(id);
    if (to < 0 || to >= this.past.rows.length || to === from) return;
    this.change(moved(this.past.rows, from, to), { id, part }, `Criterion ${from + 1} moved to ${to + 1}`);
    this.go({ id, part }, true);
  }

  paste(event) {
    const [id, part] = [rowOf(event.target), event.target.dataset.part];
    if (!id || part !== "description" || event.target.value || !this.data.editable) return;
    const [first, ...others] = pastedCriteria(event.clipboardData.getData("text/plain"));
    if (!others.length) return;
    event.preventDefault();
    const at = this.index(id);
    const filled = [{ ...this.row(id), ...first }, ...others.map((one) => this.made(one))];
    this.change(this.past.rows.toSpliced(at, 1, ...filled), { id, part }, `${filled.length} criteria pasted`);
    this.go({ id: filled.at(-1).id, part }, true);
  }

  press(event) {
    const id = rowOf(event.target);
    if (event.isComposing || event.defaultPrevented || !this.data.editable) return;
    const part = event.target.dataset.part;
    const act = this.shortcut(event, id, part);
    if (!act) return;
    event.preventDefault();
    act();
  }

  shortcut(event, id, part) {
    const { key, code, shiftKey, altKey } = event;
    const control = event.ctrlKey || event.metaKey;
    if (control && !altKey && !this.pasting.node.contains(event.target)) {
      // On a keyboard of another script the letter of the key is another.
      const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : code;
      if (letter === "z" || letter === "KeyZ") return () => this.step(!shiftKey);
      if (letter === "y" || letter === "KeyY") return () => this.step(false);
      if (key === "Enter" && id) return () => this.act("below", id);
    }
    // Alt+Down opens a closed list of choices.
    if (id && altKey && !control && part !== "category") {
      if (key === "ArrowUp") return () => this.act("up", id, part);
      if (key === "ArrowDown") return () => this.act("down", id, part);
    }
    return null;
  }

  grab(event) {
    this.menu.pressed(event.target);
    const id = rowOf(event.target);
    if (!event.target.closest(".grip") || event.button !== 0 || !this.data.editable) return;
    event.preventDefault();
    new Drag(event, this.past.rows.map((row) => this.views.get(row.id).node), this.index(id), (to) => this.move(id, to, "description"));
  }

  // Drawing

  draw() {
    const rows = this.past.rows;
    const held = this.root.activeElement;
    const ids = new Set(rows.map((row) => row.id));
    for (const [id, view] of this.views) {
      if (ids.has(id)) continue;
      view.node.remove();
      this.views.delete(id);
    }
    rows.forEach((row, at) => {
      if (!this.views.has(row.id)) this.views.set(row.id, new RowView(this.data.categories));
      this.views.get(row.id).paint(row, at + 1, this.told.get(row.id), this.data, this.composing);
    });
    arrange(this.list, rows.map((row) => this.views.get(row.id).node));
    if (held && held !== this.root.activeElement && this.list.contains(held)) held.focus({ preventScroll: true });
    this.empty.hidden = rows.length > 0;
    this.frame.toggleAttribute("data-readonly", !this.data.editable);
    this.drawTools();
  }

  drawTools() {
    // Not disabled: that would take the focus away from whoever just pressed it.
    this.undoer.setAttribute("aria-disabled", String(!this.past.canUndo));
    this.redoer.setAttribute("aria-disabled", String(!this.past.canRedo));
  }

  go({ id, part }, focus) {
    const { node } = this.views.get(id);
    if (focus) (node.querySelector(`[data-part="${part}"]`) ?? node).focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest" });
  }

  row(id) {
    return this.past.rows[this.index(id)];
  }

  index(id) {
    return this.past.rows.findIndex((row) => row.id === id);
  }
}

function rowOf(node) {
  return node.closest("[data-row]")?.dataset.row;
}

// Moves only what is out of place: a moved node loses the focus.
function arrange(parent, children) {
  let next = parent.firstChild;
  for (const child of children) {
    if (child === next) next = next.nextSibling;
    else parent.insertBefore(child, next);
  }
}
