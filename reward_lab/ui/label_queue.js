// The label queue of label_queue.py: one group at a time, driven by keys. The browser is ahead of the page: it has the
// next groups already, goes on at once, and keeps what it sent until the page has answered. Streamlit calls the default
// export again on every change of data or theme.

const queues = new WeakMap();

export default function mount({ data, parentElement, setStateValue }) {
  let queue = queues.get(parentElement);
  if (!queue) {
    queue = new LabelQueue(parentElement);
    queues.set(parentElement, queue);
  }
  queue.update(data, (told) => setStateValue("told", told));
}

class LabelQueue {
  constructor(parent) {
    this.parent = parent;
    this.view = new QueueView({ say: (draft) => this.say(draft), more: (number) => this.more([number]) });
    this.frame = this.view.frame;
    this.listen();
    parent.append(this.frame);
  }

  listen() {
    const { comment, scenario } = this.view;
    // On the window, before anything else hears of it: keys work without a click, and Streamlit has letters of its own.
    const press = (event) => {
      if (!this.frame.isConnected) window.removeEventListener("keydown", press, true);
      else this.press(event);
    };
    window.addEventListener("keydown", press, true);
    // A mouse leaves the focus where it is: Enter would press the button again instead of saving.
    this.frame.addEventListener("mousedown", (event) => {
      if (event.target.closest("button, summary, .card header")) event.preventDefault();
    });
    this.frame.addEventListener("click", (event) => this.click(event));
    this.frame.addEventListener("focusin", ({ target }) => {
      const card = target.closest(".card");
      if (card) this.choose(Number(card.dataset.number));
    });
    comment.addEventListener("input", () => this.say({ ...this.draft, comment: comment.value }));
    for (const name of ["keydown", "keypress", "keyup"]) comment.addEventListener(name, (event) => event.stopPropagation());
    scenario.addEventListener("toggle", () => {
      if (scenario.open === this.memory.open) return;
      this.memory.open = scenario.open;
      this.memory.keep();
    });
  }

  // The exchange with the page

  update(data, tell) {
    attribute(this.frame, "aria-label", data.label);
    if (data.identity !== this.identity) {
      this.identity = data.identity;
      this.exchange?.stop();
      this.exchange = new Exchange(data, () => this.sendAgain());
      this.memory = this.exchange.memory;
      this.enter();
    }
    this.said = this.exchange.take(data, tell) || this.said;
    this.draw();
    if (this.exchange.lacks) this.ask();
  }

  ask() {
    this.exchange.ask(this.whole);
  }

  sendAgain() {
    if (!this.frame.isConnected) return;
    this.ask();
    this.paint();
  }

  // Going through the groups

  enter() {
    this.whole = new Set();
    this.here = null;
    this.doubt = "";
    this.said = "";
  }

  go(id) {
    this.memory.go(id);
    this.arrive();
  }

  arrive() {
    this.enter();
    this.memory.keep();
    this.draw();
    this.ask();
    if (this.frame.getBoundingClientRect().top < 0) this.frame.scrollIntoView({ block: "start" });
  }

  back() {
    const id = this.memory.before();
    if (id === undefined) return;
    this.memory.goBack(id);
    this.arrive();
  }

  skip() {
    const { memory } = this;
    if (memory.labelled.has(memory.place)) {
      this.go(memory.following());
      return;
    }
    memory.skip();
    this.go(memory.next());
  }

  // From the end: what was skipped, else all of them from the first.
  again() {
    const { memory } = this;
    memory.skipped = [];
    this.go(memory.left[0] ?? memory.ids[0] ?? null);
  }

  // Saying something of the group at hand

  get group() {
    return this.memory.place === null ? undefined : this.exchange.groups.get(this.memory.place);
  }

  // What is saved of a group, or on its way.
  saved(group) {
    const given = this.memory.pending(group.id)?.given ?? group.given;
    return givenBy(given ? draftOf(given) : emptyDraft(group.responses.length));
  }

  draftOfPlace() {
    const { group } = this;
    if (!group) return null;
    const own = this.memory.drafts[group.id];
    return draftOf(own?.scores?.length === group.responses.length ? own : this.saved(group));
  }

  say(draft) {
    const { group, memory } = this;
    if (!group || draft === this.draft) return;
    this.draft = draft;
    this.doubt = this.said = "";
    const base = memory.drafts[group.id]?.base ?? group.version;
    const given = givenBy(draft);
    if (base === group.version && sameGiven(given, this.saved(group))) delete memory.drafts[group.id];
    else memory.drafts[group.id] = { ...given, base };
    memory.keep();
    this.paint();
  }

  // Whether somebody saved the group under the same name while this draft was made: a notice says so, and Enter then
  // means to put the draft in that label's place.
  get stale() {
    const { group, memory } = this;
    return Boolean(group && memory.drafts[group.id]?.base < group.version && !memory.pending(group.id));
  }

  save() {
    const { group, memory } = this;
    const draft = completed(this.draft);
    const given = givenBy(draft);
    const known = memory.labelled.has(group.id);
    if (known && !this.stale && sameGiven(this.saved(group), given)) {
      delete memory.drafts[group.id];
      this.go(memory.next());
      return;
    }
    const doubt = doubtOf(draft, known);
    if (doubt && this.doubt !== doubt) {
      this.doubt = doubt;
      this.paint();
      return;
    }
    const after = memory.pending(group.id)?.id ?? null;
    memory.send({ id: newId(), group: group.id, given, version: group.version, after });
    this.exchange.forgive(group.id);
    this.go(memory.next());
  }

  takeTheirs() {
    delete this.memory.drafts[this.memory.place];
    this.exchange.forgive(this.memory.place);
    this.memory.keep();
    this.draw();
  }

  get values() {
    return this.memory.way === "score" ? this.draft.scores : this.draft.marks;
  }

  choose(number) {
    if (this.here === number || !this.draft || number > this.draft.scores.length) return;
    this.here = number;
    this.paint();
  }

  show() {
    const card = this.view.cards.get(this.here)?.node;
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "nearest" });
  }

  // Puts a response on the next place, or takes it back; in the other ways it is chosen.
  pick(number) {
    if (number > this.draft.scores.length) return;
    this.choose(number);
    if (this.memory.way === "rank") this.say(placed(this.draft, number));
    else this.show();
  }

  // Scores or marks a response, and chooses the next one that has none.
  value(number, value) {
    const give = this.memory.way === "score" ? scored : marked;
    this.say(give(this.draft, number, value));
    const { values } = this;
    const others = values.map((_, at) => ((number + at) % values.length) + 1);
    this.choose(value === null ? number : others.find((one) => values[one - 1] === null) ?? number);
  }

  clear() {
    if (this.memory.way === "rank") {
      this.say(taken(this.draft));
      return;
    }
    this.value(this.values[this.here - 1] === null ? Math.max(1, this.here - 1) : this.here, null);
    this.show();
  }

  useWay(way) {
    this.memory.way = way;
    this.memory.keep();
    this.here = null;
    this.doubt = "";
    this.paint();
  }

  // Shows texts in full; what the page has cut is asked for.
  more(numbers) {
    for (const number of numbers) this.whole.add(number);
    this.draw();
    const { scenario, responses } = this.group;
    const cut = [scenario, ...responses].some((parts, at) => this.whole.has(at) && parts.some((one) => one.text.length < one.total));
    if (cut) this.ask();
    if (numbers.length === 1) this.view.cards.get(numbers[0])?.node.focus({ preventScroll: true });
  }

  wholeTexts() {
    const all = this.group.responses.map((_, at) => at + 1);
    if (all.every((number) => this.whole.has(number))) {
      this.whole = new Set();
      this.draw();
    } else this.more(all);
  }

  // Mouse and keys

  click({ target }) {
    const pressed = target.closest("button");
    const card = target.closest(".card");
    const number = card && Number(card.dataset.number);
    if (!pressed) {
      if (card && target.closest("header")) this.pick(number);
      return;
    }
    const { part, value } = pressed.dataset;
    const toggle = (given) => this.value(number, this.values[number - 1] === given ? null : given);
    const acts = {
      pick: () => this.pick(number),
      score: () => toggle(Number(value)),
      mark: () => toggle(value),
      way: () => this.useWay(value),
      save: () => this.save(),
      skip: () => this.skip(),
      back: () => this.back(),
      again: () => this.again(),
      theirs: () => this.takeTheirs(),
      go: () => this.go(value),
    };
    acts[part]?.();
  }

  press(event) {
    const [target] = event.composedPath();
    if (event.isComposing || event.defaultPrevented || !this.memory || !this.frame.checkVisibility()) return;
    if (target === this.view.comment) this.pressInComment(event);
    else if (!keysAreTaken(target)) this.pressOutside(event, target);
  }

  pressOutside(event, target) {
    const { way, place } = this.memory;
    const inside = this.frame.contains(target);
    const found = actionOf(event, target, { way, place, ready: Boolean(this.draft), inside });
    if (!found) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat && !event.key.startsWith("Arrow")) return;
    // What was clicked before, a pane or a link, must not be pressed again by the Enter that saves.
    if (!inside) this.frame.focus({ preventScroll: true });
    this.act(...found);
  }

  act(action, value) {
    const ways = Object.keys(WAYS);
    const acts = {
      back: () => this.back(),
      again: () => this.again(),
      skip: () => this.skip(),
      turn: () => this.useWay(ways[(ways.indexOf(this.memory.way) + 1) % ways.length]),
      unfold: () => { this.view.scenario.open = !this.view.scenario.open; },
      save: () => this.save(),
      comment: () => this.view.comment.focus(),
      whole: () => this.wholeTexts(),
      step: () => { this.choose(Math.max(1, Math.min(this.here + value, this.draft.scores.length))); this.show(); },
      clear: () => this.clear(),
      pick: () => this.pick(value ?? this.here),
      tie: () => this.say(tied(this.draft, this.draft.tiers.length - 1)),
      move: () => this.say(moved(this.draft, value.number ?? this.here, value.by)),
      value: () => { this.value(this.here, value); this.show(); },
    };
    acts[action]();
  }

  pressInComment(event) {
    const saves = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!saves && event.key !== "Escape") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.frame.focus({ preventScroll: true });
    if (saves) this.save();
  }

  // Drawing

  draw() {
    const { group } = this;
    if (group) this.view.fill(group, this.whole, this.memory.open);
    this.draft = this.draftOfPlace();
    this.paint();
  }

  paint() {
    const { memory, group, draft, doubt } = this;
    if (draft && (this.here === null || this.here > draft.scores.length)) {
      this.here = memory.way === "rank" ? 1 : this.values.indexOf(null) + 1 || 1;
    }
    this.view.paint({ memory, group, draft, here: this.here, notice: this.notice(), status: this.status(), doubt });
  }

  notice() {
    if (this.stale) {
      const said = "Under your name this group was labelled in another window meanwhile. Yours stands here, not saved yet; Enter puts it in the other's place.";
      return { said, action: "Show the other", part: "theirs" };
    }
    if (!this.exchange.failed) return {};
    const { group, said } = this.exchange.failed;
    return group === this.memory.place ? { said } : { said, action: "Go there", part: "go", value: group };
  }

  // In a line what there is to know: of the group before, or of this one if it is saved.
  status() {
    const { memory, group, draft } = this;
    const waiting = memory.outbox.length;
    if (waiting && this.exchange.tries) return `${waiting} of your labels are in this browser alone: the server does not answer yet, and is told again.`;
    if (this.said || !group) return this.said;
    const both = saysIn(draft, "rank") && saysIn(draft, "score") ? "Ranks and scores are both kept; the order is that of the ranks." : "";
    if (memory.drafts[group.id]) return [group.given ? "Changed, not saved yet." : "", both].join(" ").trim();
    return group.given ? `Saved. ${group.said}`.trim() : "";
  }
}
