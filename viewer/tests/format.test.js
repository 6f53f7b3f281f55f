import assert from "node:assert/strict";
import { test } from "node:test";
import { loadErrors } from "../data.js";
import { about, pathCalls, withError } from "../format.js";

test("estimates have the digits that are sure, and how far off they may be", () => {
  assert.equal(withError(3.998e9, 3.037e9), "4 s ±3.0 s");
  assert.equal(withError(48_637_000, 1_540_000), "49 ms ±1.5 ms");
  assert.equal(withError(3_550_000, 43_700_000), "4 ms ±44 ms");
  assert.equal(withError(999_700_000, 10_000_000), "1.00 s ±10 ms");
  assert.equal(withError(1_234_000, 0), "1.234 ms");
  assert.equal(withError(1_234_000, undefined), "1.234 ms");
});

test("calls that are estimates say so", () => {
  assert.equal(about({ calls: 100037, callsLow: 99000, callsHigh: 100100 }), "~100,037 (99,000 to 100,100)");
  assert.equal(about({ calls: 8, callsLow: 8, callsHigh: 8 }), "8");
  assert.equal(about({ calls: 8 }), "8");
  assert.equal(pathCalls({ estimated_functions: 2 }, 1234), "~1,234");
  assert.equal(pathCalls({}, 1234), "1,234");
  assert.equal(pathCalls({ estimated_functions: 2, has_positions: true }, 1234), "1,234");
});

test("errors are those of entries and links", () => {
  const numbers = [5, 7, 1, 10, 20, 3];
  const flat = [{}];
  const links = [{}];
  loadErrors({ varint: () => numbers.shift() }, flat, links);
  assert.deepEqual(flat, [{ selfOff: 5, totalOff: 7, isPrimitiveEstimated: true }]);
  assert.deepEqual(links, [{ callsLow: 10, callsHigh: 20, totalOff: 3 }]);
});
