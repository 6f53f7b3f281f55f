// Below the picture: the selected slice, statistics of a range, and the visible slices as a table.
import { element } from "../../dom.js";
import { rangeDetails, sliceDetails, visibleTable } from "./timeline_details.js";
import { levelFor } from "./timeline_data.js";
import { sliceAt } from "./timeline_hit.js";
import { lanesBetween } from "./timeline_lanes.js";
import { rangeStatistics } from "./timeline_stats.js";

const TABLE_ROWS = 60;

export class Panel {
  constructor(view) {
    this.view = view;
    this.slice = null;
    this.element = element("section", { class: "timeline-panel", "aria-label": "What is chosen" });
    this.element.hidden = true;
    this.rows = element("div");
    this.table = element(
      "details",
      { class: "timeline-table", ontoggle: () => this.refreshTable() },
      element("summary", {}, "What is in sight as a table"),
      this.rows,
    );
  }

  get isShown() {
    return !this.element.hidden;
  }

  clear() {
    this.slice = null;
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  button(text, onclick) {
    return element("button", { type: "button", onclick }, text);
  }

  showSlice(slice) {
    this.clear();
    if (!slice) return;
    const { view } = this;
    this.slice = slice;
    this.element.hidden = false;
    this.element.append(
      ...sliceDetails(view.app, slice, [
        this.button("Zoom to it", () => view.zoomTo(slice)),
        this.button("Find all of it", () => view.finder.findRegion(slice.region)),
        this.button("Close", () => view.letGo()),
      ]),
    );
  }

  /** The slice of a link: the one at that time. */
  async restoreSlice({ lane, depth, start }) {
    const { view } = this;
    const placed = view.placedById.get(lane);
    if (!placed?.lane.slices || !(depth >= 0) || !(start >= 0)) return;
    const { range } = view.state;
    const nsPerPixel = (range.to - range.from) / Math.max(view.scroller.clientWidth, 1);
    const strip = placed.lane.slices;
    const level = levelFor(strip, view.timeline.resolutions, nsPerPixel);
    if (level >= 0) await view.timeline.complete(strip, level, range.from, range.to);
    const slice = sliceAt(view.timeline, placed, strip, depth, start, range, nsPerPixel);
    if (slice) this.showSlice(slice);
    view.layout();
  }

  async showArea() {
    const { view } = this;
    const { area, areaLanes } = view.state;
    const all = view.lanes.filter((lane) => lane.slices);
    const lanes = areaLanes ? all.filter((lane) => areaLanes.has(lane.id)) : all;
    const statistics = await rangeStatistics(view.timeline, lanes, area.from, area.to);
    if (view.state.area !== area) return;
    this.clear();
    this.element.hidden = false;
    this.element.append(
      ...rangeDetails(
        view.app,
        area,
        statistics,
        lanes.length,
        (region) => view.finder.findRegion(region),
        [
          this.button("Zoom to it", () => view.zoomTo(area)),
          this.button("Close", () => view.letGo()),
        ],
      ),
    );
    view.layout();
  }

  /** Update the longest visible slices, if the table is visible. */
  refreshTable() {
    const { view } = this;
    if (!this.table.open || !view.frame) return;
    this.rows.replaceChildren(
      visibleTable(view.app, longestInSight(view.frame), (slice) => view.choose(slice)),
    );
  }
}

function longestInSight(frame) {
  const { range, timeline } = frame;
  const nsPerPixel = (range.to - range.from) / frame.width;
  const found = [];
  let least = 0;
  for (const placed of lanesBetween(frame.shown, frame.scroll, frame.scroll + frame.height)) {
    if (!placed.lane.slices) continue;
    const got = timeline.visible(placed.lane.slices, range.from, range.to, nsPerPixel);
    for (const { items } of got.tiles) {
      for (const { depth, first, end } of items.runs) {
        for (let i = first; i < end; i++) {
          const length = items.end[i] - items.start[i];
          if (items.end[i] < range.from || items.start[i] > range.to || length < least) continue;
          found.push({
            ...{ lane: placed.lane.id, placed, depth, level: got.level, region: items.region[i] },
            ...{ start: items.start[i], end: items.end[i], count: items.count?.[i] ?? 1 },
            busy: items.busy?.[i] ?? length,
          });
          if (found.length >= 20 * TABLE_ROWS) least = keepLongest(found);
        }
      }
    }
  }
  keepLongest(found);
  return found.sort((a, b) => a.start - b.start || a.depth - b.depth);
}

/** The length of the shortest one kept. */
function keepLongest(found) {
  found.sort((a, b) => b.end - b.start - (a.end - a.start));
  if (found.length < TABLE_ROWS) return 0;
  found.length = TABLE_ROWS;
  return found[TABLE_ROWS - 1].end - found[TABLE_ROWS - 1].start;
}
