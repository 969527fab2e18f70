// Draws the blocks of reading.py. Streamlit calls the default export again on every change of data or theme: a block
// whose data is the same keeps its nodes, so that selection, focus and scrolling survive, and what was unfolded stays
// so. All text goes through textContent and attributes, none through markup.

const MOST_CHARACTERS = 3000;
const MOST_LINES = 40;

const readings = new WeakMap();

export default function mount({ data, parentElement, setTriggerValue }) {
  let reading = readings.get(parentElement);
  if (!reading) {
    reading = new Reading(parentElement);
    readings.set(parentElement, reading);
  }
  reading.update(data, (fold) => setTriggerValue("opened", fold));
}

class Reading {
  constructor(parent) {
    this.frame = element("div", "reading");
    this.frame.setAttribute("role", "group");
    this.drawn = new Map();
    this.open = new Set();
    this.whole = new Set();
    parent.append(this.frame);
  }

  update({ label, blocks }, ask) {
    this.ask = ask;
    this.frame.setAttribute("aria-label", label);
    const kept = new Map();
    for (const block of blocks) {
      const json = JSON.stringify(block);
      const before = this.drawn.get(block.id);
      kept.set(block.id, before?.json === json ? before : { json, node: this.block(block) });
    }
    const focused = this.place();
    const nodes = [...kept.values()].map(({ node }) => node);
    const same = nodes.length === this.frame.childNodes.length && nodes.every((one, at) => one === this.frame.childNodes[at]);
    if (!same) this.frame.replaceChildren(...nodes);
    this.drawn = kept;
    if (focused && !this.place()) this.frame.querySelector(`[data-place="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  place() {
    const held = this.frame.getRootNode().activeElement;
    return this.frame.contains(held) ? held.dataset.place : undefined;
  }

  block(block) {
    const node = element("section", block.form);
    if (block.tone) node.dataset.tone = block.tone;
    if (block.marked) node.dataset.marked = "";
    if (block.hover) node.title = block.hover;
    if (block.title || block.badge || block.figure || block.note) node.append(head(block));
    if (block.pieces) node.append(this.text(block));
    for (const fold of block.folds ?? []) node.append(this.fold(fold));
    return node;
  }

  text(block) {
    const body = element("div", block.mono ? "text mono" : "text");
    const total = block.pieces.reduce((sum, [, text]) => sum + text.length, 0);
    const room = cut(block.pieces);
    if (room >= total || this.whole.has(block.id)) {
      body.append(...spans(block.pieces, Infinity));
      return body;
    }
    body.append(...spans(block.pieces, room));
    const more = element("button", "more", `Show all (${total.toLocaleString("en")} characters)`);
    more.type = "button";
    more.dataset.place = `more ${block.id}`;
    more.addEventListener("click", () => {
      this.whole.add(block.id);
      body.replaceChildren(...spans(block.pieces, Infinity));
      body.tabIndex = -1;
      body.focus({ preventScroll: true });
    });
    body.append("… ", more);
    return body;
  }

  fold(fold) {
    const node = element("details", "fold");
    const summary = element("summary", "", fold.label);
    summary.dataset.place = `fold ${fold.id}`;
    node.append(summary);
    node.open = this.open.has(fold.id);
    if (fold.blocks) node.append(...fold.blocks.map((block) => this.block(block)));
    else node.append(element("p", "loading", "Loading …"));
    node.addEventListener("toggle", () => {
      if (node.open === this.open.has(fold.id)) return;
      if (node.open) this.open.add(fold.id);
      else this.open.delete(fold.id);
      if (node.open && !fold.blocks) this.ask(fold.id);
    });
    return node;
  }
}

function head(block) {
  const node = element("header", "");
  if (block.badge) {
    const badge = element("span", "badge", block.badge);
    if (block.colour) {
      badge.style.setProperty("--colour", block.colour);
      badge.style.setProperty("--ink", luminance(block.colour) > 0.36 ? "#111" : "#fff");
    }
    node.append(badge);
  }
  const names = element("div", "names");
  const title = element("span", "title", block.title ?? "");
  title.dir = "auto";
  names.append(title);
  if (block.note) names.append(element("span", "note", block.note));
  node.append(names);
  if (block.figure) node.append(element("span", "figure", block.figure));
  return node;
}

function spans(pieces, room) {
  const nodes = [];
  for (const [kind, text] of pieces) {
    const shown = text.slice(0, whole(text, room));
    room -= text.length;
    if (kind === "same") nodes.push(document.createTextNode(shown));
    else nodes.push(element(kind === "added" ? "ins" : "del", "", shown));
    if (room <= 0) break;
  }
  return nodes;
}

// How many characters to show at first.
function cut(pieces) {
  let [characters, lines] = [0, 0];
  for (const [, text] of pieces) {
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      if (characters + at > MOST_CHARACTERS) break;
      lines += 1;
      if (lines >= MOST_LINES) return characters + at;
    }
    characters += text.length;
    // A little beyond is shown whole: a button that brings two more lines is a nuisance.
    if (characters > MOST_CHARACTERS * 1.2) return MOST_CHARACTERS;
  }
  return characters;
}

// A cut must not part the two halves of one character.
function whole(text, room) {
  const half = text.charCodeAt(room - 1);
  return half >= 0xd800 && half <= 0xdbff ? room - 1 : room;
}

// Relative luminance of #rrggbb by WCAG 2.2.
function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function element(name, className, text) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}
