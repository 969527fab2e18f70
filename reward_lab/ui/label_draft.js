// What a person has said of one group so far, without a page. Responses are numbered from 1 in the order in which they
// are shown. A draft never changes once made. It is put before label_queue.js into one module.
//
// `tiers` are the places from the best down, each with the numbers that share it; `scores` and `marks` are by number,
// null where nothing was said.

function emptyDraft(count) {
  return { tiers: [], scores: Array(count).fill(null), marks: Array(count).fill(null), comment: "" };
}

// The draft that says what was given: ranks by number, where equal ranks are a tie.
function draftOf({ ranks, scores, marks, comment }) {
  const places = [...new Set(ranks.filter((rank) => rank !== null))].sort((a, b) => a - b);
  const tiers = places.map((place) => numbersOf(ranks).filter((number) => ranks[number - 1] === place));
  return { tiers, scores, marks, comment };
}

// What is given by a draft; ranks count as in a competition: after two firsts comes the third.
function givenBy({ tiers, scores, marks, comment }) {
  return { ranks: ranksOf(tiers, scores.length), scores, marks, comment };
}

function ranksOf(tiers, count) {
  const ranks = Array(count).fill(null);
  let before = 0;
  for (const tier of tiers) {
    for (const number of tier) ranks[number - 1] = before + 1;
    before += tier.length;
  }
  return ranks;
}

function sameGiven(left, right) {
  return JSON.stringify(left) === JSON.stringify(right);
}

// Which numbers have no place yet.
function unplaced(draft) {
  const placed = new Set(draft.tiers.flat());
  return numbersOf(draft.scores).filter((number) => !placed.has(number));
}

// With the one response that is left on the last place: there is no other for it.
function completed(draft) {
  const left = unplaced(draft);
  return left.length === 1 && draft.tiers.length ? { ...draft, tiers: [...draft.tiers, left] } : draft;
}

// Whether the draft says anything in this way.
function saysIn(draft, way) {
  if (way === "rank") return draft.tiers.length > 0;
  return (way === "score" ? draft.scores : draft.marks).some((one) => one !== null);
}

// Places. What is on a place already is taken back.

function placed(draft, number) {
  const tiers = without(draft.tiers, number);
  return { ...draft, tiers: draft.tiers.flat().includes(number) ? tiers : [...tiers, [number]] };
}

// With the tier at this place joined to the one before.
function tied(draft, at) {
  const { tiers } = draft;
  if (at < 1 || at >= tiers.length) return draft;
  return { ...draft, tiers: tiers.toSpliced(at - 1, 2, [...tiers[at - 1], ...tiers[at]]) };
}

// With a tie parted before its `member`.
function parted(draft, at, member) {
  const tier = draft.tiers[at];
  return { ...draft, tiers: draft.tiers.toSpliced(at, 1, tier.slice(0, member), tier.slice(member)) };
}

// With the response that was placed last taken back.
function taken(draft) {
  const last = draft.tiers.at(-1)?.at(-1);
  return last === undefined ? draft : placed(draft, last);
}

// A place further up (-1) or down (1). Who shares a place leaves it; who has none comes last.
function moved(draft, number, by) {
  const at = draft.tiers.findIndex((tier) => tier.includes(number));
  if (at < 0) return placed(draft, number);
  const shared = draft.tiers[at].length > 1;
  return inserted(draft, number, shared ? (by < 0 ? at : at + 1) : by < 0 ? at - 1 : at + 2);
}

// On a place of its own before the tier that is at `slot` now.
function inserted(draft, number, slot) {
  const tiers = draft.tiers.map((tier) => tier.filter((one) => one !== number));
  tiers.splice(Math.max(0, Math.min(slot, tiers.length)), 0, [number]);
  return { ...draft, tiers: tiers.filter((tier) => tier.length) };
}

function without(tiers, number) {
  return tiers.map((tier) => tier.filter((one) => one !== number)).filter((tier) => tier.length);
}

function scored(draft, number, score) {
  return { ...draft, scores: draft.scores.with(number - 1, score) };
}

function marked(draft, number, mark) {
  return { ...draft, marks: draft.marks.with(number - 1, mark) };
}

function numbersOf(values) {
  return values.map((_, at) => at + 1);
}

function ordinal(rank) {
  const teen = rank % 100 > 10 && rank % 100 < 14;
  return `${rank}${(!teen && ["th", "st", "nd", "rd"][rank % 10]) || "th"}`;
}

// Why a label might not be what was meant, "" where nothing speaks against it.
function doubtOf(draft, known) {
  const count = draft.scores.length;
  const ways = ["rank", "score", "mark"].filter((way) => saysIn(draft, way));
  if (!ways.length && draft.comment.trim()) return "Only the comment would be saved: Enter again saves it so.";
  if (!ways.length) return known ? "Nothing is said any more: Enter again saves an empty label." : "Nothing is said yet: Enter again saves an empty label, S skips.";
  const left = unplaced(draft).length;
  if (ways.includes("rank") && left) return `${left} of ${count} have no place and stay without: Enter again saves it so.`;
  const bare = draft.scores.filter((score) => score === null).length;
  if (ways.includes("score") && bare) return `${bare} of ${count} have no score and stay without: Enter again saves it so.`;
  return "";
}
