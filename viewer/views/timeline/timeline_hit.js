// The slice at a position, and its neighbours.
import { firstAfter } from "./timeline_data.js";
import { lanesBetween } from "./timeline_lanes.js";

const NEAR_PIXELS = 3;

function sliceOf(placed, depth, items, index, level) {
  return {
    lane: placed.lane.id,
    placed,
    depth,
    level,
    start: items.start[index],
    end: items.end[index],
    region: items.region[index],
    count: items.count ? items.count[index] : 1,
    busy: items.busy ? items.busy[index] : items.end[index] - items.start[index],
  };
}

/** The slice of a depth that is open at a time or begins or ends within near of it; or null. */
export function sliceAt(timeline, placed, strip, depth, time, range, nsPerPixel) {
  const near = NEAR_PIXELS * nsPerPixel;
  const got = timeline.visible(strip, range.from, range.to, nsPerPixel);
  let best = null;
  let least = Infinity;
  for (const { items } of got.tiles) {
    const run = items.runs.find((each) => each.depth === depth);
    if (!run) continue;
    for (let i = firstAfter(items, run, time - near); i < run.end; i++) {
      if (items.start[i] > time + near) break;
      const away = Math.max(items.start[i] - time, time - items.end[i], 0);
      if (away >= least) continue;
      least = away;
      best = sliceOf(placed, depth, items, i, got.level);
    }
  }
  return best;
}

/** The item at a position of the canvas: {placed, part, slice, state, time}; or null. */
export function hitAt(frame, x, y) {
  const height = y + frame.scroll;
  const [placed] = lanesBetween(frame.shown, height, height + 1);
  if (!placed) return null;
  const { lane } = placed;
  const { range, timeline } = frame;
  const nsPerPixel = (range.to - range.from) / frame.width;
  const time = range.from + x * nsPerPixel;
  const hit = { placed, time, slice: null, state: null, mark: null };
  if (lane.kind !== "thread") return hit;
  const inside = height - placed.top;
  if (lane.slices && placed.rowCount && inside >= placed.rows) {
    const depth = Math.floor((inside - placed.rows) / placed.rowHeight);
    if (depth < placed.rowCount)
      hit.slice = sliceAt(timeline, placed, lane.slices, depth, time, range, nsPerPixel);
  } else if (placed.marks >= 0 && inside >= placed.marks) {
    hit.mark =
      sliceAt(timeline, placed, lane.marks, 1, time, range, nsPerPixel) ??
      sliceAt(timeline, placed, lane.marks, 0, time, range, nsPerPixel);
  } else if (placed.states >= 0 && inside >= placed.states) {
    hit.state = sliceAt(timeline, placed, lane.states, 0, time, range, nsPerPixel);
  }
  return hit;
}

/** The neighbour of a slice in the same lane: "previous", "next", "parent" or "child"; or null. */
export function neighbour(frame, slice, where) {
  const { range, timeline } = frame;
  const placed = frame.placedById.get(slice.lane);
  if (!placed?.lane.slices) return null;
  const nsPerPixel = (range.to - range.from) / frame.width;
  const depth = slice.depth + ({ parent: -1, child: 1 }[where] ?? 0);
  const got = timeline.visible(placed.lane.slices, range.from, range.to, nsPerPixel);
  let best = null;
  for (const { items } of got.tiles) {
    const run = items.runs.find((each) => each.depth === depth);
    if (!run) continue;
    const i = candidate(items, run, slice, where);
    if (i < run.first || i >= run.end) continue;
    const isBetter =
      !best || (where === "previous" ? items.start[i] > best.start : items.start[i] < best.start);
    if (isBetter) best = sliceOf(placed, depth, items, i, got.level);
  }
  return best;
}

function candidate(items, run, slice, where) {
  if (where === "parent") {
    const i = firstAfter(items, run, slice.start);
    return i < run.end && items.start[i] <= slice.start ? i : -1;
  }
  if (where === "child") {
    const i = firstAfter(items, run, slice.start);
    return i < run.end && items.start[i] < slice.end ? i : -1;
  }
  if (where === "next") {
    let i = firstAfter(items, run, slice.end);
    while (i < run.end && items.start[i] < Math.max(slice.end, slice.start + 1)) i++;
    return i;
  }
  let i = firstAfter(items, run, slice.start);
  while (i >= run.first && (i >= run.end || items.start[i] >= slice.start)) i--;
  return i;
}
