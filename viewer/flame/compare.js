// Comparison with another run: the tree of both, and the words and colours for what is slower (+),
// faster (-), new and gone.
import { count, duration, percent } from "../format.js";
import { textOn } from "./paint.js";
import { PathTree, summed } from "./paths.js";

const SLOWER = "#d55e00";
const FASTER = "#0072b2";
const FRAMES = { new: "solid", gone: "dashed" }; // of boxes, by signOf()
const ALIKE = 0.01; // a smaller change is shown as none

/** The measures for the width of boxes. */
export function comparedMeasures(word) {
  const mean = (was, is) => (was + is) / 2;
  const time = { quantity: "time", format: duration, adds: true };
  return [
    { ...time, id: "both", title: "Time, mean of both", of: mean },
    { ...time, id: "before", title: "Time before", of: (was) => was },
    { ...time, id: "after", title: "Time after", of: (was, is) => is },
    {
      id: `${word}-of-both`,
      title: `${word}, mean of both`,
      quantity: "calls",
      format: count,
      adds: true,
      of: mean,
    },
  ];
}

/** The paths of the blob "compare-tree" (docs/page.md), with both sides of each. */
export function loadCompared(reader) {
  const pathCount = reader.varint() + 1;
  const tree = {
    count: pathCount,
    parent: new Int32Array(pathCount),
    depth: new Uint16Array(pathCount),
    end: new Uint32Array(pathCount),
    region: new Uint32Array(pathCount),
  };
  const { parent, depth, end, region } = tree;
  parent[0] = -1;
  for (let i = 1, last = 0; i < pathCount; i++) {
    for (let up = reader.varint(); up > 0; up--) last = parent[last];
    parent[i] = last;
    depth[i] = Math.min(depth[last] + 1, 65535);
    last = i;
  }
  for (let i = pathCount - 1; i >= 0; i--) {
    if (end[i] === 0) end[i] = i + 1;
    if (i > 0 && end[parent[i]] < end[i]) end[parent[i]] = end[i];
  }
  for (let i = 1; i < pathCount; i++) region[i] = reader.varint();
  const column = (scale) => {
    const values = new Float64Array(pathCount);
    for (let i = 1; i < pathCount; i++) values[i] = reader.varint() / scale;
    return values;
  };
  tree.sides = [0, 1].map(() => ({ calls: column(1000), self: column(1), total: column(1) }));
  return tree;
}

/**
 * The tree to draw: region numbers of the run, and pair: {ownWas, ownIs, was, is} of a quantity.
 */
export function comparedTree(columns, measure, regionCount) {
  const [before, after] = columns.sides;
  const calls = measure.quantity === "calls";
  const { parent, count: pathCount } = columns;
  const pair = {
    ownWas: calls ? before.calls : before.self,
    ownIs: calls ? after.calls : after.self,
    was: calls ? summed(parent, before.calls, pathCount) : totals(columns, before),
    is: calls ? summed(parent, after.calls, pathCount) : totals(columns, after),
  };
  const tree = new PathTree(
    { ...columns, calls: after.calls, self: after.self, total: totals(columns, after) },
    regionCount,
  );
  const own = Float64Array.from(pair.ownWas, (was, i) => measure.of(was, pair.ownIs[i]));
  const measured = tree.measuredBy(own);
  measured.pair = pair;
  return measured;
}

/** Totals as in the report; the root's is the sum of the outermost. */
function totals(columns, side) {
  const total = side.total.slice();
  for (let i = 1; i < columns.count; i++) if (columns.parent[i] === 0) total[0] += total[i];
  return total;
}

/** -1 (gone) to 1 (new), from the values before and after. */
export function changeOf(was, is) {
  const larger = Math.max(was, is);
  return larger > 0 ? (is - was) / larger : 0;
}

/** "+", "-", "=", "new" or "gone". */
export function signOf(was, is) {
  const change = changeOf(was, is);
  if (was === 0 && is > 0) return "new";
  if (is === 0 && was > 0) return "gone";
  return Math.abs(change) < ALIKE ? "=" : change > 0 ? "+" : "-";
}

/** "+12.0 %" of the value before. */
export function changeText(was, is) {
  const sign = signOf(was, is);
  if (sign === "new" || sign === "gone") return sign;
  if (was === 0) return "";
  const part = is / was - 1;
  return `${part > 0 ? "+" : ""}${percent(part)}`;
}

/** A painter as those of paint.js. */
export function comparedPainter(tree, isDark) {
  const known = new Map();
  const grey = isDark ? [74, 80, 88] : [222, 226, 231];
  const fillOf = (step) => {
    const strong = hexParts(step > 0 ? SLOWER : FASTER);
    const part = 0.25 + 0.75 * Math.min(1, Math.abs(step) / 8);
    return step === 0
      ? `rgb(${grey})`
      : `rgb(${grey.map((from, i) => Math.round(from + (strong[i] - from) * part))})`;
  };
  const paint = (step) => {
    if (!known.has(step)) known.set(step, { fill: fillOf(step), text: textOn(fillOf(step)) });
    return known.get(step);
  };
  const stepOf = (path) => {
    const change = changeOf(tree.pair.was[path], tree.pair.is[path]);
    return Math.abs(change) < ALIKE
      ? 0
      : Math.sign(change) * Math.max(1, Math.min(8, Math.ceil(Math.abs(change) * 16)));
  };
  return {
    fill: (path) => paint(stepOf(path)),
    sign: (path) => `${signOf(tree.pair.was[path], tree.pair.is[path])} `,
    frame: (path) => FRAMES[signOf(tree.pair.was[path], tree.pair.is[path])],
    legend: [
      { colour: paint(8).fill, text: "+ takes longer than before" },
      { colour: paint(-8).fill, text: "- takes less" },
      { colour: paint(0).fill, text: "= the same within 1 %" },
      { colour: paint(8).fill, text: "new (framed)", frame: "solid" },
      { colour: paint(-8).fill, text: "gone (framed with dashes)", frame: "dashed" },
    ],
  };
}

function hexParts(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** Columns of the lists: [title, text(path)]. */
export function comparedColumns(model) {
  const { pair } = model.tree;
  const { format } = model.measure;
  return [
    ["Before", (path) => format(pair.was[path])],
    ["After", (path) => format(pair.is[path])],
    ["Difference", (path) => signedText(format, pair.is[path] - pair.was[path])],
    ["Change", (path) => changeText(pair.was[path], pair.is[path])],
  ];
}

function signedText(format, value) {
  return `${value > 0 ? "+" : ""}${format(value)}`;
}

/** Lines of the tooltip: [name, text]. */
export function comparedFacts(model, path) {
  const { pair } = model.tree;
  const { format, quantity } = model.measure;
  const lines = comparedColumns(model).map(([title, text]) => [title.toLowerCase(), text(path)]);
  if (pair.ownWas && path > 0) {
    lines.push(
      ["self, before", format(pair.ownWas[path])],
      ["self, after", format(pair.ownIs[path])],
    );
  }
  if (path > 0 && quantity === "time" && model.sides && model.tree === model.base) {
    lines.push(
      ["calls, before", count(model.sides[0].calls[path])],
      ["calls, after", count(model.sides[1].calls[path])],
    );
  }
  if (path > 0)
    lines.push(["the region's self time", verdictText(model.comparison, model.tree.region[path])]);
  return lines;
}

function verdictText({ regions }, region) {
  const chance = regions.chance[region];
  return chance >= 0
    ? `${regions.verdict[region]} (p = ${chance.toPrecision(2)})`
    : regions.verdict[region];
}
