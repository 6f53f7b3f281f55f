// Every region with its numbers; an open one shows its callers and callees.
import { callsOf } from "../../calls.js";
import { kindOf } from "../../colours.js";
import { copyText, download, fileName } from "../../copying.js";
import { element } from "../../dom.js";
import { count, duration, percent } from "../../format.js";
import { matcher } from "../../matcher.js";
import { VirtualRows } from "../../virtual.js";
import { columnsOf, firstColumns } from "./table_columns.js";
import { createControls } from "./table_controls.js";
import { makeLine } from "./table_line.js";
import { loadMetrics, metricColumns } from "./table_metrics.js";
import { kept, linesOf, regionLines, sorted, sums, tableState } from "./table_rows.js";
import { csvOf, markdownOf } from "./table_texts.js";

export const tableView = {
  id: "table",
  title: "Table",
  key: "t",
  isAvailable: (data) => data.has("flat"),
  create: (host, app) => new Table(host, app),
};

class Table {
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.focus = 0; // the line with the keyboard focus
    this.lines = [];
  }

  /** Called once, when the data is available. */
  async load() {
    const { data } = this.app;
    this.flat = (await data.flat()) ?? [];
    this.selfSum = sums(this.flat).self;
    this.all = [...columnsOf(data.regions, data.run, this.selfSum), ...metricColumns(data)];
    const kinds = new Set(this.flat.map(({ region }) => kindOf(data.regions, region)));
    this.controls = createControls(this.all, kinds, {
      filter: (text) => this.change({ filter: text }),
      kind: (word) => this.app.setParams({ kind: word }),
      columns: (ids) => this.change({ cols: ids.join(".") }),
      copy: (what) => this.copy(what),
    });
    this.build();
  }

  build() {
    this.head = element("tr", { "aria-rowindex": "1" });
    this.widths = element("colgroup");
    this.body = element("tbody", { onkeydown: (event) => this.onRowKey(event) });
    this.table = element("table", {}, this.widths, element("thead", {}, this.head), this.body);
    this.scroller = element("div", { class: "rows" }, this.table);
    this.host.append(
      this.controls.node,
      this.controls.found,
      this.scroller,
      element(
        "p",
        { class: "dim keys" },
        "Keys: / filter, c columns; in the table ↑ ↓ Home End move, Enter or → shows callers and callees.",
      ),
    );
    this.rows = new VirtualRows(this.scroller, this.body, {
      rowHeight: () => this.rowHeight(),
      make: (i) => makeLine(this, this.lines[i], i),
    });
  }

  rowHeight() {
    return 2 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  async show(params) {
    if (!this.flat) await (this.loading ??= this.load());
    this.params = params;
    const state = tableState(params, this.all, firstColumns(this.app.data.run, this.all));
    const before = this.state;
    this.state = state;
    const sorting = this.all.find(({ id }) => id === state.sort);
    await loadMetrics(this.app.data, [...state.shown, sorting]);
    if (state.region >= 0) this.calls = await callsOf(this.app.data);
    this.columns = state.shown;
    this.refresh();
    if (state.region >= 0 && state.region !== before?.region) this.revealOpen();
  }

  /** Update the link without a history entry. */
  change(params) {
    this.app.replaceParams(params);
    this.show({ ...this.params, ...params });
  }

  refresh() {
    const { state } = this;
    const { regions } = this.app.data;
    const filter = matcher(state.filter);
    const column = this.all.find(({ id }) => id === state.sort);
    const wanted = JSON.stringify([state.filter, state.kind, state.sort, state.isUp]);
    if (wanted !== this.sortedFor) {
      const some = kept(this.flat, filter, state.kind, regions, kindOf);
      this.entries = sorted(some, column, state.isUp);
      this.unopened = regionLines(this.entries);
      this.sortedFor = wanted;
    }
    this.lines = linesOf(this.unopened, state.region, this.calls);
    this.focus = Math.min(this.focus, Math.max(0, this.lines.length - 1));
    this.controls.show(state, filter.problem);
    this.controls.found.textContent = this.foundText(filter.problem);
    this.table.setAttribute("aria-rowcount", this.lines.length + 1);
    this.table.setAttribute("aria-label", `Regions by ${column.title}`);
    this.drawHead();
    this.resize();
    this.rows.set(this.lines.length);
  }

  foundText(problem) {
    if (problem) return `Not an expression yet: ${problem}`;
    const { calls, self } = sums(this.entries);
    const what = this.app.data.run.is_sampled ? "samples" : "calls";
    const regionsOf = (entries) => entries.filter(({ isRest }) => !isRest).length;
    const parts = [
      `${count(regionsOf(this.entries))} of ${count(regionsOf(this.flat))} regions`,
      `${duration(self)} self (${percent(this.selfSum > 0 ? self / this.selfSum : 0)})`,
    ];
    if (what === "calls") parts.push(`${count(calls)} calls`);
    return parts.join(" · ");
  }

  drawHead() {
    const focused = this.head.contains(document.activeElement)
      ? document.activeElement.closest("th").dataset.column
      : null;
    this.widths.replaceChildren(...this.columns.map((column) => widthOf(column)));
    this.table.style.minWidth = `${this.columns.reduce((sum, { width }) => sum + width, 0)}rem`;
    this.head.replaceChildren(...this.columns.map((column) => this.headCell(column)));
    if (focused) this.head.querySelector(`[data-column=${focused}] button`)?.focus();
  }

  headCell(column) {
    const isSorted = column.id === this.state.sort;
    const sign = this.state.isUp ? "▲" : "▼";
    return element(
      "th",
      {
        scope: "col",
        "data-column": column.id,
        class: column.isText ? "text" : "number",
        "aria-sort": isSorted ? (this.state.isUp ? "ascending" : "descending") : null,
      },
      element(
        "button",
        { type: "button", title: column.hint, onclick: () => this.sortBy(column) },
        column.title,
        element("span", { class: "sign", "aria-hidden": "true" }, isSorted ? sign : ""),
      ),
    );
  }

  sortBy(column) {
    const isUp = column.id === this.state.sort ? !this.state.isUp : Boolean(column.isText);
    this.scroller.scrollTop = 0;
    this.focus = 0;
    this.app.setParams({ sort: column.id, dir: isUp ? "up" : "down" });
  }

  resize() {
    if (!this.scroller) return;
    const top = this.scroller.getBoundingClientRect().top + window.scrollY;
    this.scroller.style.height = `${Math.max(320, window.innerHeight - top - 56)}px`;
    this.rows.draw();
  }

  isOpen(region) {
    return region === this.state.region;
  }

  isFocus(i) {
    return i === this.focus;
  }

  onToggle(region) {
    this.focus = this.lines.findIndex(
      (line) => line.type === "region" && line.entry.region === region,
    );
    this.takesFocus = true;
    this.app.setParams({ region: this.isOpen(region) ? null : region });
  }

  /** Go to a caller or callee, even if the filter hides it. */
  onGo(region) {
    const isShown = this.entries.some((entry) => entry.region === region);
    this.takesFocus = true;
    this.app.setParams({ region, ...(isShown ? {} : { filter: null, kind: null }) });
  }

  revealOpen() {
    const at = this.lines.findIndex(
      (line) => line.type === "region" && line.entry.region === this.state.region,
    );
    if (at < 0) return;
    const header = this.head.offsetHeight;
    this.moveTo(at, this.takesFocus);
    const isLow =
      (at + 4) * this.rowHeight() + header > this.scroller.scrollTop + this.scroller.clientHeight;
    if (isLow) this.scroller.scrollTop = Math.max(0, (at - 1) * this.rowHeight());
    this.takesFocus = false;
  }

  moveTo(i, takesFocus = true) {
    const from = this.focus;
    this.focus = i;
    this.rows.reveal(i, this.head.offsetHeight);
    this.rows.renew(from);
    this.rows.renew(i);
    if (takesFocus) this.rows.rows.get(i)?.querySelector("[data-line]")?.focus();
  }

  /** The next line from i on that can have the focus. */
  next(i, step) {
    const canFocus = ({ type, region }) =>
      type === "region" || ((type === "caller" || type === "callee") && region >= 0);
    let at = Math.max(0, Math.min(this.lines.length - 1, i));
    while (this.lines[at] && !canFocus(this.lines[at])) at += step;
    return this.lines[at] ? at : this.focus;
  }

  onRowKey(event) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight()) - 2);
    const moves = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -1e9,
      End: 1e9,
    };
    const line = this.lines[this.focus];
    if (event.key in moves) {
      const step = moves[event.key];
      this.moveTo(this.next(this.focus + step, Math.abs(step) > 1 ? (step < 0 ? 1 : -1) : step));
    } else if (line?.type === "region" && ["ArrowRight", "ArrowLeft"].includes(event.key)) {
      if (this.isOpen(line.entry.region) !== (event.key === "ArrowRight"))
        this.onToggle(line.entry.region);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  key(event) {
    if (event.key === "/") this.controls.filter.focus();
    else if (event.key === "c") {
      this.controls.picker.open = !this.controls.picker.open;
      this.controls.picker.querySelector("summary").focus();
    } else return false;
    return true;
  }

  copy(what) {
    if (what === "markdown")
      return copyText(markdownOf(this.columns, this.entries), this.app, "The table as Markdown");
    const text = csvOf(this.columns, this.entries);
    if (what === "csv") return copyText(text, this.app, "The table as CSV");
    return download(
      new Blob([text], { type: "text/csv" }),
      fileName(this.app.data.run.program, "csv"),
    );
  }
}

function widthOf(column) {
  const made = element("col");
  if (column.id !== "name") made.style.width = `${column.width}rem`; // it takes the remaining width
  return made;
}
