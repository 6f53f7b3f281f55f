// Statistics of a range of time, by region: from the finest level that is small enough.
import { firstAfter, tilesBetween } from "./timeline_data.js";

const ENTRIES_MAX = 400_000; // of one thread

/** The finest level whose tiles are few enough to be added up at once. */
export function levelForStats(strip, resolutions, from, to) {
  let found = -1;
  for (let level = 0; level < resolutions.length; level++) {
    if (!((strip.kept >>> level) & 1)) continue;
    found = level;
    const tiles = tilesBetween(strip, level, from, to);
    if (tiles.reduce((sum, tile) => sum + tile.count, 0) <= ENTRIES_MAX) break;
  }
  return found;
}

/** The slices of one depth between two times in order, as columns. */
function gather(tiles, depth, from, to) {
  const picked = [];
  for (const { items } of tiles) {
    const run = items.runs.find((each) => each.depth === depth);
    if (!run) continue;
    for (let i = firstAfter(items, run, from); i < run.end && items.start[i] <= to; i++)
      picked.push([items.start[i], items, i]);
  }
  return picked.sort((a, b) => a[0] - b[0]);
}

/** Busy time of a slice between two times. */
function overlap(items, i, from, to) {
  const length = items.end[i] - items.start[i];
  const shared = Math.min(items.end[i], to) - Math.max(items.start[i], from);
  if (!items.busy || length <= 0) return Math.max(shared, 0);
  return Math.max(shared, 0) * (items.busy[i] / length);
}

function entryOf(sums, region) {
  if (!sums.has(region)) sums.set(region, { region, count: 0, total: 0, self: 0 });
  return sums.get(region);
}

/** Add the tiles of a thread to sums (by region); true when some slices were joined. */
export function addRange(sums, tiles, from, to) {
  const depths = new Set(tiles.flatMap((tile) => tile.items.runs.map((run) => run.depth)));
  const open = new Map(); // by depth: the slices of the depth above
  let isJoined = false;
  for (const depth of [...depths].sort((a, b) => a - b)) {
    const slices = gather(tiles, depth, from, to);
    const above = open.get(depth - 1) ?? [];
    let parent = 0;
    for (const [start, items, i] of slices) {
      const entry = entryOf(sums, items.region[i]);
      const busy = overlap(items, i, from, to);
      const many = items.count ? items.count[i] : 1;
      isJoined ||= many > 1;
      entry.count += many;
      entry.self += busy;
      while (parent < above.length && above[parent][1].end[above[parent][2]] <= start) parent++;
      if (!isRecursion(above, parent, items.region[i], start)) entry.total += busy;
      const owner = above[parent];
      if (owner && owner[0] <= start) entryOf(sums, owner[1].region[owner[2]]).self -= busy;
    }
    open.set(
      depth,
      slices.map((slice, at) => linked(slice, at, above)),
    );
    open.delete(depth - 2);
  }
  return isJoined;
}

/** A slice with the enclosing open regions, so that recursion counts once. */
function linked(slice, at, above) {
  let low = 0;
  let high = above.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (above[middle][0] <= slice[0]) low = middle + 1;
    else high = middle;
  }
  const parent = above[low - 1];
  const isInside = parent && parent[1].end[parent[2]] > slice[0];
  return [slice[0], slice[1], slice[2], isInside ? parent : null];
}

function isRecursion(above, parent, region, start) {
  let at = above[parent] && above[parent][0] <= start ? above[parent] : null;
  for (; at; at = at[3]) {
    if (at[1].region[at[2]] === region) return true;
  }
  return false;
}

/** All regions of a range in the lanes: {entries, isApproximate, lanes}. */
export async function rangeStatistics(timeline, lanes, from, to) {
  const sums = new Map();
  let isApproximate = false;
  let count = 0;
  for (const lane of lanes) {
    if (!lane.slices) continue;
    const level = levelForStats(lane.slices, timeline.resolutions, from, to);
    if (level < 0) continue;
    const tiles = await timeline.complete(lane.slices, level, from, to);
    isApproximate = addRange(sums, tiles, from, to) || isApproximate;
    count++;
  }
  const entries = [...sums.values()].filter((each) => each.count > 0);
  for (const each of entries) each.self = Math.max(each.self, 0);
  entries.sort((a, b) => b.self - a.self || b.total - a.total);
  return { entries, isApproximate, lanes: count };
}
