// One response of the label queue, and the scenario above: texts are cut after a while and shown whole for the asking.
// Everything goes through textContent, nothing through markup. It is put before label_queue.js into one module.

const MOST_CHARACTERS = 1800;
const MOST_LINES = 18;
const SCORES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const MARKS = { good: ["✓", "Good"], bad: ["✕", "Bad"] };

class CardView {
  constructor(number) {
    this.number = number;
    this.node = element("article", "card");
    this.node.dataset.number = number;
    this.key = button("key", String(number), "pick");
    this.said = element("span", "said");
    this.scores = element("div", "scores");
    this.scores.setAttribute("role", "group");
    for (const score of SCORES) {
      const one = button("", String(score), "score");
      one.dataset.value = score;
      one.setAttribute("aria-label", `Response ${number}: ${score} of 10`);
      this.scores.append(one);
    }
    this.marks = element("div", "marks");
    this.marks.setAttribute("role", "group");
    for (const [mark, [sign, word]] of Object.entries(MARKS)) {
      const one = button(mark, `${sign} ${word}`, "mark");
      one.dataset.value = mark;
      one.setAttribute("aria-label", `Response ${number}: ${word.toLowerCase()}`);
      this.marks.append(one);
    }
    const head = element("header", "");
    head.append(this.key, this.said, this.scores, this.marks);
    this.body = element("div", "body");
    this.node.append(head, this.body);
  }

  // `parts` are the messages of the response; `whole` shows them uncut.
  fill(parts, whole, more) {
    const json = JSON.stringify([parts, whole]);
    if (json === this.filled) return;
    this.filled = json;
    this.body.replaceChildren(...texts(parts, whole, more));
  }

  paint(draft, way, rank, tie, here) {
    const own = draft.tiers.flat().includes(this.number);
    const [score, mark] = [draft.scores[this.number - 1], draft.marks[this.number - 1]];
    flag(this.node, "data-here", here);
    this.node.tabIndex = here ? 0 : -1;
    this.scores.hidden = way !== "score";
    this.marks.hidden = way !== "mark";
    const told = { rank: placeWords(rank, tie), score: score === null ? "" : `${score} of 10`, mark: mark ? MARKS[mark].join(" ") : "" }[way];
    text(this.said, told || (way === "rank" ? "no place yet" : "not yet"));
    flag(this.node, "data-said", Boolean(told));
    attribute(this.node, "aria-label", `Response ${this.number}, ${told || "nothing said yet"}`);
    attribute(this.key, "aria-label", way === "rank" ? `Response ${this.number}: ${own ? "take back" : "next place"}` : `Response ${this.number}: choose`);
    attribute(this.key, "aria-pressed", way === "rank" ? String(own) : "");
    for (const one of this.scores.children) one.setAttribute("aria-pressed", String(Number(one.dataset.value) === score));
    for (const one of this.marks.children) one.setAttribute("aria-pressed", String(one.dataset.value === mark));
  }
}

function placeWords(rank, tie) {
  return rank === null ? "" : `${tie ? "= " : ""}${ordinal(rank)}`;
}

// The messages as nodes; `more` is called where a person wants the rest of a text that is cut.
function texts(parts, whole, more) {
  const nodes = [];
  let left = whole ? Infinity : MOST_CHARACTERS;
  let lines = whole ? Infinity : MOST_LINES;
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  const alone = parts.length === 1 && parts[0].title === "Assistant";
  let short = false;
  for (const part of parts) {
    if (left <= 0 || lines <= 0) {
      short = true;
      break;
    }
    const shown = cut(part.text, left, lines);
    const node = element("section", part.mono ? "part mono" : "part");
    if (!alone && part.title) {
      const title = element("div", "title", part.title);
      title.dir = "auto";
      node.append(title);
    }
    node.append(element("div", "text", shown));
    nodes.push(node);
    left -= shown.length;
    lines -= shown.split("\n").length;
    short ||= shown.length < part.total;
  }
  if (short) {
    const label = whole ? "Loading …" : `Show all (${total.toLocaleString("en")} characters)`;
    const rest = button("more", label, "more");
    rest.addEventListener("click", more);
    nodes.push(rest);
  }
  return nodes;
}

// A little beyond is shown whole: a button that brings two more lines is a nuisance.
function cut(text, characters, lines) {
  let end = text.length > characters * 1.2 ? characters : text.length;
  for (let at = text.indexOf("\n"), line = 1; at !== -1 && at < end; at = text.indexOf("\n", at + 1), line += 1) {
    if (line >= lines && text.length - at > 160) {
      end = at;
      break;
    }
  }
  // A cut must not part the two halves of one character.
  const half = text.charCodeAt(end - 1);
  return text.slice(0, end < text.length && half >= 0xd800 && half <= 0xdbff ? end - 1 : end);
}

function element(name, className, content) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (content) node.textContent = content;
  return node;
}

function button(className, label, part) {
  const node = element("button", className, label);
  node.type = "button";
  if (part) node.dataset.part = part;
  return node;
}

function text(node, content) {
  if (node.textContent !== content) node.textContent = content;
}

function attribute(node, name, value) {
  if (!value) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

function flag(node, name, on) {
  if (node.hasAttribute(name) !== on) node.toggleAttribute(name, on);
}
