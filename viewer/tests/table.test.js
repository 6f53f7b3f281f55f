import assert from "node:assert/strict";
import { test } from "node:test";
import { indexOf } from "../calls.js";
import { kindOf } from "../colours.js";
import { fileName } from "../copying.js";
import { matcher } from "../matcher.js";
import { FIRST_COLUMNS, columnsOf, firstColumns } from "../views/table/table_columns.js";
import { metricColumns, regionSums } from "../views/table/table_metrics.js";
import {
  butterfly,
  kept,
  linesOf,
  regionLines,
  sorted,
  sums,
  tableState,
} from "../views/table/table_rows.js";
import { csvOf, markdownOf } from "../views/table/table_texts.js";

const REGIONS = {
  name: ["main", "Work", 'a|"b",c', "fib"],
  place: ["a.py:1", "b.py:2", "", "a.py:9"],
  module: [1, 0, 0, 1],
  texts: ["", "demo"],
  kind: [1, 1, 5, 1],
};
const entry = (region, calls, primitive, self, total, more = {}) => ({
  region,
  calls,
  primitive,
  closed: calls,
  self,
  total,
  min: 1,
  max: 9,
  visits: total,
  deviation: 2,
  ...more,
});
const FLAT = [
  entry(0, 1, 1, 1e9, 4e9, { closed: 0 }),
  entry(1, 10, 10, 2e9, 2e9),
  entry(2, 3, 3, 0, 5e8),
  entry(3, 20, 4, 1e9, 1e9, { visits: 3e9 }),
];
const COLUMNS = columnsOf(REGIONS, { is_sampled: false }, 4e9);
const column = (id) => COLUMNS.find((each) => each.id === id);
const names = (entries) => entries.map(({ region }) => REGIONS.name[region]);

test("filters: parts of texts, expressions, faults", () => {
  assert.ok(matcher("").accepts("x"));
  assert.ok(matcher("MAI").accepts("main"));
  assert.ok(!matcher("MAI").accepts("fib", "a.py"));
  assert.ok(matcher("/^f.b$/").accepts("fib"));
  assert.ok(!matcher("/MAIN/").accepts("main"));
  assert.ok(matcher("/MAIN/i").accepts("main"));
  assert.ok(matcher("/g/g").accepts("g") && matcher("/g/g").accepts("g"));
  const wrong = matcher("/(/");
  assert.match(wrong.problem, /\(/);
  assert.ok(wrong.accepts("x"));
  assert.ok(matcher("/").accepts("a/b"));
});

test("what filter and kind leave", () => {
  assert.deepEqual(names(kept(FLAT, matcher("a.py"), "", REGIONS, kindOf)), ["main", "fib"]);
  assert.deepEqual(names(kept(FLAT, matcher(""), "native", REGIONS, kindOf)), ['a|"b",c']);
  assert.deepEqual(sums(FLAT.slice(1, 3)), { calls: 13, self: 2e9 });
});

test("every column sorts, unknown values come last", () => {
  assert.deepEqual(names(sorted(FLAT, column("self"), false)), ["Work", "main", "fib", 'a|"b",c']);
  assert.deepEqual(names(sorted(FLAT, column("self"), true)), ['a|"b",c', "main", "fib", "Work"]);
  assert.deepEqual(names(sorted(FLAT, column("name"), true))[1], "fib");
  for (const isUp of [true, false]) {
    assert.equal(names(sorted(FLAT, column("min"), isUp)).at(-1), "main");
    assert.equal(names(sorted(FLAT, column("place"), isUp)).at(-1), 'a|"b",c');
  }
  for (const each of COLUMNS) assert.equal(sorted(FLAT, each, true).length, 4, each.id);
});

test("values of columns", () => {
  const fib = FLAT[3];
  assert.equal(column("calls").text(fib), "20/4");
  assert.equal(column("calls").text(FLAT[1]), "10");
  assert.equal(column("selfshare").text(fib), "25.0 %");
  assert.equal(column("totalper").text(fib), "50.000 ms");
  assert.equal(column("mean").text(fib), "150.000 ms");
  assert.equal(column("max").text(FLAT[0]), "-");
  assert.equal(column("kind").text(FLAT[2]), "native");
});

test("samples have no columns of single calls", () => {
  const ids = columnsOf(REGIONS, { is_sampled: true }, 4e9).map(({ id }) => id);
  for (const id of ["deviation", "mean", "totalper", "primitive"]) assert.ok(!ids.includes(id), id);
  assert.ok(ids.includes("calls"));
});

test("the link says what is shown", () => {
  const state = (params) => tableState(params, COLUMNS, FIRST_COLUMNS);
  assert.deepEqual(
    state({})
      .shown.map(({ id }) => id)
      .sort(),
    ["name", ...FIRST_COLUMNS].sort(),
  );
  assert.equal(state({}).region, -1);
  assert.equal(state({ sort: "name" }).isUp, true);
  assert.equal(state({ sort: "none" }).sort, "self");
  assert.deepEqual(
    state({ cols: "calls.max.what" }).shown.map(({ id }) => id),
    ["name", "calls", "max"],
  );
  assert.equal(state({ region: "0" }).region, 0);
});

const LINKS = [
  { caller: -1, callee: 0, calls: 1, self: 1e9, total: 4e9 },
  { caller: 0, callee: 3, calls: 4, self: 2e8, total: 1e9 },
  { caller: 3, callee: 3, calls: 16, self: 8e8, total: 8e8 },
  { caller: 0, callee: 1, calls: 10, self: 2e9, total: 2e9 },
];

test("callers and callees, the largest first", () => {
  const calls = indexOf(LINKS, 4);
  assert.deepEqual(
    calls.callees(0).map(({ callee }) => callee),
    [1, 3],
  );
  assert.deepEqual(
    calls.callers(3).map(({ caller }) => caller),
    [0, 3],
  );
  assert.deepEqual(calls.callers(0), [LINKS[0]]);
  assert.deepEqual(calls.callees(2), []);
});

test("an open region has its callers above its callees", () => {
  const lines = linesOf(regionLines(FLAT), 3, indexOf(LINKS, 4));
  assert.equal(lines.length, 4 + 7);
  assert.deepEqual(
    butterfly(FLAT[3], indexOf(LINKS, 4)).map(({ type, region, isItself }) => [
      type,
      region,
      isItself,
    ]),
    [
      ["where", undefined, undefined],
      ["heading", undefined, undefined],
      ["caller", 0, false],
      ["caller", 3, true],
      ["heading", undefined, undefined],
      ["own", 3, true],
      ["callee", 3, true],
    ],
  );
  assert.equal(linesOf(regionLines(FLAT), -1, null).length, 4);
  assert.equal(linesOf(regionLines(FLAT), 99, indexOf(LINKS, 4)).length, 4);
});

test("shares of calls are of the region that is open", () => {
  const [, caller] = indexOf(LINKS, 4).callers(3);
  assert.equal(column("totalshare").link(caller, FLAT[3], true), 0.8);
  assert.equal(column("selfshare").link(LINKS[3], FLAT[0], false), 0.5);
});

test("Markdown and CSV hold any name", () => {
  const shown = [column("name"), column("self"), column("selfshare"), column("max")];
  assert.equal(
    markdownOf(shown, [FLAT[2]]),
    '| Region | Self | % self | Most |\n| --- | ---: | ---: | ---: |\n| a\\|"b",c | 0 ns | 0.0 % | 9 ns |\n',
  );
  assert.equal(
    csvOf(shown, [FLAT[2], FLAT[0]]),
    'name,self,selfshare,max\n"a|""b"",c",0,0,9e-9\nmain,1,25,\n',
  );
  assert.equal(fileName("/a/b c/x<y>.py", "csv"), "x_y_.py.csv");
});

test("what else was measured is added up by region, recursion once", () => {
  // root > f (2) > f (3) > g (5), root > g (7)
  const tree = {
    count: 5,
    parent: [-1, 0, 1, 2, 0],
    end: [5, 4, 4, 4, 5],
    region: [0, 1, 1, 2, 2],
  };
  const sums = regionSums(tree, Float64Array.of(0, 2, 3, 5, 7), 4);
  assert.deepEqual([...sums.self], [0, 5, 12, 0]);
  assert.deepEqual([...sums.total], [0, 10, 12, 0]);
  assert.deepEqual([...sums.most].slice(1), [3, 7, -Infinity]);
});

test("columns of metrics", () => {
  const section = [
    { name: "cpu_clock", text: "CPU", unit: "ns", adds: true },
    { name: "current_peak_rss", text: "level", unit: "bytes", adds: false },
  ];
  const data = { run: {}, json: () => section, has: () => false };
  const columns = metricColumns(data);
  assert.deepEqual(
    columns.map(({ id, title, unit }) => [id, title, unit]),
    [
      ["m0self", "cpu clock, self", "ns"],
      ["m0total", "cpu clock, total", "ns"],
      ["m1most", "current peak rss", "count"],
    ],
  );
  columns[0].sums = { self: [1500] };
  assert.equal(columns[0].text({ region: 0 }), "1.500 us");
  assert.equal(columns[1].text({ region: 0 }), "-");
});

test("where times are CPU time, what was waited stands beside it", () => {
  const run = { is_sampled: true, is_of_cpu: true };
  const waited = { id: "m1self", measure: { id: "sampling_waiting" }, part: "self" };
  const columns = [...columnsOf(REGIONS, run, 4e9), waited];
  assert.equal(columns.find(({ id }) => id === "self").title, "Self CPU");
  assert.deepEqual(firstColumns(run, columns), [...FIRST_COLUMNS, "m1self"]);
  assert.deepEqual(firstColumns({ is_sampled: true, is_of_cpu: false }, columns), FIRST_COLUMNS);
  assert.deepEqual(firstColumns(run, columnsOf(REGIONS, run, 4e9)), FIRST_COLUMNS);
});
