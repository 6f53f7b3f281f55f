// The tooltip with the numbers of the box below the pointer.
import { element, nameText } from "../dom.js";
import { pathCalls, percent } from "../format.js";
import { comparedFacts } from "./compare.js";
import { callsWord } from "./measures.js";
import { shortened } from "../format.js";

/** [name, value] lines about a path. */
export function factsOf(model, path) {
  const { tree, measure, data } = model;
  if (model.isCompared) return comparedFacts(model, path);
  const time = model.time;
  const isTime = measure.id === "time" || !measure.adds;
  const lines = [];
  if (!isTime && measure.id !== "calls") {
    lines.push([`${measure.title}, self`, measure.format(tree.own[path])]);
    lines.push([`${measure.title}, total`, measure.format(tree.value[path])]);
  }
  if (!measure.adds && path > 0 && tree.level)
    lines.push([measure.title, measure.format(tree.level[path])]);
  if (model.isInverted && path > 0)
    lines.push(["through these callers", measure.format(tree.value[path])]);
  lines.push(["self", time.format(tree.self[path])]);
  if (!model.isInverted) lines.push(["total", time.format(tree.total[path])]);
  if (path > 0) {
    lines.push([callsWord(data), pathCalls(data.run, tree.calls[path])]);
    lines.push(["of what is above", percent(tree.value[path] / tree.value[tree.parent[path]])]);
  }
  lines.push(["of all", percent(tree.value[path] / model.whole)]);
  if (path > 0 && !data.run.is_sampled && tree.calls[path] > 0 && !model.isInverted) {
    lines.push(["a call, in the mean", time.format(tree.total[path] / tree.calls[path])]);
  }
  return lines;
}

export class Tip {
  constructor() {
    this.box = element("div", { class: "flame-tip", "aria-hidden": "true" });
    this.box.hidden = true;
    this.path = null;
  }

  hide() {
    this.box.hidden = true;
    this.path = null;
  }

  /** path < -1: the small ones below path -2 - it. */
  show(model, path, place) {
    if (this.path !== path) {
      this.path = path;
      this.box.replaceChildren(...(path >= 0 ? content(model, path) : smallOnes(model, -1 - path)));
    }
    this.box.hidden = false;
    this.move(place);
  }

  /** Next to the pointer, inside the window. */
  move({ x, y }) {
    const { offsetWidth, offsetHeight } = this.box;
    const left = x + 14 + offsetWidth > innerWidth ? x - 14 - offsetWidth : x + 14;
    const top = y + 18 + offsetHeight > innerHeight ? y - 12 - offsetHeight : y + 18;
    this.box.style.left = `${Math.max(4, Math.min(left, innerWidth - offsetWidth - 4))}px`;
    this.box.style.top = `${Math.max(4, top)}px`;
  }
}

function content(model, path) {
  const place = path > 0 ? model.regions.place[model.tree.region[path]] : "";
  return [
    nameText(shortened(model.name(path), 300), null),
    place ? element("div", { class: "dim" }, element("bdi", {}, shortened(place, 200))) : null,
    element(
      "dl",
      {},
      ...factsOf(model, path).flatMap(([name, value]) => [
        element("dt", {}, name),
        element("dd", {}, value),
      ]),
    ),
  ].filter(Boolean);
}

function smallOnes(model, parent) {
  return [
    element("div", {}, "smaller ones called by "),
    nameText(shortened(model.name(parent), 200), null),
  ];
}
