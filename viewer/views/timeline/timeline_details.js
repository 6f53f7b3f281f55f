// Texts about slices: tooltip, selected slice, statistics of a range, and all as a table.
import { element, nameText, tableHead } from "../../dom.js";
import { count, duration, isolated, percent, shortened } from "../../format.js";
import { formatRoute } from "../../route.js";
import { timeLabel } from "./timeline_scale.js";
import { valueAt } from "./timeline_series.js";

const ROWS = 40;
const NAME_LENGTH = 250; // characters in the tooltip

function nameOf(app, region) {
  return isolated(shortened(app.data.regions.name[region], NAME_LENGTH));
}

/** One line about a hit. */
export function hoverText(app, timeline, hit) {
  const { lane } = hit.placed;
  const at = timeLabel(hit.time, 1);
  if (hit.slice) {
    const many = hit.slice.count > 1 ? `, ${count(hit.slice.count)} joined` : "";
    const name = nameOf(app, hit.slice.region);
    return `${name}: ${duration(hit.slice.end - hit.slice.start)}${many}`;
  }
  if (hit.state) {
    const many = hit.state.count > 1 ? " (most of the time)" : "";
    return `${isolated(lane.title)}: ${timeline.facts.states[hit.state.region]}${many}`;
  }
  if (hit.mark?.depth === 1) return `${count(hit.mark.region)} events were lost here`;
  if (hit.mark) {
    const many = hit.mark.count > 1 ? ` and ${count(hit.mark.count - 1)} more` : "";
    return `${nameOf(app, hit.mark.region)}${many} at ${timeLabel(hit.mark.start, 1)}`;
  }
  if (lane.kind === "series") {
    const value = valueAt(timeline.series?.[lane.series.number], timeline.facts.end, hit.time);
    return value === null
      ? lane.title
      : `${isolated(lane.title)}: ${Number(value.toPrecision(6)).toLocaleString("en-US")} at ${at}`;
  }
  return "";
}

function facts(rows) {
  return element(
    "dl",
    {},
    rows.map(([name, text]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, text)),
    ),
  );
}

export function regionLinks(app, region) {
  return ["flame", "table", "graph", "ranks", "source"]
    .map((id) => app.available.find((each) => each.id === id))
    .filter((each) => each)
    .map((each) => element("a", { href: formatRoute(each.id, { region }) }, each.title));
}

/** The selected slice. */
export function sliceDetails(app, slice, buttons) {
  const { regions } = app.data;
  const rows = [
    ["Start", timeLabel(slice.start, 1)],
    ["Duration", duration(slice.end - slice.start)],
    ["Thread", element("bdi", {}, slice.placed?.lane.title ?? slice.lane)],
    ["Depth", count(slice.depth)],
  ];
  if (slice.count > 1) {
    rows.push([
      "Joined",
      `${count(slice.count)} slices, too short to be shown; this one has most time`,
    ]);
    rows.push(["Busy", `${duration(slice.busy)} of the duration`]);
  }
  return [
    element(
      "h2",
      {},
      nameText(regions.name[slice.region]),
      " ",
      element("bdi", { class: "dim" }, regions.place[slice.region] || ""),
    ),
    facts(rows),
    element("p", { class: "timeline-acts" }, buttons, regionLinks(app, slice.region)),
  ];
}

/** Statistics of a range; onRegion(region): the user wants to see its slices. */
export function rangeDetails(app, area, statistics, laneCount, onRegion, buttons) {
  const { entries, isApproximate } = statistics;
  const length = area.to - area.from;
  const sum = entries.reduce((all, each) => all + each.self, 0);
  return [
    element("h2", {}, `${timeLabel(area.from, 1)} to ${timeLabel(area.to, 1)}`),
    element(
      "p",
      {},
      `${duration(length)} of ${laneCount === 1 ? "one thread" : `${count(laneCount)} threads`}. `,
      isApproximate
        ? "The times are approximate: some slices are joined here, and count for the region that has most of their time."
        : "Every slice is counted.",
    ),
    element("p", { class: "timeline-acts" }, buttons),
    element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Regions of the range" },
      element(
        "table",
        { class: "grid" },
        numbersHead(["Region", "Count", "Total", "Self", "Share"]),
        element(
          "tbody",
          {},
          entries.slice(0, ROWS).map((entry) => statRow(app, entry, sum, onRegion)),
        ),
      ),
    ),
    entries.length > ROWS
      ? element("p", {}, `and ${count(entries.length - ROWS)} more regions`)
      : null,
  ].filter((each) => each);
}

/** All but the first are numbers. */
function numbersHead(texts) {
  return tableHead(texts, [null, ...texts.slice(1).fill("number")]);
}

function statRow(app, entry, sum, onRegion) {
  const cells = [count(entry.count), duration(entry.total), duration(entry.self),
    percent(sum > 0 ? entry.self / sum : 0)]; // prettier-ignore
  return element(
    "tr",
    { "data-region": entry.region },
    element(
      "td",
      {},
      element(
        "button",
        { type: "button", class: "go", onclick: () => onRegion(entry.region) },
        nameText(app.data.regions.name[entry.region]),
      ),
    ),
    cells.map((text) => element("td", { class: "number" }, text)),
  );
}

/** The longest visible slices, for users who cannot see the picture. */
export function visibleTable(app, slices, onSlice) {
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Slices in sight" },
    element(
      "table",
      { class: "grid" },
      numbersHead(["Region", "Thread", "Start", "Duration", "Depth", "Joined"]),
      element(
        "tbody",
        {},
        slices.map((slice) =>
          element(
            "tr",
            {},
            element(
              "td",
              {},
              element(
                "button",
                { type: "button", class: "go", onclick: () => onSlice(slice) },
                nameText(app.data.regions.name[slice.region]),
              ),
            ),
            element("td", { class: "number" }, element("bdi", {}, slice.placed.lane.title)),
            [timeLabel(slice.start, 1), duration(slice.end - slice.start), count(slice.depth),
              slice.count > 1 ? count(slice.count) : ""].map((text) =>
              element("td", { class: "number" }, text)), // prettier-ignore
          ),
        ),
      ),
    ),
  );
}
