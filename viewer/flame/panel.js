// The text next to the drawing: the position (breadcrumbs), the call stack of the zoomed region,
// and its callees.
import { element, nameText } from "../dom.js";
import { count, pathCalls, percent } from "../format.js";
import { shortened } from "../format.js";
import { comparedColumns } from "./compare.js";
import { callsWord } from "./measures.js";
import { childrenBySize, pathsTo } from "./paths.js";

const STEP = 50; // children added by each press of "more"
const ENDS = 12; // entries shown at the start and the end of a long stack

export class FlamePanel {
  /** onZoom(path). */
  constructor(onZoom) {
    this.onZoom = onZoom;
    this.crumbs = element("ol");
    this.path = element(
      "nav",
      { class: "flame-crumbs", "aria-label": "Path to the zoomed region" },
      this.crumbs,
    );
    this.stack = new PathList("Call stack");
    this.children = new PathList("Calls");
    this.host = element("div", { class: "flame-panel" }, this.stack.host, this.children.host);
  }

  show(model) {
    const stack = pathsTo(model.tree, model.zoom);
    this.showCrumbs(model, stack);
    this.stack.title.textContent = model.isInverted
      ? "Called by, from the region outwards"
      : "Call stack";
    this.children.title.textContent =
      model.isInverted && model.zoom > 0
        ? "Its callers"
        : model.zoom > 0
          ? "What it calls"
          : "Outermost";
    if (model.isInverted && model.zoom === 0) this.children.title.textContent = "Regions";
    this.stack.show(
      model,
      cut(stack, () => this.showAll(model, stack)),
      this.onZoom,
      (path) => path === model.zoom,
    );
    this.showChildren(model, STEP);
  }

  showAll(model, stack) {
    this.stack.show(model, { paths: stack }, this.onZoom, (path) => path === model.zoom);
  }

  showChildren(model, most) {
    const key = (path) => model.shown(path);
    const children = childrenBySize(model.tree, model.zoom, key);
    const left = children.length - most;
    const more =
      left > 0
        ? {
            at: most,
            text: `${count(Math.min(left, STEP))} more of ${count(left)}`,
            act: () => this.showChildren(model, most + STEP),
          }
        : null;
    this.children.show(model, { paths: children.slice(0, most), more }, this.onZoom, () => false);
  }

  showCrumbs(model, stack) {
    const shown = stack.length > 8 ? [...stack.slice(0, 2), null, ...stack.slice(-5)] : stack;
    this.crumbs.replaceChildren(
      ...shown.map((path) => {
        if (path === null)
          return element("li", { class: "dim", "aria-label": "more between" }, "…");
        const text = nameText(shortened(model.name(path), 48), model.name(path).slice(0, 1000));
        if (path === model.zoom)
          return element("li", {}, element("span", { "aria-current": "location" }, text));
        return element(
          "li",
          {},
          element("button", { type: "button", onclick: () => this.onZoom(path) }, text),
        );
      }),
    );
  }
}

/** A long stack without its middle. */
function cut(stack, showAll) {
  if (stack.length <= 2 * ENDS + 4) return { paths: stack };
  const paths = [...stack.slice(0, ENDS), ...stack.slice(-ENDS)];
  return {
    paths,
    more: { at: ENDS, text: `${count(stack.length - 2 * ENDS)} between`, act: showAll },
  };
}

class PathList {
  constructor(title) {
    this.title = element("h2", {}, title);
    this.head = element("tr");
    this.body = element("tbody");
    this.none = element("p", { class: "dim" }, "nothing");
    this.table = element("table", { class: "grid" }, element("thead", {}, this.head), this.body);
    this.host = element(
      "section",
      {},
      this.title,
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
        this.table,
      ),
      this.none,
    );
  }

  /** {paths, more}: a button before the path with number more.at. */
  show(model, { paths, more }, onZoom, isCurrent) {
    const columns = columnsOf(model);
    this.head.replaceChildren(
      element("th", { scope: "col" }, "Region"),
      ...columns.map(([title]) => element("th", { scope: "col", class: "number" }, title)),
    );
    const rows = paths.map((path) => this.row(model, path, columns, onZoom, isCurrent(path)));
    if (more) rows.splice(more.at, 0, moreRow(more, columns.length + 1));
    this.body.replaceChildren(...rows);
    this.table.hidden = paths.length === 0;
    this.none.hidden = paths.length > 0;
  }

  row(model, path, columns, onZoom, isCurrent) {
    const name = nameText(
      shortened(model.name(path), 120),
      path > 0 ? model.regions.place[model.tree.region[path]] : "",
    );
    const cell = isCurrent
      ? element("strong", {}, name)
      : element("button", { type: "button", class: "plain", onclick: () => onZoom(path) }, name);
    return element(
      "tr",
      { class: isCurrent ? "is-current" : null, "data-path": path },
      element("td", {}, cell),
      ...columns.map(([, text]) => element("td", { class: "number" }, text(path))),
    );
  }
}

function moreRow({ text, act }, span) {
  return element(
    "tr",
    {},
    element(
      "td",
      { colspan: span },
      element("button", { type: "button", class: "more", onclick: act }, text),
    ),
  );
}

/** [title, text(path)]. */
function columnsOf(model) {
  const { tree, measure, data } = model;
  if (model.isCompared)
    return [
      ...comparedColumns(model),
      ["Share", (path) => percent(model.shown(path) / model.whole)],
    ];
  const format = measure.adds ? measure.format : model.time.format;
  const columns = [];
  if (!measure.adds && tree.level)
    columns.push([measure.title, (path) => (path > 0 ? measure.format(tree.level[path]) : "")]);
  if (!model.isInverted && measure.adds) columns.push(["Self", (path) => format(tree.own[path])]);
  columns.push([model.isInverted ? "Value" : "Total", (path) => format(tree.value[path])]);
  if (measure.id !== "calls") {
    const word = callsWord(data);
    columns.push([
      word[0].toUpperCase() + word.slice(1),
      (path) => (path > 0 ? pathCalls(data.run, tree.calls[path]) : ""),
    ]);
  }
  columns.push(["Share", (path) => percent(model.shown(path) / model.whole)]);
  return columns;
}
