// One row of the criteria editor: its controls, and how they are brought in line with what is written. Nodes are made
// once and then updated, never replaced, so that focus, caret and an input method's unfinished word survive. All text
// goes through values and textContent, none through markup. It is put before criteria_editor.js into one module.

const LETTERS = { Essential: "E", Important: "I", Optional: "O", Pitfall: "P" };
const SIGNS = { warning: ["⚠", "Warning"], note: ["ℹ", "Note"] };
const UNTOLD = { percent: null, figure: "–", lines: [] };
const GROWS = CSS.supports("field-sizing", "content");

class RowView {
  constructor(categories) {
    this.node = element("div", "row");
    this.node.setAttribute("role", "listitem");
    this.grip = button("grip", "⠿");
    this.grip.tabIndex = -1; // the keyboard moves rows by Alt+Up and Alt+Down
    this.number = element("span", "number");
    const head = element("div", "head");
    head.append(this.grip, this.number);

    this.statement = control("textarea", "statement", "description");
    this.statement.rows = 1;
    this.statement.placeholder = "The answer ...";
    this.menu = button("more", "⋮", "menu");
    this.menu.setAttribute("aria-haspopup", "menu");

    this.mark = element("span", "mark");
    this.mark.setAttribute("aria-hidden", "true");
    this.category = control("select", "category", "category");
    this.category.append(...Object.keys(categories).map((name) => new Option(name, name)));
    const weighed = Object.entries(categories).map(([name, weight]) => `${name} ${weight}`);
    this.category.title = `Weights by category: ${weighed.join(", ")}`;
    const kind = element("span", "kind");
    kind.append(this.mark, this.category);

    this.met = button("met", "", "meets_when");
    this.met.setAttribute("role", "switch");
    this.met.title = "A fault such as 'invents a number' is met if it is false.";
    this.weight = control("input", "weight", "weight");
    this.weight.type = "number";
    this.weight.step = "any";
    this.weighed = element("label", "weighed");
    this.weighed.append("weight", this.weight);
    this.title = control("input", "title", "title");
    this.title.placeholder = "Title";

    this.share = element("span", "share");
    this.share.setAttribute("role", "img");
    const bar = element("span", "bar");
    [this.fill, this.figure] = [element("i"), element("span", "figure")];
    bar.append(this.fill);
    this.share.append(bar, this.figure);

    const controls = element("div", "controls");
    controls.append(kind, this.met, this.weighed, this.title, this.share);
    this.lines = element("div", "lines");
    this.node.append(head, this.statement, controls, this.menu, this.lines);
  }

  // `told` is what the page knows of the row; a control in which an input method composes is left alone.
  paint(row, number, told, { weights, editable }, composing) {
    const { percent, figure, lines } = told ?? UNTOLD;
    this.node.dataset.row = row.id;
    this.write(this.statement, row.description, composing);
    this.write(this.title, row.title, composing);
    attribute(this.title, "title", row.title); // a narrow field cuts it
    this.writeWeight(row.weight);
    this.paintCategory(row.category);
    attribute(this.met, "aria-checked", String(row.meets_when));
    text(this.met, `met if ${row.meets_when}`);
    this.fill.style.width = `${percent ?? 0}%`;
    text(this.figure, figure);
    attribute(this.share, "title", "Effective weight");
    attribute(this.share, "aria-label", `Effective weight ${percent === null ? "unknown" : figure}`);
    this.paintLines(row.id, lines);
    this.weighed.hidden = weights !== "own";
    this.statement.readOnly = this.title.readOnly = this.weight.readOnly = !editable;
    this.category.disabled = this.met.disabled = !editable;
    if (number !== this.place) this.paintNumber(number);
  }

  paintNumber(number) {
    this.place = number;
    text(this.number, String(number));
    const name = `Criterion ${number}`;
    const labels = [
      [this.node, name],
      [this.grip, `Drag criterion ${number}`],
      [this.statement, `${name}: statement`],
      [this.title, `${name}: title`],
      [this.category, `${name}: category`],
      [this.met, `${name} is met if the statement is true`],
      [this.weight, `${name}: weight`],
      [this.menu, `${name}: more`],
    ];
    for (const [node, label] of labels) attribute(node, "aria-label", label);
  }

  paintCategory(name) {
    const known = name in LETTERS;
    this.category.querySelector("[data-unknown]")?.remove();
    if (!known) {
      const option = new Option(`${name} (unknown)`, name);
      option.dataset.unknown = "";
      this.category.append(option);
    }
    if (this.category.value !== name) this.category.value = name;
    attribute(this.mark, "data-category", known ? name : "unknown");
    text(this.mark, LETTERS[name] ?? "?");
  }

  paintLines(id, lines) {
    const json = JSON.stringify(lines);
    if (json === this.drawnLines) return;
    this.drawnLines = json;
    this.lines.id = `lines-${id}`;
    attribute(this.statement, "aria-describedby", lines.length ? this.lines.id : "");
    this.lines.replaceChildren(
      ...lines.map(({ level, text: said }) => {
        const [sign, word] = SIGNS[level];
        const line = element("p", "line");
        line.dataset.level = level;
        const mark = element("span", "sign", sign);
        mark.setAttribute("aria-hidden", "true");
        const words = element("span", "said", said);
        words.dir = "auto";
        line.append(mark, element("strong", "", word), words);
        return line;
      }),
    );
  }

  write(node, written, composing) {
    if (node.value === written || node === composing) return;
    node.value = written;
    this.grow();
  }

  // What is no number yet is left to whoever types it.
  writeWeight(weight) {
    const typed = numberIn(this.weight);
    if (typed === weight || (typed === undefined && this.weight.matches(":focus"))) return;
    this.weight.value = weight ?? "";
    this.weight.removeAttribute("aria-invalid");
  }

  // Where the browser does not fit a field to its content itself.
  grow() {
    if (GROWS) return;
    this.statement.style.height = "auto";
    this.statement.style.height = `${this.statement.scrollHeight}px`;
  }
}

// The number in a field: null for none, undefined for what is no number.
function numberIn(field) {
  if (field.value.trim() === "") return field.validity.badInput ? undefined : null;
  const number = Number(field.value);
  return Number.isFinite(number) ? number : undefined;
}

function control(name, className, part) {
  const node = element(name, className);
  node.dataset.part = part;
  node.autocomplete = "off";
  if (name !== "select") node.dir = part === "weight" ? "ltr" : "auto";
  return node;
}

function button(className, label, part) {
  const node = element("button", className, label);
  node.type = "button";
  if (part) node.dataset.part = part;
  return node;
}

function element(name, className, content) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (content) node.textContent = content;
  return node;
}

function text(node, content) {
  if (node.textContent !== content) node.textContent = content;
}

function attribute(node, name, value) {
  if (!value) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}
