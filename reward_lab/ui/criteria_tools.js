// What opens beside the rows of the criteria editor: the row's menu, the field for many at once, and a row that is
// being dragged. It is put before criteria_editor.js into one module.

const ACTIONS = [
  ["duplicate", "Duplicate", ""],
  ["up", "Move up", "Alt+↑"],
  ["down", "Move down", "Alt+↓"],
  ["below", "Add below", "Ctrl+Enter"],
  ["delete", "Delete", ""],
];

class Menu {
  constructor(act) {
    this.node = element("div", "menu");
    this.node.setAttribute("role", "menu");
    this.node.popover = "auto"; // closes by Escape and by a click elsewhere, and nothing cuts it
    this.items = new Map();
    for (const [action, label, keys] of ACTIONS) {
      const item = button("item", label);
      item.setAttribute("role", "menuitem");
      item.tabIndex = -1;
      item.append(element("kbd", "", keys));
      item.addEventListener("click", () => {
        if (item.getAttribute("aria-disabled") === "true") return;
        const { id } = this;
        this.node.hidePopover();
        act(action, id);
      });
      this.items.set(action, item);
      this.node.append(item);
    }
    this.node.addEventListener("keydown", (event) => this.press(event));
    this.node.addEventListener("toggle", ({ newState }) => {
      attribute(this.opener, "aria-expanded", newState === "open" ? "true" : "");
      if (newState === "open") return;
      // What is hidden by now may still have the focus.
      const held = this.node.getRootNode().activeElement;
      if (!held || this.node.contains(held)) this.opener.focus({ preventScroll: true });
    });
  }

  // A press on the button of the open menu closes it, before the click comes.
  pressed(target) {
    this.closing = this.node.matches(":popover-open") && target.closest("button") === this.opener;
  }

  toggle(opener, id, at, count) {
    const { closing } = this;
    this.closing = false;
    if (closing) return;
    this.opener?.removeAttribute("aria-expanded");
    [this.opener, this.id] = [opener, id];
    this.items.get("up").setAttribute("aria-disabled", String(at === 0));
    this.items.get("down").setAttribute("aria-disabled", String(at === count - 1));
    this.node.showPopover();
    const [box, { offsetWidth, offsetHeight }] = [opener.getBoundingClientRect(), this.node];
    const below = box.bottom + offsetHeight + 4 < innerHeight;
    this.node.style.left = `${Math.max(4, box.right - offsetWidth)}px`;
    this.node.style.top = `${below ? box.bottom + 2 : Math.max(4, box.top - offsetHeight - 2)}px`;
    this.items.get("duplicate").focus();
  }

  press(event) {
    const items = [...this.items.values()];
    const at = items.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Tab") this.node.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    items.at(to % items.length).focus();
  }
}

class Pasting {
  constructor(add, closed) {
    this.closed = closed;
    this.node = element("section", "pasting");
    this.node.hidden = true;
    this.field = element("textarea", "many");
    this.field.rows = 7;
    this.field.dir = "auto";
    this.field.placeholder = "Essential: States the deadline\n- Names the form to fill in [+3]\n- Pitfall: Invents a phone number (weight 2)";
    const label = element("label", "", "One criterion a line");
    const hint = element("span", "hint", "Bullets and numbers are left out. “Essential: …” sets the category, [+3] or (weight 3) the weight, which counts where each criterion weighs by its own.");
    label.append(hint, this.field);
    this.count = element("span", "count");
    this.count.setAttribute("role", "status");
    this.adder = button("adder", "Add");
    const cancel = button("", "Cancel");
    const tools = element("div", "tools");
    tools.append(this.adder, cancel, this.count);
    this.node.append(label, tools);

    const take = () => {
      if (!this.criteria.length) return;
      const { criteria } = this;
      this.field.value = "";
      this.read();
      this.node.hidden = true;
      add(criteria);
    };
    this.field.addEventListener("input", () => this.read());
    this.adder.addEventListener("click", take);
    cancel.addEventListener("click", () => this.toggle());
    this.node.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.toggle();
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) take();
    });
    this.read();
  }

  toggle() {
    this.node.hidden = !this.node.hidden;
    if (this.node.hidden) this.closed();
    else {
      this.field.focus({ preventScroll: true });
      this.node.scrollIntoView({ block: "nearest" });
    }
  }

  read() {
    this.criteria = pastedCriteria(this.field.value);
    const found = this.criteria.length === 1 ? "1 criterion" : `${this.criteria.length} criteria`;
    text(this.count, this.field.value.trim() ? found : "");
    text(this.adder, this.criteria.length ? `Add ${found}` : "Add");
    this.adder.setAttribute("aria-disabled", String(!this.criteria.length));
  }
}

// A row in somebody's hand. A line shows where it would go; the rows move when it is let go, since a node that is moved
// loses the pointer.
class Drag {
  constructor(event, nodes, from, drop) {
    [this.nodes, this.from, this.to] = [nodes, from, from];
    const grip = event.target.closest(".grip");
    const stop = new AbortController();
    const { signal } = stop;
    const end = () => {
      stop.abort();
      this.mark(null);
      delete nodes[from].dataset.dragged;
    };
    nodes[from].dataset.dragged = "";
    grip.setPointerCapture(event.pointerId);
    grip.addEventListener("pointermove", ({ clientY }) => this.over(clientY), { signal });
    grip.addEventListener("pointerup", () => { end(); drop(this.to); }, { signal });
    grip.addEventListener("lostpointercapture", end, { signal });
    window.addEventListener("keydown", ({ key }) => key === "Escape" && end(), { signal, capture: true });
  }

  over(y) {
    const slot = this.nodes.filter((node) => {
      const { top, bottom } = node.getBoundingClientRect();
      return (top + bottom) / 2 < y;
    }).length;
    this.to = slot > this.from ? slot - 1 : slot;
    this.mark(this.to === this.from ? null : slot);
    const [before, after] = [this.nodes[slot - 1], this.nodes[slot]];
    for (const near of [before, after]) near?.scrollIntoView({ block: "nearest" });
  }

  mark(slot) {
    for (const node of this.nodes) delete node.dataset.drop;
    if (slot === null) return;
    const last = slot === this.nodes.length;
    this.nodes[last ? slot - 1 : slot].dataset.drop = last ? "after" : "before";
  }
}
