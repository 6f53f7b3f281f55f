// One region: the distribution of its time, in numbers, bars and a histogram.
import { element, nameText, tableHead } from "../../dom.js";
import { count, isolated, percent } from "../../format.js";
import { formatRoute } from "../../route.js";
import { VirtualRows } from "../../virtual.js";
import { columnsOf, histogramOf, orderOf, several } from "./ranks_data.js";
import { drawBars, drawHistogram } from "./ranks_draw.js";

/** view: see ranks.js; row: {region, values, spread}.  Returns {node, draw()}. */
export function detailOf(view, row) {
  const { region, values, spread } = row;
  const { regions } = view.app.data;
  const positions = orderOf(values, view.state.order);
  const chosen = positions.indexOf(view.state.group);
  const by = view.state.by;
  const bars = element("canvas", {
    class: "bars",
    role: "img",
    "aria-label": `A bar for each ${by}; the table below has the same numbers`,
    onclick: (event) => view.onGo(region, positions[columnAt(event, values, positions)]),
  });
  const bins = histogramOf(values, spread);
  const histogram = element("canvas", {
    class: "histogram",
    role: "img",
    "aria-label": `Histogram: ${[...bins.bins].map((n, i) => `${n} from ${view.format(bins.low + i * bins.width)}`).join(", ")}`,
  });
  const rows = barTable(view, row, positions);
  const others = ["table", "graph"].filter((id) =>
    view.app.available.some((each) => each.id === id),
  );
  const node = element(
    "section",
    { class: "detail", "aria-label": "The chosen region" },
    element(
      "h2",
      {},
      nameText(regions.name[region]),
      element("span", { class: "dim" }, " ", element("bdi", {}, regions.place[region])),
      others.map((id) =>
        element(
          "a",
          { href: formatRoute(id, { region }) },
          id === "table" ? "Table" : "Call graph",
        ),
      ),
    ),
    numbers(view, spread),
    element(
      "div",
      { class: "pictures" },
      element("figure", {}, element("figcaption", {}, `Each ${by}`), bars),
      element(
        "figure",
        {},
        element("figcaption", {}, `How many ${several(by)} have how much`),
        histogram,
      ),
    ),
    rows.node,
  );
  const draw = () => {
    drawBars(bars, { values, positions, spread, chosen, format: view.format });
    drawHistogram(histogram, bins, view.format);
    rows.draw();
  };
  return { node, draw };
}

function columnAt(event, values, positions) {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  const columns = columnsOf(values, positions, Math.floor(width / 2));
  const i = Math.floor(((event.clientX - left) / width) * columns.length);
  return columns[Math.max(0, Math.min(columns.length - 1, i))].from;
}

function numbers(view, spread) {
  const rows = [
    ["Mean", view.format(spread.mean)],
    ["Median", view.format(spread.median)],
    ["Least", `${view.format(spread.min)}, ${isolated(view.nameOf(spread.minAt))}`],
    ["Most", `${view.format(spread.max)}, ${isolated(view.nameOf(spread.maxAt))}`],
    [
      "Deviation",
      spread.mean > 0
        ? `${view.format(spread.deviation)} (${percent(spread.deviation / spread.mean)})`
        : view.format(spread.deviation),
    ],
    ["Imbalance", `${percent(spread.imbalance)}: most / mean − 1`],
    [
      "Mean, 95 %",
      Number.isFinite(spread.low)
        ? `${view.format(Math.max(0, spread.low))} to ${view.format(spread.high)}`
        : "-",
    ],
    ["Sum", `${view.format(spread.sum)} of ${count(spread.count)} ${several(view.state.by)}`],
  ];
  return element(
    "dl",
    { class: "numbers" },
    rows.map(([name, text]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, element("bdi", {}, text))),
    ),
  );
}

/** One row per group with a bar and its numbers; only visible ones exist. */
function barTable(view, row, positions) {
  const { values, spread } = row;
  const all = view.columnsOf(row.region);
  const head = [view.state.by, "", "Self", "Total", view.calls, "± mean"];
  const kinds = ["name", "bar", "number", "number", "number", "number"];
  const body = element("tbody");
  const table = element(
    "table",
    { "aria-label": `Each ${view.state.by}`, "aria-rowcount": positions.length + 1 },
    tableHead(head, kinds),
    body,
  );
  const scroller = element(
    "div",
    {
      class: "groups",
      tabindex: "0",
      role: "region",
      "aria-label": `Each ${view.state.by}, as a table`,
    },
    table,
  );
  const make = (i) => {
    const at = positions[i];
    const value = values[at];
    const bar = element("span", { class: "value", "aria-hidden": "true" });
    bar.style.width = `${spread.max > 0 ? (100 * value) / spread.max : 0}%`;
    const mean = element("span", { class: "mean", "aria-hidden": "true" });
    mean.style.left = `${spread.max > 0 ? (100 * spread.mean) / spread.max : 0}%`;
    return element(
      "tr",
      {
        class: at === view.state.group ? "is-chosen" : null,
        onclick: () => view.onGo(row.region, at),
      },
      element("th", { scope: "row", title: view.nameOf(at) }, element("bdi", {}, view.nameOf(at))),
      element("td", { class: "bar" }, bar, mean),
      element("td", { class: "number" }, view.time(all.self[at] ?? 0)),
      element("td", { class: "number" }, view.time(all.total[at] ?? 0)),
      element("td", { class: "number" }, count(all.calls[at] ?? 0)),
      element(
        "td",
        { class: "number" },
        spread.mean > 0
          ? `${value >= spread.mean ? "+" : "−"}${percent(Math.abs(value / spread.mean - 1))}`
          : "-",
      ),
    );
  };
  const rowHeight = () =>
    1.9 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const rows = new VirtualRows(scroller, body, { rowHeight, make });
  let isNew = true;
  const draw = () => {
    scroller.style.height = `${Math.min(26 * rowHeight(), (positions.length + 1.2) * rowHeight())}px`;
    if (isNew) rows.set(positions.length);
    else rows.draw();
    const chosen = positions.indexOf(view.state.group);
    if (isNew && chosen >= 0) rows.reveal(chosen, rowHeight());
    isNew = false;
  };
  return { node: scroller, draw };
}
