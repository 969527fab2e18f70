// The exchange of the label queue with its page: groups come, a few of them ahead, labels go and are answered. It is put
// before label_queue.js into one module.

const AHEAD = 3;
const HELD = 12;
const RETRY_MS = 3000;
const MOST_DOUBLINGS = 5;

class Exchange {
  // `again` is called when labels are to be sent once more.
  constructor(data, again) {
    this.again = again;
    this.memory = new Memory(data);
    this.groups = new Map();
    this.sent = new Set();
    this.turn = 0;
    this.tries = 0;
    this.failed = null; // the label that was refused last, and why
  }

  // What the page gives; returns what is to be told of labels that it saved.
  take(data, tell) {
    this.tell = tell;
    for (const group of data.groups) {
      this.groups.delete(group.id);
      this.groups.set(group.id, group);
    }
    for (const id of [...this.groups.keys()].slice(0, -HELD)) if (id !== this.memory.place) this.groups.delete(id);
    const said = this.settle(data.results);
    this.memory.follow(data);
    return said;
  }

  settle(results) {
    let said = "";
    for (const event of this.memory.outbox.filter(({ id }) => results[id])) {
      const result = results[event.id];
      const name = `Group ${this.memory.at(event.group) + 1}`;
      this.memory.settle(event, result);
      this.tries = 0;
      if (result.fault) {
        this.failed = { group: event.group, said: `${name} was not saved. ${result.fault}` };
        continue;
      }
      this.forgive(event.group);
      // The page may not send the group again: what is saved of it is known here.
      const group = this.groups.get(event.group);
      if (group && group.version < result.version) Object.assign(group, { version: result.version, given: event.given });
      said = `${name} is saved. ${result.said}`.trim();
    }
    this.memory.keep();
    this.stop();
    if (this.memory.outbox.length) this.later();
    return said;
  }

  forgive(group) {
    if (this.failed?.group === group) this.failed = null;
  }

  // Whether there is something to ask for or to send. Asked once: what the page cannot give must not be asked for with
  // each of its answers.
  get lacks() {
    const wanted = this.memory.near(AHEAD);
    const lacking = wanted.join(" ") !== this.asked && wanted.some((id) => !this.groups.has(id));
    return lacking || this.memory.outbox.some(({ id }) => !this.sent.has(id));
  }

  // Asks for the groups near the one at hand; `whole` has the numbers of its texts that are wanted in full.
  ask(whole) {
    const { place, outbox } = this.memory;
    this.turn += 1;
    const wanted = this.memory.near(AHEAD);
    this.asked = wanted.join(" ");
    for (const { id } of outbox) this.sent.add(id);
    this.tell({ turn: this.turn, place, wanted, whole: [...whole].map((number) => `${place} ${number}`), outbox });
    if (outbox.length) this.later();
  }

  // Sent again until the page has answered, ever more rarely: a server that is away may not have heard.
  later() {
    this.stop();
    this.retry = setTimeout(() => {
      this.tries += 1;
      this.again();
    }, RETRY_MS * 2 ** Math.min(this.tries, MOST_DOUBLINGS));
  }

  stop() {
    clearTimeout(this.retry);
  }
}
