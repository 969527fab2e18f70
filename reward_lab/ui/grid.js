// Draws the data of grid.py as one ARIA grid and keeps it in place: Streamlit calls the default export again on every
// change of data or theme, and the nodes of the call before are updated, never replaced, so that focus, scroll
// position and running animations survive. All text goes through textContent and attributes, none through markup.

const TALL = 30;
const MARKS = { met: "✓", unmet: "✗", unknown: "?" };
const WORDS = { failed: ["✕", "unscored"], cancelled: ["⊘", "cancelled"] };

const grids = new WeakMap();
// By grid key, not by mount: a page switch mounts anew, and the reader's sort should still hold.
const sorts = new Map();

export default function mount({ data, parentElement, setTriggerValue }) {
  let grid = grids.get(parentElement);
  if (!grid) {
    grid = new Grid(parentElement);
    grids.set(parentElement, grid);
  }
  grid.update(data, (selection) => setTriggerValue("picked", selection));
}

class Grid {
  constructor(parent) {
    this.root = parent;
    this.frame = element("div", "frame");
    this.scroller = element("div", "scroller");
    this.table = element("table", "grid", "grid");
    this.headRow = element("tr", "", "row");
    this.body = element("tbody", "", "rowgroup");
    const head = element("thead", "", "rowgroup");
    head.append(this.headRow);
    this.table.append(head, this.body);
    this.scroller.append(this.table);
    this.frame.append(this.scroller);

    this.heads = new Map();
    this.rows = new Map();
    this.order = [];
    this.selected = null;

    this.table.addEventListener("click", (event) => this.activate(cellOf(event.target)));
    this.table.addEventListener("focusin", (event) => this.rove(cellOf(event.target)));
    this.table.addEventListener("keydown", (event) => this.press(event));
    this.scroller.addEventListener("scroll", () => this.markEdges(), { passive: true });
    // Told after layout, whether the room or the content changed: asked for in an update, it would lay out the page at once.
    const resized = new ResizeObserver(() => this.markEdges());
    resized.observe(this.scroller);
    resized.observe(this.table);
    parent.append(this.frame);
  }

  update(data, send) {
    this.send = send;
    this.data = data;
    const focused = this.focusedPlace();

    attribute(this.table, "aria-label", data.label);
    const [, ...figures] = data.columns;
    this.frame.style.setProperty("--columns", figures.length);
    flag(this.frame, "data-dense", figures.every((column) => column.kind === "mark"));
    flag(this.frame, "data-wrapped", Boolean(data.wrapped));
    flag(this.frame, "data-roomy", Boolean(data.roomy));
    flag(this.table, "data-deltas", data.rows.some((row) => Object.values(row.cells).some((cell) => cell.delta)));
    flag(this.scroller, "data-tall", data.rows.length > TALL);

    this.drawHeads();
    this.drawRows();
    // While the sorted column still fills, rows hold their places: a table that reorders itself cannot be read.
    const sorted = sorts.get(data.key)?.column;
    this.sort(this.order.length > 0 && data.rows.some((row) => row.cells[sorted]?.state === "running"));

    const given = JSON.stringify(data.selected);
    if (given !== this.given) {
      this.given = given;
      this.selected = data.selected;
    }
    this.paintSelection();
    this.restore(focused);
  }

  drawHeads() {
    reconcile(this.headRow, this.heads, this.data.columns, () => {
      const cell = element("th", "", "columnheader");
      cell.scope = "col";
      cell.tabIndex = -1;
      const [badge, label, arrow] = [element("span", "badge"), element("span", "label"), element("span", "arrow")];
      arrow.setAttribute("aria-hidden", "true");
      cell.append(badge, label, arrow);
      return { cell, badge, label, arrow };
    });
    for (const [index, column] of this.data.columns.entries()) {
      const head = this.heads.get(column.id);
      flag(head.cell, "data-first", index === 0);
      head.cell.dataset.column = column.id;
      head.cell.dataset.kind = column.kind;
      head.cell.dataset.align = column.align;
      if (column.badge) text(head.label, column.head);
      else breakable(head.label, column.head);
      paintBadge(head.badge, column.badge, column.colour);
      attribute(head.cell, "title", [column.badge && column.head, column.help].filter(Boolean).join("\n"));
      attribute(head.cell, "aria-description", column.help);
    }
  }

  drawRows() {
    const [first, ...figures] = this.data.columns;
    reconcile(null, this.rows, this.data.rows, () => {
      const line = element("tr", "", "row");
      const head = element("th", "", "rowheader");
      head.scope = "row";
      head.tabIndex = -1;
      head.dataset.first = "";
      const [who, names] = [element("div", "who"), element("div", "names")];
      const [badge, title, subtitle] = [element("span", "badge"), element("div", "title"), element("div", "subtitle")];
      title.dir = subtitle.dir = "auto";
      names.append(title, subtitle);
      who.append(badge, names);
      head.append(who);
      line.append(head);
      return { cell: line, head, badge, title, subtitle, cells: new Map() };
    });
    for (const row of this.data.rows) {
      const drawn = this.rows.get(row.id);
      drawn.cell.dataset.row = row.id;
      drawn.head.dataset.column = first.id;
      drawn.cell.style.setProperty("--colour", row.colour);
      text(drawn.title, row.title);
      text(drawn.subtitle, row.subtitle);
      paintBadge(drawn.badge, row.badge, row.colour);
      attribute(drawn.head, "title", [row.title, row.subtitle].filter(Boolean).join("\n"));
      reconcile(drawn.cell, drawn.cells, figures, newCell, drawn.head);
      for (const column of figures) paintCell(drawn.cells.get(column.id), row.cells[column.id], column);
    }
  }

  sort(hold) {
    const columns = this.data.columns;
    let sort = sorts.get(this.data.key);
    if (sort && (!this.data.sortable || !columns.some((column) => column.id === sort.column))) sort = undefined;

    const ids = this.data.rows.map((row) => row.id);
    if (hold) {
      const place = new Map(this.order.map((id, index) => [id, index]));
      ids.sort((a, b) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity) || 0);
    } else if (sort) {
      const rows = new Map(this.data.rows.map((row) => [row.id, row]));
      ids.sort((a, b) => compare(rows.get(a), rows.get(b), sort, columns));
    }
    this.order = ids;

    const held = this.root.activeElement;
    arrange(this.body, ids.map((id) => this.rows.get(id).cell));
    if (held && this.table.contains(held)) held.focus({ preventScroll: true });

    for (const column of columns) {
      const { cell, arrow } = this.heads.get(column.id);
      const direction = sort?.column === column.id ? sort.direction : "none";
      attribute(cell, "aria-sort", this.data.sortable ? direction : "");
      text(arrow, !this.data.sortable ? "" : direction === "none" ? "↕" : direction === "ascending" ? "▲" : "▼");
    }
  }

  cycleSort(columnId) {
    const column = this.data.columns.find((one) => one.id === columnId);
    const steps = ["ascending", "descending"];
    if (column !== this.data.columns[0] && column.kind !== "text") steps.reverse();
    const now = sorts.get(this.data.key);
    const direction = steps[now?.column === columnId ? steps.indexOf(now.direction) + 1 : 0];
    if (direction) sorts.set(this.data.key, { column: columnId, direction });
    else sorts.delete(this.data.key);
    this.sort(false);
  }

  activate(cell) {
    if (!cell) return;
    const { row, column } = placeOf(cell);
    if (row === null) {
      if (this.data.sortable) this.cycleSort(column);
      return;
    }
    this.selected = [row, "first" in cell.dataset ? null : column];
    this.paintSelection();
    this.send({ row: this.selected[0], column: this.selected[1] });
  }

  paintSelection() {
    const [rowId, columnId] = this.selected ?? [null, null];
    for (const [id, row] of this.rows) {
      const here = id === rowId;
      flag(row.cell, "data-selected", here);
      attribute(row.cell, "aria-selected", String(here && columnId === null));
      for (const [column, { cell }] of row.cells) {
        attribute(cell, "aria-selected", String(here && column === columnId));
      }
    }
  }

  press(event) {
    if (event.altKey || event.metaKey) return;
    const cell = cellOf(event.target);
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.activate(cell);
      return;
    }
    const place = placeOf(cell);
    const columns = this.data.columns.map((column) => column.id);
    const lines = [null, ...this.order];
    let [y, x] = [lines.indexOf(place.row), columns.indexOf(place.column)];
    const [bottom, right] = [lines.length - 1, columns.length - 1];
    switch (event.key) {
      case "ArrowUp": y -= 1; break;
      case "ArrowDown": y += 1; break;
      case "ArrowLeft": x -= 1; break;
      case "ArrowRight": x += 1; break;
      case "Home": x = 0; if (event.ctrlKey) y = 0; break;
      case "End": x = right; if (event.ctrlKey) y = bottom; break;
      default: return;
    }
    event.preventDefault();
    this.reveal(this.at(lines[clamp(y, bottom)], columns[clamp(x, right)]));
  }

  // The browser's own scrolling does not know that the sticky head and row headers cover what lies under them.
  reveal(cell) {
    cell.focus({ preventScroll: true });
    const [box, frame] = [cell.getBoundingClientRect(), this.scroller.getBoundingClientRect()];
    const corner = this.heads.get(this.data.columns[0].id).cell.getBoundingClientRect();
    if (!("first" in cell.dataset)) {
      this.scroller.scrollLeft += shift(box.left, box.right, corner.right, frame.left + this.scroller.clientWidth);
    }
    if (placeOf(cell).row !== null) {
      this.scroller.scrollTop += shift(box.top, box.bottom, corner.bottom, frame.top + this.scroller.clientHeight);
    }
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  at(rowId, columnId) {
    if (rowId === null) return this.heads.get(columnId)?.cell;
    const row = this.rows.get(rowId);
    return columnId === this.data.columns[0].id ? row?.head : row?.cells.get(columnId)?.cell;
  }

  // Roving tabindex: the grid is one tab stop, and the stop is where the reader was last.
  rove(cell) {
    if (!cell || cell === this.stop) return;
    if (this.stop) this.stop.tabIndex = -1;
    cell.tabIndex = 0;
    this.stop = cell;
  }

  focusedPlace() {
    const cell = this.root.activeElement;
    if (!cell || !this.table.contains(cell)) return null;
    const place = placeOf(cell);
    return { ...place, index: this.order.indexOf(place.row) };
  }

  // If what had the focus is gone, the focus goes to what took its place instead of the top of the page.
  restore(focused) {
    const first = this.data.columns[0].id;
    if (focused && !this.table.contains(this.root.activeElement)) {
      const row = focused.row === null ? null : this.order[clamp(focused.index, this.order.length - 1)] ?? null;
      (this.at(row, focused.column) ?? this.at(row, first)).focus({ preventScroll: true });
    } else if (!this.stop || !this.table.contains(this.stop)) {
      const [row, column] = this.selected ?? [this.order[0] ?? null, null];
      this.rove(this.at(row, column ?? first) ?? this.at(null, first));
    }
  }

  markEdges() {
    const { scrollLeft, scrollWidth, clientWidth } = this.scroller;
    flag(this.frame, "data-scrolled", scrollLeft > 0);
    flag(this.frame, "data-more", scrollLeft + clientWidth < scrollWidth - 1);
  }
}

function newCell() {
  const cell = element("td", "", "gridcell");
  cell.tabIndex = -1;
  const [line, bar, fill] = [element("div", "line"), element("div", "bar"), element("i")];
  const [note, figure, sub] = [element("span", "note"), element("span", "figure"), element("div", "sub")];
  line.append(note, figure);
  bar.append(fill);
  cell.append(line, bar, sub);
  return { cell, note, figure, bar, fill, sub };
}

function paintCell(drawn, data, column) {
  const { cell, note, figure, bar, fill, sub } = drawn;
  cell.dataset.column = column.id;
  cell.dataset.kind = column.kind;
  cell.dataset.align = column.align;
  cell.dataset.state = data.state;
  attribute(cell, "data-tone", data.tone);
  attribute(cell, "title", data.hover);

  const mark = MARKS[data.state];
  const [sign, word] = WORDS[data.state] ?? [];
  const scored = data.state === "ready";
  text(figure, mark ?? sign ?? (data.state === "running" ? "running" : data.state === "empty" ? "—" : data.text));
  attribute(figure, "role", mark && "img");
  attribute(figure, "aria-label", mark && data.state);
  text(note, mark ? data.text : scored ? data.note : "");
  text(sub, word ? data.text ?? word : data.delta);
  flag(bar, "hidden", !scored || data.bar === undefined);
  fill.style.width = `${100 * (data.bar ?? 0)}%`;
}

function paintBadge(badge, letter, colour) {
  text(badge, letter);
  if (!colour) return;
  badge.style.setProperty("--colour", colour);
  badge.style.setProperty("--ink", luminance(colour) > 0.36 ? "#111" : "#fff");
}

// Relative luminance of #rrggbb by WCAG 2.2.
function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function compare(a, b, sort, columns) {
  const way = sort.direction === "ascending" ? 1 : -1;
  const column = columns.find((one) => one.id === sort.column);
  if (column === columns[0]) return way * a.title.localeCompare(b.title, undefined, { numeric: true });
  const [left, right] = [a.cells[column.id], b.cells[column.id]];
  const [x, y] = [left.value ?? null, right.value ?? null];
  if (x !== null && y !== null) return way * (x - y);
  if (x === null && y === null && column.kind === "text") {
    return way * (left.text ?? "").localeCompare(right.text ?? "", undefined, { numeric: true });
  }
  return (x === null) - (y === null);
}

// Brings `drawn` (id -> nodes) in line with `items`; with a `parent`, its children too, after the node `lead`.
function reconcile(parent, drawn, items, make, lead) {
  const ids = new Set(items.map((item) => item.id));
  for (const [id, { cell }] of drawn) {
    if (ids.has(id)) continue;
    cell.remove();
    drawn.delete(id);
  }
  for (const item of items) if (!drawn.has(item.id)) drawn.set(item.id, make());
  if (parent) arrange(parent, [...(lead ? [lead] : []), ...items.map((item) => drawn.get(item.id).cell)]);
}

// Moves only what is out of place: a moved node loses focus and restarts its animations.
function arrange(parent, children) {
  let next = parent.firstChild;
  for (const child of children) {
    if (child === next) next = next.nextSibling;
    else parent.insertBefore(child, next);
  }
}

// Lets a head such as "Likert+ref" wrap after its sign.
function breakable(node, content) {
  if (node.textContent === content) return;
  const parts = content.split(/(?<=[+/_])/);
  node.replaceChildren(...parts.flatMap((part, index) => (index ? [document.createElement("wbr"), part] : [part])));
}

function element(name, className, role) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (role) node.setAttribute("role", role);
  return node;
}

function text(node, content) {
  if (node.textContent !== (content ?? "")) node.textContent = content ?? "";
}

function attribute(node, name, value) {
  if (!value) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

function flag(node, name, on) {
  if (node.hasAttribute(name) !== on) node.toggleAttribute(name, on);
}

function cellOf(target) {
  return target.closest("td, th");
}

function placeOf(cell) {
  return { row: cell.parentElement.dataset.row ?? null, column: cell.dataset.column };
}

// How far to scroll for [start, end] to lie within [from, to].
function shift(start, end, from, to) {
  return start < from ? start - from : Math.max(0, end - to);
}

function clamp(index, last) {
  return Math.max(0, Math.min(index, last));
}
