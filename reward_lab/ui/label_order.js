// The order of a ranking in one line, best first: a chip a response, between them ">" or "=", which parts and ties; then
// those without a place. Chips are dragged, or moved by Alt+Up and Alt+Down. It is put before label_queue.js into one
// module.

const DRAG_FROM = 5;

class OrderView {
  // `change` is called with another draft.
  constructor(change) {
    this.change = change;
    this.node = element("div", "order");
    this.node.setAttribute("role", "group");
    this.node.setAttribute("aria-label", "Your order, best first");
    this.node.addEventListener("pointerdown", (event) => this.grab(event));
    this.node.addEventListener("click", (event) => this.click(event));
  }

  paint(draft) {
    if (draft === this.draft) return;
    this.draft = draft;
    const held = this.node.getRootNode().activeElement?.dataset?.chip;
    const nodes = [element("span", "end", "best")];
    draft.tiers.forEach((tier, at) => {
      tier.forEach((number, member) => {
        if (at || member) nodes.push(this.sign(at, member));
        nodes.push(this.chip(number, draft, at));
      });
    });
    const left = unplaced(draft);
    const last = left.length === 1 && draft.tiers.length > 0;
    if (left.length) nodes.push(element("span", "end rest", draft.tiers.length ? (last ? "then the one left" : "no place yet") : "no place yet"));
    for (const number of left) nodes.push(this.chip(number, draft, null));
    this.node.replaceChildren(...nodes);
    if (held) this.node.querySelector(`[data-chip="${held}"]`)?.focus({ preventScroll: true });
  }

  chip(number, draft, at) {
    const chip = button("chip", String(number));
    chip.dataset.chip = number;
    if (at !== null) chip.dataset.tier = at;
    const rank = ranksOf(draft.tiers, draft.scores.length)[number - 1];
    chip.setAttribute("aria-label", `Response ${number}, ${rank === null ? "no place yet" : ordinal(rank)}`);
    return chip;
  }

  sign(at, member) {
    const sign = button("sign", member ? "=" : ">");
    sign.dataset.at = at;
    sign.dataset.member = member;
    sign.title = member ? "Tied; click to part them" : "Better than; click to tie them";
    sign.setAttribute("aria-label", sign.title);
    return sign;
  }

  click(event) {
    const { target } = event;
    const sign = target.closest(".sign");
    if (sign) {
      const [at, member] = [Number(sign.dataset.at), Number(sign.dataset.member)];
      this.change(member ? parted(this.draft, at, member) : tied(this.draft, at));
      return;
    }
    const chip = target.closest(".chip");
    // A drag ends with a click; the keyboard's click has no detail.
    if (chip && (!this.dragged || !event.detail)) this.change(placed(this.draft, Number(chip.dataset.chip)));
  }

  grab(event) {
    const chip = event.target.closest(".chip");
    this.dragged = false;
    if (!chip || event.button !== 0) return;
    const number = Number(chip.dataset.chip);
    const stop = new AbortController();
    const { signal } = stop;
    let slot = null;
    chip.setPointerCapture(event.pointerId);
    const over = ({ clientX, clientY }) => {
      if (!this.dragged && Math.hypot(clientX - event.clientX, clientY - event.clientY) < DRAG_FROM) return;
      this.dragged = true;
      chip.dataset.dragged = "";
      slot = this.slot(clientX, clientY, chip);
      this.mark(slot);
    };
    const end = () => {
      stop.abort();
      this.mark(null);
      delete chip.dataset.dragged;
    };
    chip.addEventListener("pointermove", over, { signal });
    chip.addEventListener("pointerup", () => {
      end();
      if (slot !== null) this.change(inserted(this.draft, number, slot));
    }, { signal });
    chip.addEventListener("pointercancel", end, { signal });
    window.addEventListener("keydown", (pressed) => {
      if (pressed.key !== "Escape") return;
      slot = null;
      end();
    }, { signal, capture: true });
  }

  // The tier before which a chip would be put down here: lines are read before columns.
  slot(x, y, dragged) {
    const chips = [...this.node.querySelectorAll(".chip[data-tier]")].filter((chip) => chip !== dragged);
    for (const chip of chips) {
      const { left, right, top, bottom } = chip.getBoundingClientRect();
      if (y < top || (y <= bottom && x < (left + right) / 2)) return Number(chip.dataset.tier);
    }
    return this.draft.tiers.length;
  }

  mark(slot) {
    for (const node of this.node.querySelectorAll("[data-drop]")) delete node.dataset.drop;
    if (slot === null) return;
    const at = this.node.querySelector(`.chip[data-tier="${slot}"]`);
    if (at) at.dataset.drop = "before";
    else {
      const last = [...this.node.querySelectorAll(".chip[data-tier]")].at(-1) ?? this.node.querySelector(".end");
      last.dataset.drop = "after";
    }
  }
}
