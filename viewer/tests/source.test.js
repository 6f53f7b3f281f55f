import assert from "node:assert/strict";
import { test } from "node:test";
import {
  filteredFiles,
  foundRows,
  hottestLines,
  measuredLines,
  placeOf,
  rowOfLine,
  sourceRows,
  stateNote,
} from "../source_model.js";

const FLAT = new Map([
  [4, { region: 4, calls: 3, self: 30, total: 50 }],
  [5, { region: 5, calls: 1, self: 5, total: 5 }],
]);

test("recorded functions have their numbers at the line where they begin", () => {
  const file = {
    functions: [
      [2, 4],
      [2, 5],
      [9, 7],
    ],
    lines: [],
  };
  const measured = measuredLines(file, FLAT);
  assert.deepEqual(measured.get(2), {
    count: 4,
    self: 35,
    total: 55,
    split: null,
    functions: [4, 5],
  });
  assert.equal(measured.get(9).self, 0);
});

test("with samples each line has its own numbers", () => {
  const file = { functions: [[2, 4]], lines: [[3, 1, 7, 100, 200, 60, 30, 10, 0]] };
  const measured = measuredLines(file, FLAT);
  assert.deepEqual(measured.get(2), { count: 0, self: 0, total: 0, split: null, functions: [4] });
  assert.deepEqual(measured.get(3).split, [60, 30, 10, 0]);
  assert.equal(measured.get(3).count, 7);
});

test("rows of parts, with gaps between", () => {
  const file = {
    parts: [
      [3, 4],
      [7, 7],
    ],
    line_count: 9,
  };
  const rows = sourceRows(file, "three\r\nfour\nseven\n", new Map());
  assert.deepEqual(rows, [
    { gap: [1, 2] },
    { line: 3, text: "three" },
    { line: 4, text: "four" },
    { gap: [5, 6] },
    { line: 7, text: "seven" },
    { gap: [8, 9] },
  ]);
  assert.equal(rowOfLine(rows, 4), 2);
  assert.equal(rowOfLine(rows, 6), 3);
  assert.equal(rowOfLine(rows, 10), -1);
});

test("lines of any length", () => {
  const long = "x".repeat(10000);
  const [row] = sourceRows({ parts: [[1, 1]], line_count: 1 }, `${long}\n`, new Map());
  assert.match(row.text, /^x{4000} … \(6000 more characters\)$/);
});

test("without a text what was measured has rows", () => {
  const measured = new Map([
    [9, {}],
    [2, {}],
    [0, {}],
  ]);
  assert.deepEqual(sourceRows({}, null, measured), [
    { line: 2, text: null },
    { line: 9, text: null },
  ]);
});

test("the hottest lines", () => {
  const measured = new Map([
    [1, { self: 5 }],
    [2, { self: 9 }],
    [3, { self: 0 }],
    [0, { self: 99 }],
  ]);
  assert.deepEqual(hottestLines(measured, 10), [2, 1]);
  assert.deepEqual(hottestLines(measured, 1), [2]);
});

test("finding in the text, letters of either case", () => {
  const rows = [{ line: 1, text: "Def F" }, { gap: [2, 3] }, { line: 4, text: null }];
  assert.deepEqual(foundRows(rows, "dEF"), [0]);
  assert.deepEqual(foundRows(rows, ""), []);
});

const REGIONS = {
  name: ["r", "f", "g", "native"],
  file: [0, 1, 2, 0],
  texts: ["", "/a.py", "/b.py"],
};
const FILES = [
  { name: "/a.py", functions: [[5, 1]] },
  { name: "/b.py", functions: [] },
];

test("what a link means", () => {
  assert.deepEqual(placeOf({}, FILES, REGIONS), { file: 0, line: 0 });
  assert.deepEqual(placeOf({ file: "1", line: "3" }, FILES, REGIONS), { file: 1, line: 3 });
  assert.deepEqual(placeOf({ file: "77" }, FILES, REGIONS), { file: -1, line: 0 });
  assert.deepEqual(placeOf({ region: "1" }, FILES, REGIONS), { file: 0, line: 5 });
  assert.deepEqual(placeOf({ region: "2" }, FILES, REGIONS), { file: 1, line: 0 });
  assert.deepEqual(placeOf({ region: "3" }, FILES, REGIONS), { file: -1, line: 0 });
  assert.deepEqual(placeOf({ region: "x" }, FILES, REGIONS), { file: -1, line: 0 });
});

test("files are found by name and by function", () => {
  assert.deepEqual(
    filteredFiles(FILES, REGIONS, "B.P").map((each) => each.number),
    [1],
  );
  assert.deepEqual(
    filteredFiles(FILES, REGIONS, "f").map((each) => each.number),
    [0],
  );
  assert.equal(filteredFiles(FILES, REGIONS, "").length, 2);
});

test("every state says where the text is from, or why there is none", () => {
  const states = ["kept", "here", "changed", "missing", "unnamed", "foreign", "large", "withheld", "private", "left out"];
  const notes = states.map((state) => stateNote({ state, blob: 1 }));
  assert.equal(new Set(notes).size, states.length);
  assert.match(stateNote({ state: "changed" }), /--keep-sources/);
  assert.match(stateNote({ state: "kept" }), /too large/);
  assert.match(stateNote({ state: "kept", blob: 1, is_younger: true }), /changed after/);
});
