// What the criteria editor knows of criteria without a page: rows, which never change once made, their history, and
// lists that are pasted. It is put before criteria_editor.js into one module.

const CATEGORIES = ["Essential", "Important", "Optional", "Pitfall"];
const WRITTEN = ["title", "description", "category", "weight", "meets_when"];
const MOST_STEPS = 200;

// A list as people write one: bullet or number, perhaps a box to tick.
const BULLET = /^\s*(?:#{1,6}\s+|[-*+•‣◦▪·–—]\s+|\(?\d{1,3}[.)]\s+|\d{1,3}、\s*|\(?[a-z]\)\s+)?(?:\[[ xX]?\]\s+)?/;
const CATEGORY = /^[*_]*(essential|important|optional|pitfall)s?(?:\s+criteri(?:a|on))?[*_]*\s*(?:[:：]|\s[-–—]\s|$)[*_]*\s*/i;
// "[+3]", "[-2 points]", "(weight 3)", "[weight: 0.5]"; a bare "[3]" may be a citation.
const WEIGHT = String.raw`(?:\[\s*([+\-−]\s*\d+(?:\.\d+)?)\s*(?:points?|pts?)?\s*\]|[([]\s*weight\s*[:=]?\s*([+\-−]?\s*\d+(?:\.\d+)?)\s*[)\]])`;
const WEIGHT_FIRST = new RegExp(`^${WEIGHT}\\s*[:：]?\\s*`, "i");
const WEIGHT_LAST = new RegExp(`\\s*${WEIGHT}\\s*[.]?$`, "i");

// An id that no other row has; randomUUID is not there on a plain http address.
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(4))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function newRow(written) {
  const empty = { title: "", description: "", category: "Important", weight: null, meets_when: true, source: {} };
  return { ...empty, ...written, id: newId() };
}

// Whether the same is written in both lists, whatever the ids.
function same(left, right) {
  if (left === right) return true;
  return left.length === right.length && left.every((row, at) => WRITTEN.every((name) => row[name] === right[at][name]));
}

function moved(rows, from, to) {
  const others = rows.toSpliced(from, 1);
  others.splice(to, 0, rows[from]);
  return others;
}

// Each line of a pasted list as what is written of one criterion. A line that only names a category heads those below.
function pastedCriteria(text) {
  const found = [];
  let heading;
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const { category, weight, description } = readLine(line);
    if (description) {
      // What costs points describes a fault, and is met when it is false; where the words say otherwise, lint does.
      const fault = weight < 0;
      found.push({
        description,
        category: category ?? heading ?? (fault ? "Pitfall" : "Important"),
        ...(weight !== undefined && { weight }),
        ...(fault && { meets_when: false }),
      });
    } else if (category) {
      heading = category;
    }
  }
  return found;
}

function readLine(line) {
  let [rest, category, weight] = [line.replace(BULLET, "").trim(), undefined, undefined];
  const take = (pattern, use) => {
    const match = pattern.exec(rest);
    if (!match) return;
    use(match);
    rest = rest.replace(pattern, "");
  };
  const weigh = ([, signed, named]) => {
    weight ??= Number((signed ?? named).replace("−", "-").replace(/\s/g, ""));
  };
  take(WEIGHT_FIRST, weigh);
  take(CATEGORY, ([, name]) => {
    category = CATEGORIES.find((one) => one.toLowerCase() === name.toLowerCase());
  });
  take(WEIGHT_FIRST, weigh);
  take(WEIGHT_LAST, weigh);
  return { category, weight, description: rest.trim() };
}

// The lists of rows that there were, and where in each a person was. What is typed in one field is one step until the
// typing pauses.
class Past {
  constructor(rows) {
    this.steps = [{ rows, place: null }];
    this.at = 0;
    this.typing = null;
  }

  get rows() {
    return this.steps[this.at].rows;
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.steps.length - 1;
  }

  record(rows, place, typing = null) {
    if (typing !== null && typing === this.typing) {
      this.steps[this.at] = { rows, place };
      return;
    }
    this.steps.splice(this.at + 1, Infinity, { rows, place });
    if (this.steps.length > MOST_STEPS) this.steps.shift();
    this.at = this.steps.length - 1;
    this.typing = typing;
  }

  pause() {
    this.typing = null;
  }

  // Both return where the change was that is undone or done again.
  undo() {
    this.typing = null;
    const { place } = this.steps[this.at];
    this.at -= 1;
    return place;
  }

  redo() {
    this.typing = null;
    this.at += 1;
    return this.steps[this.at].place;
  }

  // The page knows the same rows by these ids and sources.
  adopt(given) {
    const now = new Map(this.rows.map((row, at) => [row.id, given[at]]));
    const known = ({ id, source, ...written }) => ({ ...written, id: now.get(id)?.id ?? id, source: now.get(id)?.source ?? source });
    this.steps = this.steps.map(({ rows, place }) => ({
      rows: rows.map(known),
      place: place && { ...place, id: now.get(place.id)?.id ?? place.id },
    }));
  }
}
