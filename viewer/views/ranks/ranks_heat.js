// Regions by ranks: one row per region, with a strip of all ranks and the numbers of the row.
import { element, nameText } from "../../dom.js";
import { count, isolated, percent } from "../../format.js";
import { kindDot } from "../table/table_line.js";
import { drawStrip } from "./ranks_draw.js";
import { columnsOf, orderOf } from "./ranks_data.js";

/** The rows of the selected grouping; view: see ranks.js.  Returns {node, draw()}. */
export function heatTable(view, rows, total) {
  const strips = [];
  const head = [
    ["Region", "name"],
    [`Each ${view.state.by}`, "strip"],
    ["Mean", "number"],
    ["Most", "number"],
    ["Imbalance", "number"],
  ].map(([text, kind]) => element("th", { scope: "col", class: kind }, text));
  const body = rows.map((row) => heatRow(view, row, strips));
  const more = total - rows.length;
  const node = element(
    "div",
    {},
    element(
      "table",
      {
        class: "heat",
        "aria-label": `The largest regions, and how each ${view.state.by} shares in them`,
      },
      element("thead", {}, element("tr", {}, head)),
      element("tbody", { onkeydown: (event) => onKey(event) }, body),
    ),
    more > 0
      ? element(
          "button",
          { type: "button", class: "more", onclick: () => view.onMore() },
          `Show more of ${count(more)} others`,
        )
      : null,
  );
  const most = Math.max(0, ...rows.map(({ spread }) => spread.max));
  return {
    node,
    draw: () => strips.forEach(({ canvas, row }) => drawRow(view, canvas, row, most)),
  };
}

function drawRow(view, canvas, { values, spread }, most) {
  const positions = orderOf(values, "place");
  const { isDark } = view.app.theme;
  drawStrip(canvas, {
    values,
    positions,
    isDark,
    chosen: view.state.group,
    most: view.state.scale === "all" ? most : spread.max,
  });
}

function heatRow(view, row, strips) {
  const { regions } = view.app.data;
  const { region, values, spread } = row;
  const name = regions.name[region];
  const isChosen = region === view.state.region;
  const canvas = element("canvas", {
    role: "img",
    "aria-label": `${isolated(name)}: least ${view.format(spread.min)}, mean ${view.format(spread.mean)}, most ${view.format(spread.max)} in ${isolated(view.nameOf(spread.maxAt))}`,
    onclick: (event) => view.onGo(region, groupAt(event, values)),
    onmousemove: (event) => {
      const at = groupAt(event, values);
      canvas.title = `${isolated(view.nameOf(at))}: ${view.format(values[at])}`;
    },
  });
  strips.push({ canvas, row });
  return element(
    "tr",
    { class: isChosen ? "is-chosen" : null, "data-region": region },
    element(
      "th",
      { scope: "row" },
      element(
        "button",
        {
          type: "button",
          title: name,
          "aria-pressed": String(isChosen),
          onclick: () => view.onGo(region),
        },
        kindDot(regions, region),
        nameText(name),
      ),
    ),
    element("td", { class: "strip" }, canvas),
    element("td", { class: "number" }, view.format(spread.mean)),
    element("td", { class: "number" }, view.format(spread.max)),
    element("td", { class: "number" }, percent(spread.imbalance)),
  );
}

/** The group under the mouse: of several in a pixel, the largest. */
export function groupAt(event, values, positions = orderOf(values, "place")) {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  const columns = columnsOf(values, positions, Math.floor(width));
  const i = Math.floor(((event.clientX - left) / width) * columns.length);
  const { from, to, max } = columns[Math.max(0, Math.min(columns.length - 1, i))];
  return positions.slice(from, to).find((at) => values[at] === max);
}

function onKey(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = event.target.closest("tr");
  if (!step || !row) return;
  const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  next?.querySelector("button").focus();
  event.preventDefault();
  event.stopPropagation();
}
