import assert from "node:assert/strict";
import { test } from "node:test";
import { callersOf } from "../flame/callers.js";
import {
  changeOf,
  changeText,
  comparedMeasures,
  comparedPainter,
  comparedTree,
  loadCompared,
  signOf,
} from "../flame/compare.js";
import { layout } from "../flame/layout.js";
import { mergedRecursion } from "../flame/recursion.js";

// root with 1 (region 5) and 4 (region 7, new); 1 with 2 (region 6, gone) and 3 (region 5).
const COLUMNS = [
  4, // paths
  ...[0, 0, 1, 2], // levels up
  ...[5, 6, 5, 7], // regions
  ...[1000, 2000, 500, 0], // before: calls in thousandths, self, total
  ...[10, 20, 5, 0],
  ...[35, 20, 5, 0],
  ...[1000, 0, 500, 3000],
  ...[10, 0, 10, 40],
  ...[20, 0, 10, 40],
];

function compared(id = "both") {
  const given = [...COLUMNS];
  const columns = loadCompared({ varint: () => given.shift() });
  assert.equal(given.length, 0);
  return comparedTree(
    columns,
    comparedMeasures("calls").find((each) => each.id === id),
    8,
  );
}

test("the tree of both has the numbers of either", () => {
  const tree = compared();
  assert.deepEqual([...tree.parent], [-1, 0, 1, 1, 0]);
  assert.deepEqual([...tree.pair.was], [35, 35, 20, 5, 0]);
  assert.deepEqual([...tree.pair.is], [60, 20, 0, 10, 40]);
  assert.deepEqual([...tree.value], [47.5, 27.5, 10, 7.5, 20]);
  assert.deepEqual([...compared("before").value], [35, 35, 20, 5, 0]);
  assert.deepEqual([...compared("calls-of-both").pair.is], [4.5, 1.5, 0, 0.5, 3]);
});

test("what is new and what is gone have boxes", () => {
  const boxes = layout(compared(), 0, { width: 640 });
  assert.deepEqual([...boxes.path.subarray(0, boxes.count)].sort(), [0, 1, 2, 3, 4]);
});

test("merged and upside down trees keep both sides", () => {
  const merged = mergedRecursion(compared());
  assert.equal(merged.count, 4);
  assert.deepEqual([merged.pair.was[0], merged.pair.is[0]], [35, 60]);
  assert.deepEqual([merged.pair.ownWas[1], merged.pair.ownIs[1]], [15, 20]);
  const callers = callersOf(compared());
  assert.deepEqual([callers.pair.was[0], callers.pair.is[0]], [35, 60]);
  for (let at = callers.firstChild(0); at >= 0; at = callers.nextSibling(at)) {
    if (callers.region[at] === 5)
      assert.deepEqual([callers.pair.was[at], callers.pair.is[at]], [15, 20]);
  }
});

test("changes in words", () => {
  assert.deepEqual(
    [signOf(0, 5), signOf(5, 0), signOf(100, 100.5), signOf(10, 12), signOf(12, 10)],
    ["new", "gone", "=", "+", "-"],
  );
  assert.equal(changeOf(0, 0), 0);
  assert.equal(changeText(10, 12), "+20.0 %");
  assert.equal(changeText(10, 5), "-50.0 %");
  assert.equal(changeText(0, 5), "new");
});

test("slower and faster have other colours, new and gone are framed", () => {
  const painter = comparedPainter(compared(), false);
  const fills = new Set([1, 3].map((path) => painter.fill(path).fill));
  assert.equal(fills.size, 2);
  assert.deepEqual([2, 4].map(painter.frame), ["dashed", "solid"]);
  assert.equal(painter.sign(3), "+ ");
  assert.equal(painter.sign(1), "- ");
});
