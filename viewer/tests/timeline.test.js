// The timeline's logic: tiles, levels, axis, pixels, statistics, lanes, messages, series.
import assert from "node:assert/strict";
import test from "node:test";
import { ByteReader } from "../data.js";
import {
  decodeTile,
  firstAfter,
  levelFor,
  loadIndex,
  tilesBetween,
} from "../views/timeline/timeline_data.js";
import { neighbour, sliceAt } from "../views/timeline/timeline_hit.js";
import { isFolded, lanesBetween, layoutLanes, makeLanes } from "../views/timeline/timeline_lanes.js";
import { loadMessages } from "../views/timeline/timeline_messages.js";
import { Row, blend, packed } from "../views/timeline/timeline_raster.js";
import { clampRange, tickStep, ticks, timeLabel, zoomRange } from "../views/timeline/timeline_scale.js";
import { loadSeries, valueAt } from "../views/timeline/timeline_series.js";
import { paramsOf, stateOf } from "../views/timeline/timeline_state.js";
import { addRange, levelForStats, rangeStatistics } from "../views/timeline/timeline_stats.js";
import { findRegions, nextSlice } from "../views/timeline/timeline_find.js";
import { rangeOfKey } from "../views/timeline/timeline_input.js";

const reader = (...bytes) => new ByteReader(Uint8Array.from(bytes));

/** A tile of [depth, start, end, region, count, busy] rows that is decoded. */
function tileOf(level, isJoined, rows) {
  const bytes = [];
  const put = (number) => {
    for (; number >= 128; number = Math.floor(number / 128)) bytes.push((number % 128) | 128);
    bytes.push(number);
  };
  const depths = [...new Set(rows.map((row) => row[0]))].sort((a, b) => a - b);
  const start = Math.min(...rows.map((row) => row[1]));
  put(depths.length);
  for (const depth of depths) {
    const here = rows.filter((row) => row[0] === depth);
    put(depth);
    put(here.length);
    let since = start;
    for (const [, from, to, region, count = 1, busy = to - from] of here) {
      [from - since, to - from, region].forEach(put);
      since = to;
      if (isJoined) put(count);
      if (isJoined && count > 1) put(to - from - busy);
    }
  }
  const tile = {
    ...{ level, isJoined, start, end: Math.max(...rows.map((row) => row[2])), count: rows.length },
    items: null,
  };
  tile.items = decodeTile(new ByteReader(Uint8Array.from(bytes)), tile);
  return tile;
}

/** A stand-in for TimelineData, with all tiles decoded. */
function timelineOf(strips, end = 1000) {
  return {
    resolutions: [0, 256, 1024],
    facts: { from: 0, to: end, end, series: [], states: [] },
    strip: (process, thread, kind) =>
      strips.find(
        (each) => each.process === process && each.thread === thread && each.kind === kind,
      ) ?? null,
    visible(strip, from, to, nsPerPixel) {
      const level = levelFor(strip, this.resolutions, nsPerPixel);
      return { level, tiles: tilesBetween(strip, level, from, to), isComplete: true };
    },
    complete: async (strip, level, from, to) => tilesBetween(strip, level, from, to),
  };
}

const NESTED = [
  [0, 0, 100, 1],
  [1, 10, 40, 2],
  [1, 50, 90, 3],
  [2, 15, 25, 2],
];

test("tiles and their index are read", () => {
  const strips = loadIndex(reader(1, 2, 3, 0, 4, 9, 5, 1, 3, 100, 50, 2, 7, 0, 12));
  assert.equal(strips.length, 1);
  const [strip] = strips;
  assert.deepEqual([strip.process, strip.thread, strip.kind, strip.depth], [2, 3, 0, 4]);
  assert.deepEqual([strip.slices, strip.kept], [9, 5]);
  const [tile] = strip.tiles;
  assert.deepEqual([tile.level, tile.isJoined, tile.start, tile.end], [1, true, 100, 150]);
  const { items } = tileOf(1, true, [
    [0, 100, 120, 1, 4, 12],
    [0, 130, 131, 2],
  ]);
  assert.deepEqual([...items.start], [100, 130]);
  assert.deepEqual([...items.end], [120, 131]);
  assert.deepEqual([...items.count], [4, 1]);
  assert.deepEqual([...items.busy], [12, 1]);
});

test("the level is the coarsest that a pixel does not show", () => {
  const resolutions = [0, 256, 1024, 4096];
  assert.equal(levelFor({ kept: 0b1111 }, resolutions, 10), 0);
  assert.equal(levelFor({ kept: 0b1111 }, resolutions, 1024), 2);
  assert.equal(levelFor({ kept: 0b1011 }, resolutions, 2000), 1);
  assert.equal(levelFor({ kept: 0b1100 }, resolutions, 10), 2, "the finest that is there");
  assert.equal(levelFor({ kept: 0 }, resolutions, 10), -1);
});

test("a level has the exact slices from it on and its own joined ones", () => {
  const tiles = [
    { level: 0, isJoined: false, start: 0, end: 9 },
    { level: 2, isJoined: false, start: 0, end: 9 },
    { level: 1, isJoined: true, start: 0, end: 9 },
    { level: 2, isJoined: true, start: 20, end: 30 },
  ];
  const of = (level, from, to) =>
    tilesBetween({ tiles }, level, from, to).map((tile) => tiles.indexOf(tile));
  assert.deepEqual(of(0, 0, 100), [0, 1]);
  assert.deepEqual(of(1, 0, 100), [1, 2]);
  assert.deepEqual(of(2, 0, 100), [1, 3]);
  assert.deepEqual(of(2, 10, 15), []);
});

test("the first slice behind a time is found", () => {
  const { items } = tileOf(0, false, [
    [0, 0, 10, 1],
    [0, 20, 30, 1],
    [0, 40, 50, 1],
  ]);
  const [run] = items.runs;
  assert.equal(firstAfter(items, run, 0), 0);
  assert.equal(firstAfter(items, run, 11), 1);
  assert.equal(firstAfter(items, run, 30), 1);
  assert.equal(firstAfter(items, run, 99), 3);
});

test("ranges stay inside of the run, from hours to nanoseconds", () => {
  assert.deepEqual(clampRange(-50, 150, 1000), { from: 0, to: 200 });
  assert.deepEqual(clampRange(950, 1150, 1000), { from: 800, to: 1000 });
  assert.deepEqual(clampRange(5, 6, 1e15), { from: 5, to: 105 });
  assert.deepEqual(clampRange(0, 5000, 1000), { from: 0, to: 1000 });
  assert.deepEqual(zoomRange({ from: 0, to: 1000 }, 250, 0.5, 1000), { from: 125, to: 625 });
  const near = zoomRange({ from: 0, to: 3.6e15 }, 1e15, 1e-12, 3.6e15);
  assert.equal(Math.round(near.to - near.from), 3600);
  assert.deepEqual(rangeOfKey("0", { from: 3, to: 900 }, 1000), { from: 0, to: 1000 });
  assert.deepEqual(rangeOfKey("d", { from: 0, to: 200 }, 1000), { from: 30, to: 230 });
  assert.equal(rangeOfKey("x", { from: 0, to: 200 }, 1000), null);
});

test("ticks are 1, 2 or 5 apart, or whole minutes", () => {
  assert.deepEqual([7, 12, 3e6, 5e6, 6e6].map(tickStep), [10, 20, 5e6, 5e6, 1e7]);
  assert.deepEqual([59e9, 61e9, 3e12].map(tickStep), [60e9, 120e9, 3600e9]);
  assert.deepEqual(ticks(95, 131, 10), [100, 110, 120, 130]);
  assert.equal(timeLabel(0, 10), "0 s");
  assert.equal(timeLabel(1_000_000_050, 10), "1.00000005 s");
  assert.equal(timeLabel(2_500_000, 100_000), "2.5 ms");
  assert.equal(timeLabel(7_500_000_000_000, 60e9), "2 h 5 min");
  assert.equal(timeLabel(40, 5), "40 ns");
  assert.deepEqual([40, 100, 1500, 2e9].map((ns) => timeLabel(ns)), ["40 ns", "100 ns", "1.5 us", "2 s"]); // prettier-ignore
});

test("slices become pixels, short ones by how much they cover", () => {
  const row = new Row(10);
  const background = packed("#ffffff");
  const colour = packed("rgb(255,0,0)");
  const { items } = tileOf(1, true, [
    [0, 0, 30, 1],
    [0, 500, 510, 1, 5, 2],
    [0, 700, 1000, 1],
  ]);
  row.clear(background);
  row.add(items, items.runs[0], 0, 1000, 0.01, () => colour, 2);
  row.finish();
  assert.equal(row.colours[0], blend(background, colour, 0.35), "at least so much is seen");
  assert.equal(row.colours[5], blend(background, colour, 0.35));
  assert.deepEqual([...row.colours.slice(1, 5)], [background, background, background, background]);
  assert.deepEqual([...row.colours.slice(7, 10)], [colour, colour, colour]);
  assert.deepEqual(
    row.boxes.map(({ first, last, index }) => [first, last, index]),
    [[7, 10, 2]],
  );
});

test("colours are mixed by part", () => {
  const [white, red] = [packed("#ffffff"), packed("#ff0000")];
  assert.equal(blend(white, red, 0), white);
  assert.equal(blend(white, red, 1), red);
  assert.equal(blend(white, red, 0.5) & 255, 255);
  assert.ok(Math.abs(((blend(white, red, 0.5) >> 8) & 255) - 127) <= 1);
});

test("a range comes to counts, totals and own times", () => {
  const sums = new Map();
  const entry = (region) => sums.get(region);
  assert.equal(addRange(sums, [tileOf(0, false, NESTED)], 0, 100), false);
  assert.deepEqual(entry(1), { region: 1, count: 1, total: 100, self: 30 });
  assert.deepEqual(entry(2), { region: 2, count: 2, total: 30, self: 30 }, "recursion counts once");
  assert.deepEqual(entry(3), { region: 3, count: 1, total: 40, self: 40 });
  sums.clear();
  addRange(sums, [tileOf(0, false, NESTED)], 30, 60);
  assert.deepEqual(entry(1), { region: 1, count: 1, total: 30, self: 10 });
  assert.deepEqual(entry(2), { region: 2, count: 1, total: 10, self: 10 });
  sums.clear();
  assert.equal(addRange(sums, [tileOf(1, true, [[0, 0, 100, 1, 7, 50]])], 0, 50), true);
  assert.deepEqual(entry(1), { region: 1, count: 7, total: 25, self: 25 });
});

test("statistics say when they are approximate", async () => {
  const strip = {
    ...{ process: 0, thread: 0, kind: 0, depth: 3, kept: 1 },
    tiles: [tileOf(0, false, NESTED)],
  };
  const timeline = timelineOf([strip]);
  const exact = await rangeStatistics(timeline, [{ slices: strip }, { slices: null }], 0, 100);
  assert.equal(exact.isApproximate, false);
  assert.equal(exact.lanes, 1);
  assert.deepEqual(
    exact.entries.map((each) => [each.region, each.self]),
    [
      [3, 40],
      [1, 30],
      [2, 30],
    ],
  );
  const many = { kept: 0b11, tiles: [{ level: 0, isJoined: false, start: 0, end: 9, count: 1e6 }] };
  assert.equal(levelForStats(many, timeline.resolutions, 0, 9), 1);
});

test("what is at a place and what is beside it", () => {
  const strip = {
    ...{ process: 0, thread: 0, kind: 0, depth: 3, kept: 1 },
    tiles: [tileOf(0, false, NESTED)],
  };
  const timeline = timelineOf([strip], 100);
  const placed = { lane: { id: "t0.0", slices: strip } };
  const range = { from: 0, to: 100 };
  const at = (depth, time) => sliceAt(timeline, placed, strip, depth, time, range, 0.1);
  assert.equal(at(1, 20).region, 2);
  assert.equal(at(1, 45), null);
  assert.equal(at(1, 49.9).region, 3, "within three pixels");
  const frame = { range, timeline, width: 1000, placedById: new Map([["t0.0", placed]]) };
  assert.equal(neighbour(frame, at(1, 20), "next").region, 3);
  assert.equal(neighbour(frame, at(1, 60), "previous").start, 10);
  assert.equal(neighbour(frame, at(1, 20), "parent").region, 1);
  assert.equal(neighbour(frame, at(1, 20), "child").start, 15);
  assert.equal(neighbour(frame, at(0, 20), "parent"), null);
});

test("the next slice of a region is found, and the one before", async () => {
  const strip = {
    ...{ process: 0, thread: 0, kind: 0, depth: 3, kept: 1 },
    tiles: [tileOf(0, false, NESTED)],
  };
  const timeline = timelineOf([strip], 100);
  const found = findRegions(
    { name: ["", "main", "fib", "leaf"] },
    [{ region: 2, calls: 9 }],
    "FIB",
  );
  assert.deepEqual([found.count, found.calls], [1, 9]);
  const next = (time, direction) =>
    nextSlice(timeline, [{ slices: strip }], found.marks, time, direction);
  assert.equal((await next(-1, 1)).start, 10);
  assert.equal((await next(10, 1)).start, 15);
  assert.equal(await next(15, 1), null);
  assert.equal((await next(99, -1)).start, 15);
  assert.equal((await next(15, -1)).start, 10);
  assert.equal(await next(10, -1), null);
  assert.ok(findRegions({ name: ["a"] }, [], "/(/").problem);
  assert.equal(findRegions({ name: ["a"] }, [], ""), null);
});

test("lanes are in order of start, fold and have their place", () => {
  const process = (pid, start, threads) => ({ program: "x", pid, start, threads, rank: "" });
  const thread = (number, start) => ({ number, name: "", start, end: 1 });
  const run = {
    processes: [process(2, 0.5, [thread(0, 0)]), process(1, 0, [thread(1, 0.2), thread(0, 0)])],
  };
  const strip = { process: 1, thread: 0, kind: 0, depth: 3, kept: 1, tiles: [] };
  const timeline = timelineOf([strip]);
  timeline.facts.series = [{ process: 1, name: "rss", unit: "bytes", count: 3 }];
  const lanes = makeLanes(run, timeline);
  assert.deepEqual(
    lanes.map((lane) => lane.id),
    ["p1", "t1.0", "t1.1", "s0", "p0", "t0.0"],
  );
  assert.equal(lanes[1].isIdle, false);
  assert.equal(lanes[2].isIdle, true);
  const open = layoutLanes(lanes, new Set());
  assert.equal(open.shown.length, 6);
  assert.equal(open.shown[1].rowCount, 3);
  const folded = layoutLanes(lanes, new Set(["p1"]));
  assert.deepEqual(
    folded.shown.map((placed) => placed.lane.id),
    ["p1", "p0", "t0.0"],
  );
  assert.ok(folded.height < open.height);
  assert.equal(isFolded(lanes[1], new Set(["t1.0"])), true);
  const inSight = lanesBetween(open.shown, open.shown[2].top, open.shown[2].top + 1);
  assert.deepEqual(
    inSight.map((placed) => placed.lane.id),
    ["t1.1"],
  );
});

test("messages are found by time", () => {
  const bytes = [2, 10, 0, 1, 10, 0, 2, 7, 20, 0, 2, 5, 1, 1, 7];
  const messages = loadMessages(reader(...bytes, ...new Array(255).fill(0), 4), 256 * 100 - 1);
  assert.deepEqual([...messages.sent], [10, 30]);
  assert.deepEqual([...messages.received], [15, 28], "clocks of two machines may differ");
  assert.deepEqual(messages.between(12, 20), [0]);
  assert.deepEqual(messages.between(16, 20), []);
  assert.deepEqual(messages.between(0, 100), [0, 1]);
  assert.equal(messages.leftOut(0, 100), 0);
  assert.equal(messages.leftOut(25500, 25600), 4);
});

test("series are points or steps", () => {
  const floats = (...values) => [...new Uint8Array(new Float32Array(values).buffer)];
  const level = [1, 2, 3].flatMap((value) => floats(...new Array(128).fill(value)));
  const [points, steps, nothing] = loadSeries(
    reader(2, 10, 5, ...floats(1.5, -2), 0, 128, 1, ...level, 0, 0),
  );
  assert.deepEqual([...points.times], [10, 15]);
  assert.deepEqual([valueAt(points, 100, 9), valueAt(points, 100, 14)], [null, 1.5]);
  assert.equal(valueAt(points, 100, 99), -2);
  assert.deepEqual(
    steps.levels.map((each) => [each.count, each.min[0], each.max[5], each.mean[127]]),
    [[128, 1, 2, 3]],
  );
  assert.equal(valueAt(steps, 100, 50), 3);
  assert.deepEqual(nothing.levels, []);
});

test("the link holds what is shown", () => {
  const facts = { from: 0, to: 5000, end: 5000 };
  const params = { from: "100", to: "900", folds: "p0_t0.1", slice: "t0.0_2_55", find: "fib" };
  const state = stateOf(params, facts);
  assert.deepEqual(state.range, { from: 100, to: 900 });
  assert.deepEqual(state.slice, { lane: "t0.0", depth: 2, start: 55 });
  const back = paramsOf(state, facts);
  for (const [key, value] of Object.entries(params)) assert.equal(String(back[key]), value);
  const area = stateOf({ area: "900-100", lanes: "t0.0" }, facts);
  assert.deepEqual(area.area, { from: 100, to: 900 });
  assert.equal(paramsOf(area, facts).from, null);
  const hostile = stateOf({ from: "x", to: "-1", slice: "a", area: "-", region: "x" }, facts);
  assert.deepEqual([hostile.slice, hostile.area, hostile.region], [null, null, null]);
});
