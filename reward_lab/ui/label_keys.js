// What keys mean in the label queue, and the legend that says so. It is put before label_queue.js into one module.

// "#" stands for the numbers of the responses.
const KEYS = {
  rank: [["#", "next place"], ["=", "tie with the last"], ["⌫", "take back"], ["Alt ↑ ↓", "move"]],
  score: [["1 – 9, 0", "score"], ["↑ ↓", "choose"], ["⌫", "clear"]],
  mark: [["G", "good"], ["B", "bad"], ["# or ↑ ↓", "choose"], ["⌫", "clear"]],
};
const KEYS_ALWAYS = [["Enter", "save, next"], ["S →", "skip"], ["P ←", "back"], ["C", "comment"], ["W", "way"], ["O", "scenario"], ["A", "whole texts"]];
const FIELDS = "input, textarea, select, [contenteditable=''], [contenteditable='true']";
const CONTROLS = "button, a[href], summary, [role='button'], [role='radio'], [role='tab'], [role='option'], [role='slider']";
const OVERLAYS = "[role='dialog'], [role='listbox'], [role='menu']";

// Whether somebody types, or something else lies over the page and takes the keys.
function keysAreTaken(target) {
  return target.matches?.(FIELDS) || document.querySelector(OVERLAYS) !== null;
}

// What a key asks for as [action, value], null for nothing. `inside`: the focus is in the queue; `ready`: a group is
// there to be labelled, which is not so at the end and while one loads.
function actionOf(event, target, { way, place, ready, inside }) {
  const { key, altKey } = event;
  if (event.ctrlKey || event.metaKey) return null;
  if (altKey) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[key];
    const chip = target.closest?.("[data-chip]")?.dataset.chip;
    return by && ready && way === "rank" ? ["move", { by, number: chip && Number(chip) }] : null;
  }
  // A button that has the focus is pressed by Enter and Space, and some are walked through by arrows.
  if (target.matches?.(CONTROLS) && (key === "Enter" || key === " " || (!inside && key.startsWith("Arrow")))) return null;
  const letter = letterOf(event);
  if (letter === "p" || key === "ArrowLeft") return ["back"];
  if (place === null) return key === "Enter" ? ["again"] : null;
  if (letter === "s" || key === "ArrowRight") return ["skip"];
  if (letter === "w") return ["turn"];
  if (letter === "o") return ["unfold"];
  return ready ? actionOnGroup(event, letter, way, inside) : null;
}

function actionOnGroup(event, letter, way, inside) {
  const { key } = event;
  if (key === "Enter") return ["save"];
  if (letter === "c") return ["comment"];
  if (letter === "a") return ["whole"];
  if (key === "ArrowUp" || key === "ArrowDown") return ["step", key === "ArrowUp" ? -1 : 1];
  if (key === "Backspace") return ["clear"];
  if (key === " " && inside) return ["pick", null];
  if (key === "=" && way === "rank") return ["tie"];
  if (way === "mark" && (letter === "g" || letter === "b")) return ["value", letter === "g" ? "good" : "bad"];
  const digit = digitOf(event);
  if (digit === null) return null;
  return way === "score" ? ["value", digit || 10] : ["pick", digit || 10];
}

// On a keyboard of another script the letter of the key is another.
function letterOf({ key, code }) {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  return code.startsWith("Key") && key.charCodeAt(0) > 127 ? code.slice(3).toLowerCase() : "";
}

// On some keyboards the row of digits gives signs first.
function digitOf({ key, code, shiftKey }) {
  if (/^[0-9]$/.test(key)) return Number(key);
  const [, row] = /^Digit([0-9])$/.exec(code) ?? [];
  return row !== undefined && !shiftKey ? Number(row) : null;
}

function legendOf(way, count) {
  const numbers = `1 – ${Math.min(count, 9)}${count > 9 ? ", 0" : ""}`;
  return [...KEYS[way], ...KEYS_ALWAYS].map(([keys, what]) => {
    const line = element("li", "");
    line.append(element("kbd", "", keys.replace("#", numbers)), ` ${what}`);
    return line;
  });
}
