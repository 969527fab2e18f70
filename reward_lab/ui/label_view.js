// What the label queue looks like: its nodes, and how they are brought in line with its state. It is put before
// label_queue.js into one module.

const WAYS = { rank: "Rank", score: "Score", mark: "Good or bad" };
const HINTS = {
  rank: "The best first: press the number of each response; once more takes it back.",
  score: "Score the framed response by 1 to 9, or 0 for 10; the next one is framed.",
  mark: "Mark the framed response with G for good or B for bad; the next one is framed.",
};

class QueueView {
  // `say` is called with another draft, `more` with the number of a text that is wanted in full, 0 for the scenario.
  constructor({ say, more }) {
    this.more = more;
    this.cards = new Map();
    this.frame = element("div", "queue");
    this.frame.tabIndex = -1;
    this.frame.setAttribute("role", "group");
    this.notice = element("div", "notice");
    this.notice.setAttribute("role", "alert");
    this.frame.append(this.top(), this.notice, this.ending(), this.middle(), this.bottom(say));
  }

  top() {
    this.count = element("strong", "count");
    this.name = element("span", "name");
    this.name.dir = "auto";
    this.standing = element("span", "standing");
    const where = element("div", "where");
    where.append(this.count, this.name, this.standing);
    this.ways = element("div", "ways");
    this.ways.setAttribute("role", "group");
    this.ways.setAttribute("aria-label", "Way of labelling");
    for (const way of Object.keys(WAYS)) {
      const one = button("", "", "way");
      one.dataset.value = way;
      this.ways.append(one);
    }
    this.bar = element("span", "bar");
    this.bar.setAttribute("role", "progressbar");
    this.progress = element("i");
    this.bar.append(this.progress);
    const top = element("div", "top");
    top.append(where, this.ways, this.bar);
    return top;
  }

  ending() {
    this.end = element("div", "done");
    [this.endTitle, this.endText] = [element("strong", ""), element("span", "")];
    this.again = button("", "", "again");
    this.end.append(this.endTitle, this.endText, this.again);
    return this.end;
  }

  middle() {
    this.scenario = element("details", "scenario");
    this.opening = element("span", "opening");
    this.opening.dir = "auto";
    const summary = element("summary", "");
    summary.append(element("strong", "", "Scenario"), this.opening);
    this.about = element("div", "about");
    this.scenario.append(summary, this.about);
    this.hint = element("p", "hint");
    this.list = element("div", "cards");
    this.waiting = element("p", "waiting", "Loading the group …");
    this.group = element("div", "group");
    this.group.append(this.scenario, this.hint, this.list, this.waiting);
    return this.group;
  }

  bottom(say) {
    this.order = new OrderView(say);
    this.status = element("p", "status");
    this.status.setAttribute("role", "status");
    const told = element("div", "told");
    told.append(this.order.node, this.status);
    this.comment = element("textarea", "comment");
    this.comment.rows = 1;
    this.comment.dir = "auto";
    this.comment.placeholder = "Comment (C)";
    this.comment.setAttribute("aria-label", "Comment on this group");
    this.backer = button("", "← Back", "back");
    this.saver = button("primary", "Save and next", "save");
    this.saver.title = "Enter";
    const actions = element("div", "actions");
    actions.append(this.backer, button("", "Skip →", "skip"), this.saver);
    const line = element("div", "line");
    line.append(this.comment, actions);
    this.legend = element("ul", "legend");
    this.legend.setAttribute("aria-label", "Keys");
    this.tray = element("div", "tray");
    this.tray.append(told, line, this.legend);
    return this.tray;
  }

  // The group's texts. Cards are kept where only their texts changed.
  fill(group, whole, open) {
    const shown = `${group.id} ${group.responses.length}`;
    if (this.shown !== shown) {
      this.shown = shown;
      this.cards = new Map(group.responses.map((_, at) => [at + 1, new CardView(at + 1)]));
      this.list.replaceChildren(...[...this.cards.values()].map(({ node }) => node));
      this.list.dataset.count = group.responses.length;
    }
    text(this.opening, group.asked);
    if (this.scenario.open !== open) this.scenario.open = open;
    const about = JSON.stringify([group.scenario, whole.has(0)]);
    if (about !== this.aboutDrawn) {
      this.aboutDrawn = about;
      this.about.replaceChildren(...texts(group.scenario, whole.has(0), () => this.more(0)));
    }
    for (const [number, card] of this.cards) {
      card.fill(group.responses[number - 1], whole.has(number), () => this.more(number));
    }
  }

  paint({ memory, group, draft, here, notice, status, doubt }) {
    const { place, way } = memory;
    const atEnd = place === null;
    this.end.hidden = this.group.hidden = this.tray.hidden = this.ways.hidden = true;
    for (const node of atEnd ? [this.end] : [this.group, this.tray, this.ways]) node.hidden = false;
    this.waiting.hidden = Boolean(group);
    for (const node of [this.scenario, this.hint, this.list]) node.hidden = !group;
    this.paintTop(memory, group, draft);
    this.paintNotice(notice);
    if (atEnd) this.paintEnd(memory);
    if (draft) this.paintDraft(draft, way, here);
    text(this.saver, memory.left.length === 1 && memory.left[0] === place ? "Save and finish" : "Save and next");
    this.backer.setAttribute("aria-disabled", String(memory.before() === undefined));
    this.saver.disabled = this.comment.disabled = !draft;
    text(this.status, doubt || status);
    flag(this.status, "data-doubt", Boolean(doubt));
  }

  paintTop(memory, group, draft) {
    const { ids, done, passed, place, way } = memory;
    text(this.count, `${place === null ? done : memory.at(place) + 1} of ${ids.length}`);
    text(this.name, group?.name ?? "");
    text(this.standing, [`${done} labelled`, passed.length ? `${passed.length} skipped` : ""].filter(Boolean).join(" · "));
    this.progress.style.width = `${(100 * done) / Math.max(1, ids.length)}%`;
    attribute(this.bar, "aria-label", `${done} of ${ids.length} groups labelled`);
    attribute(this.bar, "aria-valuenow", String(done));
    attribute(this.bar, "aria-valuemax", String(ids.length));
    for (const one of this.ways.children) {
      const said = draft && saysIn(draft, one.dataset.value);
      one.setAttribute("aria-pressed", String(one.dataset.value === way));
      text(one, `${WAYS[one.dataset.value]}${said ? " ✓" : ""}`);
    }
  }

  paintDraft(draft, way, here) {
    const count = draft.scores.length;
    text(this.hint, HINTS[way]);
    const ranks = ranksOf(completed(draft).tiers, count);
    for (const [number, card] of this.cards) {
      const rank = ranks[number - 1];
      card.paint(draft, way, rank, ranks.filter((one) => one !== null && one === rank).length > 1, here === number);
    }
    this.order.node.hidden = way !== "rank";
    this.order.paint(draft);
    if (this.comment.value !== draft.comment) this.comment.value = draft.comment;
    if (this.legendShown === `${way} ${count}`) return;
    this.legendShown = `${way} ${count}`;
    this.legend.replaceChildren(...legendOf(way, count));
  }

  paintNotice({ said, action, part, value } = {}) {
    this.notice.hidden = !said;
    const shown = `${said} ${part} ${value}`;
    if (!said || this.noticed === shown) return;
    this.noticed = shown;
    const nodes = [element("span", "", said)];
    if (action) {
      const one = button("", action, part);
      one.dataset.value = value;
      nodes.push(one);
    }
    this.notice.replaceChildren(...nodes);
  }

  paintEnd({ ids, done, passed }) {
    const all = done === ids.length;
    text(this.endTitle, all ? `All ${done} are labelled` : `${done} of ${ids.length} are labelled`);
    text(this.endText, all ? "How far people agree stands below." : passed.length ? `${passed.length} skipped.` : "");
    text(this.again, all ? "Look at them again" : "Label the others (Enter)");
  }
}
