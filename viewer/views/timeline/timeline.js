// What threads did over time: lanes of nested slices, from the whole run to nanoseconds.
import { element } from "../../dom.js";
import { count, duration, isolated, shortened } from "../../format.js";
import { kindOf } from "../../colours.js";
import { drawAxis } from "./timeline_axis.js";
import {
  createControls,
  createHelp,
  createLegend,
  limitsOf,
  summaryOf,
} from "./timeline_controls.js";
import { TimelineData } from "./timeline_data.js";
import { drawFrame } from "./timeline_draw.js";
import { Finder } from "./timeline_finder.js";
import { createHeaders } from "./timeline_headers.js";
import { hitAt } from "./timeline_hit.js";
import { listen } from "./timeline_input.js";
import { keyAct } from "./timeline_keys.js";
import { layoutLanes, makeLanes } from "./timeline_lanes.js";
import { loadMessages } from "./timeline_messages.js";
import { createMinimap } from "./timeline_minimap.js";
import { Paint } from "./timeline_paint.js";
import { Panel } from "./timeline_panel.js";
import { clampRange, timeLabel, zoomRange } from "./timeline_scale.js";
import { loadSeries } from "./timeline_series.js";
import { paramsOf, stateOf } from "./timeline_state.js";
import { Tip } from "./timeline_tip.js";

export const timelineView = {
  id: "timeline",
  title: "Timeline",
  key: "l",
  isAvailable: (data) => data.has("timeline"),
  create: (host, app) => new Timeline(host, app),
};

const LEAST_HEIGHT = 260;

class Timeline {
  constructor(host, app) {
    this.app = app;
    this.host = host;
    this.timeline = new TimelineData(app.data, () => this.redraw());
    this.facts = this.timeline.facts;
    this.end = this.facts.end;
    this.state = stateOf({}, this.facts);
    this.finder = new Finder(this);
    this.isOpen = false;
    this.waiting = [];
    this.build();
  }

  build() {
    this.controls = createControls({
      find: (text) => this.finder.find(text),
      step: (direction) => this.finder.step(direction),
      zoom: (factor) => this.zoom(factor),
      whole: () => this.setRange(clampRange(0, this.end, this.end), true),
      mark: () => this.markVisible(),
      fold: (isFolded) => this.foldAll(isFolded),
    }, this.app.data.run.is_sampled); // prettier-ignore
    this.minimap = createMinimap(this.timeline, {
      onRange: (range, isDone) => this.setRange(range, isDone),
      onZoom: (time, factor) =>
        this.setRange(zoomRange(this.state.range, time, factor, this.end), true),
    });
    this.axis = element("canvas", { class: "timeline-axis", "aria-hidden": "true" });
    this.canvas = element("canvas", { class: "timeline-canvas", tabindex: "0", role: "application",
      "aria-label": "Timeline" }); // prettier-ignore
    this.layer = element("div", { class: "timeline-layer" });
    this.tip = new Tip(this);
    this.window = element(
      "div",
      { class: "timeline-window" },
      this.canvas,
      this.layer,
      this.tip.element,
    );
    this.space = element("div", { class: "timeline-space" }, this.window);
    this.scroller = element("div", { class: "timeline-scroller" }, this.space);
    this.note = element("p", { class: "timeline-note dim" });
    this.legend = element("div");
    this.summary = element("p", { class: "timeline-summary dim" });
    this.panel = new Panel(this);
    this.host.append(this.controls.bar, this.note, this.minimap.canvas, this.axis, this.scroller,
      this.summary,
      this.legend, this.panel.element, this.panel.table, createHelp()); // prettier-ignore
    this.placeHeaders = createHeaders(this.layer, (id) => this.fold(id));
    this.scroller.addEventListener("scroll", () => this.redraw());
    listen({
      canvas: this.canvas,
      scroller: this.scroller,
      end: this.end,
      range: () => this.state.range,
      setRange: (range, isDone) => this.setRange(range, isDone),
      hover: (x, y) => this.tip.show(x, y),
      click: (x, y) => this.choose(hitAt(this.frame, x, y)?.slice ?? null),
      doubleClick: (x, y) => this.zoomTo(hitAt(this.frame, x, y)?.slice),
      mark: (area, isDone) => this.mark(area, isDone),
    });
  }

  async open() {
    const { data } = this.app;
    await this.timeline.open();
    const [series, messages, flat] = await Promise.all([
      data.loaded("timeline-series", loadSeries),
      data.loaded("timeline-messages", (reader) => loadMessages(reader, this.end)),
      data.has("flat") ? data.flat() : [],
    ]);
    this.timeline.series = series;
    this.messages = messages;
    this.flat = flat;
    this.lanes = makeLanes(data.run, this.timeline);
    this.laneById = new Map(this.lanes.map((lane) => [lane.id, lane]));
    const kinds = [...new Set(flat.map((entry) => kindOf(data.regions, entry.region)))];
    this.legend.replaceChildren(createLegend(this.timeline, kinds.sort()));
    this.note.textContent = limitsOf(this.timeline);
    this.note.hidden = this.note.textContent === "";
    this.isOpen = true;
  }

  async show(params) {
    if (!this.isOpen) await this.open();
    this.state = stateOf(params, this.facts);
    if (this.controls.input !== document.activeElement) this.controls.input.value = this.state.find;
    this.layout();
    this.finder.apply();
    this.panel.clear();
    if (this.state.slice) await this.panel.restoreSlice(this.state.slice);
    else if (this.state.area) await this.panel.showArea();
    await this.whenDrawn();
  }

  resize() {
    if (!this.isOpen) return;
    this.paint = null;
    this.layout();
  }

  key(event) {
    return this.isOpen && keyAct(this, event);
  }

  layout() {
    const { shown, height } = layoutLanes(this.lanes, this.state.folds);
    this.shown = shown;
    this.placedById = new Map(shown.map((placed) => [placed.lane.id, placed]));
    this.space.style.height = `${height}px`;
    const top = this.scroller.getBoundingClientRect().top + scrollY;
    const available = Math.max(LEAST_HEIGHT, innerHeight - top - (this.panel.isShown ? 180 : 76));
    this.scroller.style.height = `${Math.min(height + 2, available)}px`;
    this.redraw();
  }

  redraw() {
    if (this.isAsked || !this.isOpen) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      if (!this.host.hidden) this.draw();
    });
  }

  makePaint() {
    const style = getComputedStyle(document.documentElement);
    this.paint = new Paint(this.app.data.regions, this.app.theme.isDark, style);
    this.paint.setHighlight(this.finder.marks);
  }

  draw() {
    const begin = performance.now();
    if (!this.paint) this.makePaint();
    const width = this.scroller.clientWidth;
    const height = this.scroller.clientHeight;
    if (!width || !height) return;
    this.fitCanvas(width, height);
    this.frame = {
      context: this.canvas.getContext("2d"),
      ...{ width, height, ratio: this.ratio, range: this.state.range, shown: this.shown },
      ...{ scroll: this.scroller.scrollTop, timeline: this.timeline, paint: this.paint },
      ...{ messages: this.messages, placedById: this.placedById },
      ...{ selected: this.panel.slice, area: this.state.area },
    };
    this.drawn = drawFrame(this.frame);
    this.placeHeaders(this.shown, this.frame.scroll, height);
    drawAxis(this.axis, this.state.range, this.paint);
    this.minimap.draw(this.state.range, this.state.area, this.paint);
    performance.measure("timeline-frame", { start: begin });
    if (this.drawn.isComplete) this.finish();
  }

  fitCanvas(width, height) {
    this.ratio = devicePixelRatio || 1;
    const [w, h] = [Math.round(width * this.ratio), Math.round(height * this.ratio)];
    if (this.canvas.width === w && this.canvas.height === h) return;
    this.canvas.width = w;
    this.canvas.height = h;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = this.window.style.height = `${height}px`;
  }

  /** Everything visible is drawn. */
  finish() {
    const { range } = this.state;
    const threads = this.lanes.filter((lane) => lane.kind === "thread").length;
    const summary = summaryOf(this.timeline, this.drawn);
    this.summary.textContent = summary || "Nothing is joined at this zoom.";
    this.canvas.setAttribute(
      "aria-label",
      `Timeline of ${count(threads)} threads from ${timeLabel(range.from, 1)} to ` +
        `${timeLabel(range.to, 1)}, ${duration(range.to - range.from)}. ${summary} ` +
        "The table below has the longest slices in sight.",
    );
    this.panel.refreshTable();
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** A promise that resolves when the requested range is drawn. */
  whenDrawn() {
    const done = new Promise((resolve) => this.waiting.push(resolve));
    this.redraw();
    return done;
  }

  setRange(range, isDone) {
    this.state.range = range;
    if (isDone) this.keepLink();
    this.redraw();
  }

  keepLink() {
    this.app.replaceParams(paramsOf(this.state, this.facts));
  }

  zoom(factor) {
    const { from, to } = this.state.range;
    this.setRange(zoomRange(this.state.range, (from + to) / 2, factor, this.end), true);
  }

  zoomTo(what) {
    if (!what) return;
    const [from, to] = [what.start ?? what.from, what.end ?? what.to];
    const margin = Math.max((to - from) * 0.1, 5);
    this.state.range = clampRange(from - margin, to + margin, this.end);
    this.app.setParams(paramsOf(this.state, this.facts));
  }

  choose(slice) {
    this.state.area = null;
    this.panel.showSlice(slice);
    this.state.slice = slice && { lane: slice.lane, depth: slice.depth, start: slice.start };
    this.keepLink();
    this.layout();
    if (slice)
      this.app.announce(
        `${isolated(shortened(this.app.data.regions.name[slice.region], 200))}, ${duration(slice.end - slice.start)}`,
      );
  }

  /** A range of time, with the threads between two heights of the picture. */
  mark(area, isDone) {
    const { scroll } = this.frame;
    const inside = this.shown.filter(
      (placed) =>
        placed.lane.slices &&
        placed.top < area.bottom + scroll &&
        placed.top + placed.height > area.top + scroll,
    );
    this.state.area = { from: area.from, to: Math.max(area.to, area.from + 1) };
    this.state.areaLanes = new Set(inside.map((placed) => placed.lane.id));
    this.state.slice = null;
    if (isDone) this.app.setParams(paramsOf(this.state, this.facts));
    else this.redraw();
  }

  markVisible() {
    const { from, to } = this.state.range;
    this.state.area = { from: Math.round(from), to: Math.round(to) };
    this.state.areaLanes = null;
    this.state.slice = null;
    this.app.setParams(paramsOf(this.state, this.facts));
  }

  letGo() {
    Object.assign(this.state, { area: null, areaLanes: null, slice: null });
    this.panel.clear();
    this.keepLink();
    this.layout();
  }

  fold(id) {
    const { folds } = this.state;
    if (!folds.delete(id)) folds.add(id);
    this.keepLink();
    this.layout();
  }

  foldAll(isFolded) {
    const others = this.lanes.filter(
      (lane) => lane.kind === "thread" && Boolean(lane.startsFolded) !== isFolded,
    );
    this.state.folds = new Set(others.map((lane) => lane.id));
    this.keepLink();
    this.layout();
  }
}
