// Columns of other metrics, added up by region from the call paths; read lazily.
import { measuresOf, metricOf } from "../../flame/measures.js";

/** Columns as in table_columns.js, without values until loadMetrics() sets them. */
export function metricColumns(data) {
  const titles = new Map((data.json("metrics") ?? []).map((each, i) => [i, each.name]));
  const found = measuresOf(data).filter(({ position }) => position !== undefined);
  return found.flatMap((measure) => {
    const title = titles.get(measure.position).replaceAll("_", " ");
    const make = (part, words) => columnOf(measure, part, `${title}${words}`);
    return measure.adds ? [make("self", ", self"), make("total", ", total")] : [make("most", "")];
  });
}

function columnOf(measure, part, title) {
  const column = {
    id: `m${measure.position}${part}`,
    title,
    hint: measure.text,
    width: 11,
    measure,
    part,
    sums: null,
    unit: measure.format(0).endsWith("ns") ? "ns" : "count",
    format: (number) => (Number.isFinite(number) ? measure.format(number) : "-"),
    value: (entry) => (entry.isRest ? NaN : (column.sums?.[part][entry.region] ?? NaN)),
  };
  column.text = (entry) => column.format(column.value(entry));
  return column;
}

/** Compute the values of columns that have none yet. */
export async function loadMetrics(data, columns) {
  for (const column of columns.filter(({ measure, sums }) => measure && !sums)) {
    const tree = await data.tree();
    const values = await metricOf(data, "all", column.measure, tree.count);
    column.sums = regionSums(tree, values, data.regions.name.length);
  }
}

/** By region: {self, total (of outermost visits), most} of values of paths. */
export function regionSums(tree, values, regionCount) {
  const self = new Float64Array(regionCount);
  const total = new Float64Array(regionCount);
  const most = new Float64Array(regionCount).fill(-Infinity);
  const below = Float64Array.from(values);
  for (let i = tree.count - 1; i > 0; i--) below[tree.parent[i]] += below[i];
  const open = new Uint32Array(regionCount);
  const stack = [];
  for (let i = 1; i < tree.count; i++) {
    while (stack.length > 0 && i >= tree.end[stack.at(-1)]) open[tree.region[stack.pop()]]--;
    const region = tree.region[i];
    self[region] += values[i];
    most[region] = Math.max(most[region], values[i]);
    if (open[region]++ === 0) total[region] += below[i];
    stack.push(i);
  }
  return { self, total, most };
}
