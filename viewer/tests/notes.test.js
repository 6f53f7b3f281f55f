import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, filteredSections, noteSections, notesText } from "../notes_model.js";

const NOTES = {
  info: [["hostname", "h"]],
  settings: [
    { name: "TRACE", value: "OFF", default: "OFF", help: "Keep a trace" },
    { name: "OUTPUT_PATH", value: "x", default: "y", help: "Where" },
    { name: "OF_ANOTHER_VERSION", value: "1" },
  ],
  environment: [
    ["HOME", "/root"],
    ["TOKEN", "***"],
  ],
  warnings: [{ kind: "loss", area: "trace", text: "no space", pid: 7 }],
  recordings: [
    {
      path: "/run/p.kymo",
      pid: 7,
      bytes: 1234567,
      kinds: ["trace", "samples"],
      state: "closed",
      status: 2,
      events: 5000,
      samples: 0,
      lost_samples: 3,
      problems: 0,
      version: 1,
      kymo: "0.1.0",
      clock: "CLOCK_MONOTONIC",
      tick_ns: 1,
      clock_pairs: 2,
      call_ns: 45.678,
      c_call_ns: 0,
      startup_ns: 750000,
    },
  ],
  modules: [
    ["/lib/libc.so.6", "abc"],
    ["[vdso]", null],
  ],
  metrics: [],
  series: [],
};

test("sections in order, empty ones left out", () => {
  const sections = noteSections(NOTES, { kymo: "0.1.0" });
  assert.deepEqual(
    sections.map(({ id }) => id),
    ["warnings", "run", "recordings", "clocks", "settings", "environment", "modules"],
  );
  const [recording] = sections.find(({ id }) => id === "recordings").rows;
  assert.deepEqual(recording.cells.slice(1, 5), [
    "1.2 MB",
    "trace, samples",
    "closed, status 2",
    "5,000",
  ]);
  assert.equal(recording.cells[6], "3");
  assert.ok(recording.isStrong);
  const [clock] = sections.find(({ id }) => id === "clocks").rows;
  assert.deepEqual(clock.cells, ["7", "CLOCK_MONOTONIC", "1 ns", "2", "45.7 ns", "", "750.0 us"]);
});

test("settings that were chosen come first", () => {
  const { rows } = noteSections(NOTES, { kymo: "" }).find(({ id }) => id === "settings");
  assert.deepEqual(
    rows.map((row) => row.cells[0]),
    ["OUTPUT_PATH", "TRACE", "OF_ANOTHER_VERSION"],
  );
  assert.equal(rows[0].cells[2], "chosen; default: y");
});

test("a filter leaves rows, and no empty sections", () => {
  const sections = noteSections(NOTES, { kymo: "" });
  const found = filteredSections(sections, (...cells) =>
    cells.some((cell) => cell.includes("libc")),
  );
  assert.deepEqual(
    found.map(({ id, rows }) => [id, rows.length]),
    [["modules", 1]],
  );
});

test("the text to copy", () => {
  const text = notesText([
    { title: "T", columns: ["A", "B"], rows: [{ cells: ["a\nb", null] }] },
    { title: "U", columns: ["C"], rows: [{ cells: ["c"] }] },
  ]);
  assert.equal(text, "T\nA\tB\na b\t\n\nU\nC\nc\n");
});

test("sizes", () => {
  assert.deepEqual([0, 999, 1500, 2e6, 3.21e9].map(bytes), [
    "0 bytes",
    "999 bytes",
    "1.5 kB",
    "2.0 MB",
    "3.2 GB",
  ]);
});
