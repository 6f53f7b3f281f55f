import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteReader } from "../data.js";
import {
  columnsOf,
  groupingsOf,
  heatRows,
  histogramOf,
  loadParts,
  orderOf,
  several,
  spreadOf,
  valuesOf,
} from "../views/ranks/ranks_data.js";

/** Numbers as varints; texts as their length and bytes. */
function reader(items) {
  const bytes = [];
  const put = (number) => {
    for (; number >= 128; number = Math.floor(number / 128)) bytes.push((number % 128) + 128);
    bytes.push(number);
  };
  for (const item of items) {
    if (typeof item === "number") put(item);
    else {
      const encoded = new TextEncoder().encode(item);
      put(encoded.length);
      bytes.push(...encoded);
    }
  }
  return new ByteReader(Uint8Array.from(bytes));
}

// Three ranks with a thread each and a launcher without a rank; region 7 and region 2.
const FACTS = {
  count: 4,
  by: "rank",
  groups: {
    thread: { count: 4, usual: 4, student: 3.18, student_of_all: 3.18 },
    process: { count: 4, usual: 4, student: 3.18, student_of_all: 3.18 },
    rank: { count: 4, usual: 3, student: 4.3, student_of_all: 3.18 },
    run: { count: 1, usual: 1, student: 0, student_of_all: 0 },
  },
};
const FOUR = [4, "a", "b", "é", "d", 0, 1, 2, 3];
const GROUPS = [
  ...FOUR,
  ...FOUR,
  4,
  "rank 0",
  "rank 1",
  "rank 2",
  "no rank",
  0,
  1,
  2,
  3,
  1,
  "run",
  0,
  0,
  0,
  0,
];
const SHARES = [
  2, 7, 3, 0, 0, 0, 1, 1, 1, 100, 200, 600, 100, 300, 600, 90, 200, 0, 95, 280, 0, 2, 2, 1, 1, 5, 6,
  300, 10, 300, 20, 300, 10, 300, 20,
];
const load = () => loadParts(FACTS, reader(GROUPS), reader(SHARES));
const ALL = { name: Array.from({ length: 8 }, (_, i) => `r${i}`), place: new Array(8).fill("") };

test("parts are read as they are written", () => {
  const parts = load();
  assert.deepEqual(parts.regions, [7, 2]);
  assert.deepEqual(parts.groups.thread.names, ["a", "b", "é", "d"]);
  assert.deepEqual([...parts.shares.get(2).part], [1, 3]);
  assert.deepEqual([...parts.shares.get(2).calls], [5, 6]);
  assert.deepEqual([...parts.shares.get(7).total], [100, 300, 600]);
  assert.deepEqual([...parts.shares.get(7).work], [90, 200, 0]);
  assert.deepEqual([...parts.shares.get(7).work_total], [95, 280, 0]);
  assert.deepEqual([...parts.shares.get(2).work_total], [300, 20]);
  assert.deepEqual(groupingsOf(parts), ["thread", "process", "rank"]);
});

test("what has no rank counts only where it has some of the region", () => {
  const parts = load();
  assert.deepEqual([...valuesOf(parts, 7, "rank", "self")], [100, 200, 600]);
  assert.deepEqual([...valuesOf(parts, 2, "rank", "self")], [0, 300, 0, 10]);
  assert.deepEqual([...valuesOf(parts, 7, "thread", "total")], [100, 300, 600, 0]);
  assert.deepEqual([...valuesOf(parts, 7, "run", "self")], [900]);
  assert.deepEqual([...valuesOf(parts, 5, "rank", "self")], [0, 0, 0]);
});

test("statistics by hand", () => {
  const parts = load();
  const spread = spreadOf(valuesOf(parts, 7, "rank", "self"), parts.groups.rank);
  assert.equal(spread.mean, 300);
  assert.equal(spread.median, 200);
  assert.deepEqual([spread.min, spread.minAt, spread.max, spread.maxAt], [100, 0, 600, 2]);
  assert.equal(spread.imbalance, 1);
  assert.ok(Math.abs(spread.deviation - Math.sqrt((200 ** 2 + 100 ** 2 + 300 ** 2) / 2)) < 1e-9);
  const reach = (4.3 * spread.deviation) / Math.sqrt(3);
  assert.ok(
    Math.abs(spread.high - 300 - reach) < 1e-9 && Math.abs(300 - reach - spread.low) < 1e-9,
  );
  const four = spreadOf(valuesOf(parts, 2, "rank", "self"), parts.groups.rank);
  assert.ok(Math.abs(four.high - four.mean - (3.18 * four.deviation) / 2) < 1e-9);
  assert.equal(four.median, 5);
});

test("of one value, and of none", () => {
  const one = spreadOf(Float64Array.of(5), FACTS.groups.run);
  assert.deepEqual([one.mean, one.deviation, one.imbalance, one.low], [5, 0, 0, NaN]);
  assert.equal(spreadOf(new Float64Array(3), FACTS.groups.rank).imbalance, 0);
  assert.equal(spreadOf(new Float64Array(0), FACTS.groups.rank).count, 0);
});

test("several of a kind", () => {
  assert.deepEqual(["thread", "process", "rank", "run"].map(several), [
    "threads",
    "processes",
    "ranks",
    "runs",
  ]);
});

test("orders", () => {
  assert.deepEqual(orderOf([1, 3, 2, 3], "place"), [0, 1, 2, 3]);
  assert.deepEqual(orderOf([1, 3, 2, 3], "value"), [1, 3, 2, 0]);
});

test("a histogram holds every value", () => {
  const values = Float64Array.from({ length: 1000 }, (_, i) => i);
  const { bins, low, width } = histogramOf(values, spreadOf(values, FACTS.groups.rank));
  assert.equal(bins.length, 20);
  assert.equal(
    [...bins].reduce((a, b) => a + b),
    1000,
  );
  assert.equal(low + bins.length * width, 999);
  const even = histogramOf([4, 4, 4], spreadOf([4, 4, 4], FACTS.groups.rank));
  assert.deepEqual([...even.bins], [3]);
});

test("many values in few pixels keep their largest", () => {
  const values = Float64Array.from({ length: 1000 }, (_, i) => (i === 501 ? 9 : 1));
  const columns = columnsOf(values, orderOf(values, "place"), 100);
  assert.equal(columns.length, 100);
  assert.equal(columns.at(-1).to, 1000);
  assert.deepEqual(
    columns.filter(({ max }) => max === 9).map(({ from, min, mean }) => [from, min, mean]),
    [[500, 1, 1.8]],
  );
  assert.equal(columnsOf([1, 2], [0, 1], 100).length, 2);
});

test("rows of the heat map in the orders there are", () => {
  const parts = load();
  const rows = (sort, accepts = () => true) =>
    heatRows(parts, { by: "rank", metric: "self", sort, accepts }, ALL).map(({ region }) => region);
  assert.deepEqual(rows("sum"), [7, 2]);
  assert.deepEqual(rows("lost"), [7, 2]);
  assert.deepEqual(rows("imbalance"), [2, 7]);
  assert.deepEqual(
    rows("sum", (name) => name === "r2"),
    [2],
  );
});
