// Processes, threads and series as lanes: order, height and position.
import { isolated } from "../../format.js";
import { KINDS } from "./timeline_data.js";

export const SIZES = { header: 24, row: 20, folded: 4, stripe: 7, marks: 9, series: 48, gap: 5 };
const FOLDED_ROWS = 12;
const OPEN_LANES = 24; // with more threads, all begin folded
const OPEN_SERIES = 6; // with more series, all begin folded
const OPEN_DEPTH = 60;
const SHALLOW = 16; // of several threads, deeper ones begin folded

/** All lanes, in order: {id, kind: "process" | "thread" | "series", title, ...}. */
export function makeLanes(run, timeline) {
  const lanes = [];
  const order = run.processes.map((process, index) => ({ process, index }));
  order.sort((a, b) => a.process.start - b.process.start || a.index - b.index);
  const series = timeline.facts.series.map((each, number) => ({ ...each, number }));
  for (const { process, index } of order) {
    lanes.push({ id: `p${index}`, kind: "process", process: index, title: processTitle(process) });
    const threads = [...process.threads].sort((a, b) => a.start - b.start || a.number - b.number);
    for (const thread of threads) {
      lanes.push(threadLane(timeline, process, index, thread));
    }
    const here = series.filter((each) => each.process === index && each.count > 0);
    const names = new Map(threads.map((thread) => [thread.number, titleOf(thread)]));
    for (const each of here) lanes.push(seriesLane(each, names, here.length > OPEN_SERIES));
  }
  const threadCount = lanes.filter((lane) => lane.kind === "thread").length;
  const deepest = threadCount > 2 ? SHALLOW : OPEN_DEPTH;
  for (const lane of lanes) {
    if (lane.kind !== "thread") continue;
    const isMuch = threadCount > OPEN_LANES || lane.rows > deepest;
    lane.startsFolded = isMuch;
  }
  return lanes;
}

function processTitle(process) {
  const rank = process.rank ? `rank ${process.rank}, ` : "";
  return `${isolated(process.program)} (${rank}process ${process.pid})`;
}

function threadLane(timeline, process, index, thread) {
  const strip = (kind) => timeline.strip(index, thread.number, kind);
  const slices = strip(KINDS.slices) ?? strip(KINDS.samples);
  return {
    id: `t${index}.${thread.number}`,
    kind: "thread",
    process: index,
    thread: thread.number,
    title: titleOf(thread),
    slices,
    states: strip(KINDS.states),
    marks: strip(KINDS.marks),
    rows: slices ? slices.depth : 0,
    isIdle: !slices,
    start: (process.start + thread.start) * 1e9,
    end: (process.start + thread.end) * 1e9,
  };
}

function titleOf(thread) {
  return thread.name || (thread.number === 0 ? "MainThread" : `thread ${thread.number}`);
}

function seriesLane(series, names, startsFolded) {
  const unit = series.unit ? ` (${series.unit})` : "";
  const name = names.get(series.thread) ?? "thread";
  const thread = series.thread === undefined ? "" : `, ${isolated(name)}`;
  return {
    id: `s${series.number}`,
    kind: "series",
    process: series.process,
    title: `${isolated(series.name)}${unit}${thread}`,
    series,
    startsFolded,
  };
}

/** A lane is folded if it began so and was not touched, or was opened and folded again. */
export function isFolded(lane, touched) {
  return touched.has(lane.id) !== Boolean(lane.startsFolded);
}

/** The visible lanes, with top, height and the positions of their parts; and the total height. */
export function layoutLanes(lanes, touched) {
  const shown = [];
  let top = 0;
  let isProcessFolded = false;
  for (const lane of lanes) {
    if (lane.kind === "process") isProcessFolded = isFolded(lane, touched);
    else if (isProcessFolded) continue;
    const placed = { lane, top, isFolded: isFolded(lane, touched), ...partsOf(lane, touched) };
    top += placed.height;
    shown.push(placed);
  }
  return { shown, height: top };
}

function partsOf(lane, touched) {
  const folded = isFolded(lane, touched);
  let at = SIZES.header;
  if (lane.kind === "process") return { height: at };
  if (lane.kind === "series") return { height: folded ? at : at + SIZES.series + SIZES.gap };
  const parts = { states: -1, marks: -1, rows: 0, rowHeight: folded ? SIZES.folded : SIZES.row };
  if (lane.states) {
    parts.states = at;
    at += SIZES.stripe + 1;
  }
  if (lane.marks) {
    parts.marks = at;
    at += SIZES.marks + 1;
  }
  parts.rows = at;
  parts.rowCount = folded ? Math.min(lane.rows, FOLDED_ROWS) : lane.rows;
  at += parts.rowCount * parts.rowHeight;
  return { ...parts, height: at + SIZES.gap };
}

/** Indexes of the lanes between two heights. */
export function lanesBetween(shown, top, bottom) {
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shown[middle].top + shown[middle].height <= top) low = middle + 1;
    else high = middle;
  }
  const found = [];
  for (; low < shown.length && shown[low].top < bottom; low++) found.push(shown[low]);
  return found;
}
