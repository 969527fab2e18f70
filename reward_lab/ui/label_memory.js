// What one browser tab keeps of its label queue: where it is, what was not saved yet, what was sent and not answered. It
// lies in the tab's session storage, where it outlives a reload. It is put before label_queue.js into one module.
//
// `outbox` has the labels on their way, `drafts` by group what was changed since it was saved (with the version `base`
// that it began from), `trail` the groups in the order in which they were left, `skipped` those to come back to. `place`
// is the group at hand, null at the end.

const MOST_TRAIL = 50;
const KEPT_FIELDS = ["way", "open", "drafts", "outbox", "trail", "skipped", "place"];

class Memory {
  constructor({ identity, way, start, ids }) {
    this.name = `reward-lab label queue ${identity}`;
    const kept = recall(this.name);
    const there = kept && (kept.place === null || ids.includes(kept.place));
    Object.assign(this, { way, open: false, drafts: {}, outbox: [], trail: [], skipped: [] }, kept);
    this.place = there ? kept.place : start;
    this.ids = ids;
  }

  keep() {
    try {
      sessionStorage.setItem(this.name, JSON.stringify(Object.fromEntries(KEPT_FIELDS.map((field) => [field, this[field]]))));
    } catch {
      // Without room or leave to store, a reload loses what was not saved; nothing else does.
    }
  }

  follow({ ids, labelled }) {
    this.ids = ids;
    this.labelled = new Set([...labelled, ...this.outbox.map(({ group }) => group)]);
  }

  at(id) {
    return this.ids.indexOf(id);
  }

  pending(id) {
    return this.outbox.findLast(({ group }) => group === id);
  }

  get done() {
    return this.ids.filter((id) => this.labelled.has(id)).length;
  }

  get left() {
    return this.ids.filter((id) => !this.labelled.has(id));
  }

  get passed() {
    return this.skipped.filter((id) => this.ids.includes(id) && !this.labelled.has(id));
  }

  // The next group without a label, those that were skipped left out; null where there is none.
  next(from = this.place, besides = []) {
    const start = from === null ? -1 : this.at(from);
    const others = [...this.ids.slice(start + 1), ...this.ids.slice(0, Math.max(0, start))];
    const out = new Set([...this.labelled, ...this.skipped, ...besides, this.place]);
    return others.find((id) => !out.has(id)) ?? null;
  }

  // The group after this one in the queue, labelled or not.
  following() {
    return this.ids[this.at(this.place) + 1] ?? null;
  }

  // The group that one came from, else the one before in the queue; undefined at the start.
  before() {
    const at = this.place === null ? this.ids.length : this.at(this.place);
    return this.trail.findLast((id) => id !== this.place && this.ids.includes(id)) ?? this.ids[at - 1];
  }

  // Some of the groups that may be wanted soon: this one, those that come next, those beside it.
  near(ahead) {
    const next = [];
    while (next.length < ahead) {
      const id = this.next(next.at(-1) ?? this.place, next);
      if (id === null) break;
      next.push(id);
    }
    return [...new Set([this.place, ...next, this.before(), this.following()])].filter((id) => this.ids.includes(id));
  }

  go(id) {
    if (this.place !== null) this.trail = [...this.trail.slice(-MOST_TRAIL), this.place];
    this.place = id;
  }

  goBack(id) {
    this.trail = this.trail.slice(0, Math.max(0, this.trail.lastIndexOf(id)));
    this.place = id;
  }

  skip() {
    this.skipped = [...new Set([...this.skipped, this.place])];
  }

  send(event) {
    this.outbox.push(event);
    delete this.drafts[event.group];
    this.labelled.add(event.group);
    this.skipped = this.skipped.filter((id) => id !== event.group);
  }

  // The page has answered: a label that was not saved is a draft again.
  settle(event, { version, fault }) {
    this.outbox = this.outbox.filter(({ id }) => id !== event.id);
    if (fault) this.drafts[event.group] ??= { ...event.given, base: event.version };
    else if (this.drafts[event.group]) this.drafts[event.group].base = version;
  }
}

function recall(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}

// randomUUID is not there on a plain http address.
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
