// The shares of each region, and their balance; no elements here.

export const GROUPINGS = ["thread", "process", "rank", "run"];

/** parts: the section; groups, shares: readers of the blobs (docs/page.md). */
export function loadParts(parts, groups, shares) {
  const loaded = { facts: parts, groups: {}, shares: new Map(), regions: [] };
  for (const by of GROUPINGS)
    loaded.groups[by] = { ...parts.groups[by], ...readGroup(groups, parts.count) };
  for (let left = shares.varint(); left > 0; left--) {
    const region = shares.varint();
    const count = shares.varint();
    const part = new Uint32Array(count);
    for (let i = 0, next = 0; i < count; i++) next = (part[i] = next + shares.varint()) + 1;
    const column = () => Float64Array.from({ length: count }, () => shares.varint());
    loaded.shares.set(region, {
      part,
      calls: column(),
      self: column(),
      total: column(),
      work: column(),
      work_total: column(),
    });
    loaded.regions.push(region);
  }
  return loaded;
}

function readGroup(reader, partCount) {
  const decoder = new TextDecoder();
  const names = new Array(reader.varint());
  for (let i = 0; i < names.length; i++) {
    const length = reader.varint();
    names[i] = decoder.decode(reader.bytes.subarray(reader.at, reader.at + length));
    reader.at += length;
  }
  return { names, of: Uint32Array.from({ length: partCount }, () => reader.varint()) };
}

/** "processes", "ranks". */
export function several(by) {
  return by === "process" ? "processes" : `${by}s`;
}

/** Groupings with more than one group. */
export function groupingsOf(loaded) {
  return GROUPINGS.filter((by) => loaded.groups[by].count > 1);
}

/** A value for each group, as parts_spread_new() counts them; metric: a column of its shares. */
export function valuesOf(loaded, region, by, metric) {
  const group = loaded.groups[by];
  const values = new Float64Array(group.count);
  const shares = loaded.shares.get(region);
  if (shares) {
    const column = shares[metric];
    for (let i = 0; i < column.length; i++) values[group.of[shares.part[i]]] += column[i];
  }
  // The process that started the ranks does none of their work, and must not affect it.
  return group.usual < group.count && values[group.usual] <= 0
    ? values.subarray(0, group.usual)
    : values;
}

/**
 * {count, sum, min, max, minAt, maxAt, mean, median, deviation, imbalance, low, high}: the 95 %
 * interval of the mean; NaN with fewer than two values.
 */
export function spreadOf(values, group) {
  const count = values.length;
  const spread = { count, sum: 0, min: 0, max: 0, minAt: 0, maxAt: 0, mean: 0, median: 0 };
  Object.assign(spread, { deviation: 0, imbalance: 0, low: NaN, high: NaN });
  if (count === 0) return spread;
  spread.min = spread.max = values[0];
  for (let i = 0; i < count; i++) {
    spread.sum += values[i];
    if (values[i] < spread.min) [spread.min, spread.minAt] = [values[i], i];
    if (values[i] > spread.max) [spread.max, spread.maxAt] = [values[i], i];
  }
  spread.mean = spread.sum / count;
  spread.imbalance = spread.mean > 0 ? spread.max / spread.mean - 1 : 0;
  spread.median = medianOf(values);
  if (count > 1) addInterval(spread, values, group);
  return spread;
}

function medianOf(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function addInterval(spread, values, group) {
  let squares = 0;
  for (const value of values) squares += (value - spread.mean) ** 2;
  spread.deviation = Math.sqrt(squares / (spread.count - 1));
  const student = spread.count === group.usual ? group.student : group.student_of_all;
  const reach = (student * spread.deviation) / Math.sqrt(spread.count);
  spread.low = spread.mean - reach;
  spread.high = spread.mean + reach;
}

/** Positions of groups in display order: original, or the largest first. */
export function orderOf(values, order) {
  const positions = Array.from(values, (_, i) => i);
  if (order === "value") positions.sort((a, b) => values[b] - values[a] || a - b);
  return positions;
}

/** How many values are in each of as many ranges of equal width: {bins, low, width}. */
export function histogramOf(values, spread, most = 20) {
  const count = Math.max(1, Math.min(most, Math.ceil(2 * Math.cbrt(values.length))));
  const width = (spread.max - spread.min) / count;
  const bins = new Uint32Array(width > 0 ? count : 1);
  for (const value of values) {
    bins[width > 0 ? Math.min(count - 1, Math.floor((value - spread.min) / width)) : 0]++;
  }
  return { bins, low: spread.min, width };
}

/** If several values share a pixel: the maximum and the mean of each column. */
export function columnsOf(values, positions, most) {
  const count = Math.max(1, Math.min(most, positions.length));
  const columns = [];
  for (let i = 0; i < count; i++) {
    const from = Math.floor((i * positions.length) / count);
    const to = Math.max(from + 1, Math.floor(((i + 1) * positions.length) / count));
    let [sum, max, min] = [0, -Infinity, Infinity];
    for (const at of positions.slice(from, to)) {
      sum += values[at];
      max = Math.max(max, values[at]);
      min = Math.min(min, values[at]);
    }
    columns.push({ from, to, max, min, mean: sum / (to - from) });
  }
  return columns;
}

/** Rows of the heat map: the filtered regions, sorted. */
export function heatRows(loaded, { by, metric, sort, accepts }, regions) {
  const group = loaded.groups[by];
  const rows = loaded.regions
    .filter((region) => accepts(regions.name[region], regions.place[region]))
    .map((region) => {
      const values = valuesOf(loaded, region, by, metric);
      return { region, values, spread: spreadOf(values, group) };
    });
  const key = { sum: (s) => s.sum, lost: (s) => s.max - s.mean, imbalance: (s) => s.imbalance }[
    sort
  ];
  return rows.sort((a, b) => key(b.spread) - key(a.spread) || b.spread.sum - a.spread.sum);
}
