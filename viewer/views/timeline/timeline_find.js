// The slices of a region: the regions that match a text, and the next slice.
import { matcher } from "../../matcher.js";
import { firstAfter } from "./timeline_data.js";

const FIRST_STEP = 64; // part of the run that is searched first

/** {marks: Uint8Array by region, count of regions, calls, problem}; null for an empty text. */
export function findRegions(regions, flat, text, only = null) {
  const marks = new Uint8Array(regions.name.length);
  let found = 0;
  if (only !== null) {
    if (only >= marks.length) return null;
    marks[only] = found = 1;
  } else {
    if (!text) return null;
    const { accepts, problem } = matcher(text);
    if (problem) return { marks, count: 0, calls: 0, problem };
    for (let i = 0; i < marks.length; i++) {
      marks[i] = accepts(regions.name[i]) ? 1 : 0;
      found += marks[i];
    }
  }
  const calls = flat.reduce((sum, entry) => sum + (marks[entry.region] ? entry.calls : 0), 0);
  return { marks, count: found, calls, problem: "" };
}

function finest(strip) {
  return strip.kept ? 31 - Math.clz32(strip.kept & -strip.kept) : -1;
}

/** The first one after (direction 1) or the last before (-1) a time in the given tiles. */
function nearestIn(tiles, marks, time, direction) {
  let best = null;
  for (const { items } of tiles) {
    for (const run of items.runs) {
      const from = direction > 0 ? firstAfter(items, run, time) : run.first;
      for (let i = from; i < run.end; i++) {
        if (!marks[items.region[i]]) continue;
        const start = items.start[i];
        if (direction > 0 ? start <= time : start >= time) continue;
        if (best && (direction > 0 ? start >= best.start : start <= best.start)) {
          if (direction > 0) break;
          continue;
        }
        best = { start, end: items.end[i], depth: run.depth, region: items.region[i] };
        if (direction > 0) break;
      }
    }
  }
  return best;
}

/** The next slice of marked regions in any of the lanes, searched step by step; or null. */
export async function nextSlice(timeline, lanes, marks, time, direction) {
  const { from: least, to: most } = timeline.facts;
  let length = Math.max((most - least) / FIRST_STEP, 1);
  for (let at = time; direction > 0 ? at <= most : at >= least; length *= 4) {
    const [from, to] = direction > 0 ? [at, at + length] : [at - length, at];
    let best = null;
    for (const lane of lanes) {
      const level = lane.slices ? finest(lane.slices) : -1;
      if (level < 0) continue;
      const tiles = await timeline.complete(lane.slices, level, from, to);
      const found = nearestIn(tiles, marks, time, direction);
      const isNearer = found && (!best || (found.start - best.start) * direction < 0);
      if (isNearer && found.start >= from && found.start <= to) best = { ...found, lane };
    }
    if (best) return best;
    at += direction * length;
  }
  return null;
}
