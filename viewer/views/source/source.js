// The lines of a file with their measurements.
import { element } from "../../dom.js";
import { formatRoute } from "../../route.js";
import {
  foundRows,
  hottestLines,
  measuredLines,
  placeOf,
  rowOfLine,
  sourceRows,
  stateNote,
} from "../../source_model.js";
import { VirtualRows } from "../../virtual.js";
import { createFileList } from "./source_files.js";
import { headRow, lineRow } from "./source_rows.js";

const STEPS = 50; // number of hottest lines to step through

export const sourceView = {
  id: "source",
  title: "Source",
  key: "s",
  isAvailable: (data) => data.has("sources"),
  create,
};

function create(host, app) {
  return new SourceView(host, app);
}

class SourceView {
  constructor(host, app) {
    this.app = app;
    this.sources = app.data.json("sources");
    this.number = -1; // of the displayed file
    this.rows = [];
    this.build(host);
  }

  build(host) {
    this.list = createFileList(this.app, this.sources);
    this.title = element("h2", { class: "source-title" });
    this.note = element("p", { class: "dim source-note" });
    this.find = element("input", {
      type: "search",
      "aria-label": "Find in this file",
      placeholder: "Find in this file  ( / )",
      oninput: () => this.search(),
      onkeydown: (event) => this.onFindKey(event),
    });
    this.found = element("span", { class: "dim", role: "status" });
    this.head = element("thead");
    this.body = element("tbody");
    this.table = element("table", { class: "source-lines" }, this.head, this.body);
    this.scroller = element(
      "div",
      { class: "source-scroll", tabindex: "0", role: "region", "aria-label": "Lines" },
      this.table,
    );
    this.lines = new VirtualRows(this.scroller, this.body, {
      rowHeight: () => this.rowHeight(),
      make: (i) => this.makeRow(i),
    });
    const step = (text, title, by) =>
      element("button", { type: "button", title, onclick: () => this.stepHot(by) }, text);
    this.controls = element(
      "div",
      { class: "controls" },
      step("Hottest line", "The line with the most time of its own (key .)", 0),
      step("◀ hotter", "The next hotter line (key ,)", -1),
      step("cooler ▶", "The next cooler line (key ;)", 1),
      this.find,
      this.found,
    );
    host.append(
      element(
        "div",
        { class: "source-split" },
        this.list.host,
        element(
          "div",
          { class: "source-main" },
          this.title,
          this.note,
          this.controls,
          this.scroller,
        ),
      ),
    );
  }

  rowHeight() {
    if (!this.height) {
      this.height = parseFloat(getComputedStyle(this.table).getPropertyValue("--row")) || 1.5;
      this.height *= parseFloat(getComputedStyle(document.documentElement).fontSize);
    }
    return this.height;
  }

  async show(params) {
    const place = placeOf(params, this.sources.files, this.app.data.regions);
    this.params = params;
    this.hot = undefined;
    if (place.file !== this.number || !this.isShown) await this.open(place.file);
    this.mark(place.line);
    this.list.mark(place.file);
  }

  async open(number) {
    const file = this.sources.files[number];
    this.number = number;
    this.isShown = true;
    this.controls.hidden = this.scroller.hidden = !file;
    if (!file) {
      const region = Number(this.params.region);
      const name = this.app.data.regions.name[region] ?? "the requested region";
      this.title.replaceChildren(element("bdi", {}, name));
      this.note.textContent = "The recording does not contain the location of its source.";
      return;
    }
    const flat = new Map((await this.app.data.flat()).map((entry) => [entry.region, entry]));
    const text = file.blob === undefined ? null : await this.text(file.blob);
    if (this.number !== number) return; // another one was requested meanwhile
    this.measured = measuredLines(file, flat);
    this.rows = sourceRows(file, text, this.measured);
    this.hottest = hottestLines(this.measured, STEPS);
    this.most = Math.max(1, ...[...this.measured.values()].map((each) => each.self));
    this.whole =
      file.lines.length > 0
        ? this.sources.total
        : [...flat.values()].reduce((sum, each) => sum + each.self, 0);
    this.describe(file);
    this.lines.set(this.rows.length);
    this.scroller.scrollTop = 0;
    this.search();
  }

  async text(number) {
    const reader = await this.app.data.blob(`source-${number}`);
    return new TextDecoder().decode(reader.bytes);
  }

  describe(file) {
    this.title.replaceChildren(element("bdi", { title: file.name }, file.name));
    this.note.textContent = stateNote(file);
    this.isSampled = file.lines.length > 0;
    this.head.replaceChildren(headRow(this.isSampled, this.app.data.run.is_sampled));
    const longest = this.rows.reduce((most, row) => Math.max(most, row.text?.length ?? 0), 0);
    this.table.style.minWidth = `calc(${Math.min(longest, 4100)}ch + 26rem)`;
    this.table.setAttribute("aria-rowcount", this.rows.length + 1);
  }

  makeRow(i) {
    const row = this.rows[i];
    return lineRow(row, {
      app: this.app,
      measured: this.measured.get(row.line),
      most: this.most,
      whole: this.whole,
      count: this.isSampled ? this.sources.effective_count : 0,
      isMarked: row.line !== undefined && row.line === this.marked,
      isFound: this.hits?.has(i),
      link: row.line ? formatRoute("source", { file: this.number, line: row.line }) : null,
    });
  }

  /** Show a line in the middle, marked; 0 = scroll to the hottest one. */
  mark(line) {
    this.marked = line || undefined;
    this.lines.set(this.rows.length);
    const shown = line || this.hottest?.[0];
    if (shown) this.center(rowOfLine(this.rows, shown));
  }

  center(i) {
    if (i < 0) return;
    const height = this.rowHeight();
    this.scroller.scrollTop = Math.max(0, (i + 1) * height - this.scroller.clientHeight / 2);
    this.lines.draw();
  }

  goTo(line) {
    this.app.navigate("source", { file: this.number, line });
  }

  /** by 0: the hottest; else relative to the marked one. */
  stepHot(by) {
    if (!this.hottest?.length) return;
    const at = this.hottest.indexOf(this.marked);
    const next = by === 0 || at < 0 ? 0 : Math.max(0, Math.min(this.hottest.length - 1, at + by));
    this.goTo(this.hottest[next]);
    this.app.announce(`Line ${this.hottest[next]}`);
  }

  search() {
    const rows = foundRows(this.rows, this.find.value);
    this.hits = new Set(rows);
    this.found.textContent = this.find.value ? `${rows.length} lines` : "";
    this.lines.set(this.rows.length);
    if (rows.length > 0) this.center(rows[0]);
    this.at = 0;
  }

  /** Enter steps through the matches, Escape ends the search. */
  onFindKey(event) {
    if (event.key === "Escape") {
      this.find.value = "";
      this.search();
      this.scroller.focus();
    } else if (event.key === "Enter" && this.hits.size > 0) {
      const rows = [...this.hits];
      this.at = (this.at + (event.shiftKey ? rows.length - 1 : 1)) % rows.length;
      this.center(rows[this.at]);
    }
  }

  key(event) {
    const steps = { ".": 0, ",": -1, ";": 1 };
    if (event.key in steps) this.stepHot(steps[event.key]);
    else if (event.key === "/") this.find.focus();
    else return false;
    return true;
  }

  resize() {
    this.height = 0;
    this.lines.set(this.rows.length);
  }
}
