import assert from "node:assert/strict";
import { test } from "node:test";
import { callersOf, outermostValues } from "../flame/callers.js";
import { boxAt, boxOf, layout } from "../flame/layout.js";
import { loadMetric, signed } from "../flame/measures.js";
import { textOn } from "../flame/paint.js";
import { childrenBySize, pathOf, pathsTo, PathTree, regionsTo } from "../flame/paths.js";
import { hasRecursion, mergedRecursion } from "../flame/recursion.js";
import { matchRegions, totalOfMatches } from "../flame/search.js";
import { TextFitter } from "../flame/text.js";

/** Numbers that are the same in every run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A tree of nested {region, self, calls, children}, as the page holds it. */
function treeOf(root, regionCount) {
  const columns = { parent: [], depth: [], end: [], region: [], calls: [], self: [], total: [] };
  const totalOf = (node) => node.self + node.children.reduce((sum, each) => sum + totalOf(each), 0);
  const put = (node, parent, depth) => {
    const at = columns.parent.length;
    columns.parent.push(parent);
    columns.depth.push(depth);
    columns.end.push(0);
    columns.region.push(node.region);
    columns.calls.push(node.calls);
    columns.self.push(node.self);
    columns.total.push(totalOf(node));
    [...node.children]
      .sort((a, b) => totalOf(b) - totalOf(a))
      .forEach((each) => put(each, at, depth + 1));
    columns.end[at] = columns.parent.length;
  };
  put(root, -1, 0);
  return new PathTree({ count: columns.parent.length, ...columns }, regionCount);
}

/** Siblings have different regions, as in call paths. */
function randomNode(below, regionCount, depth) {
  const regions = new Set(
    Array.from({ length: depth > 0 ? below(5) : 0 }, () => below(regionCount)),
  );
  return {
    region: 0,
    self: below(1000),
    calls: 1 + below(9),
    children: [...regions].map((region) => ({
      ...randomNode(below, regionCount, depth - 1),
      region,
    })),
  };
}

const REGIONS = 7;
const forests = Array.from({ length: 20 }, (_, seed) =>
  treeOf(randomNode(numbers(seed + 1), REGIONS, 6), REGIONS),
).filter((tree) => tree.count > 3);

/** Self times by region. */
function selfByRegion(tree) {
  const sums = new Float64Array(REGIONS);
  for (let i = 1; i < tree.count; i++) sums[tree.region[i]] += tree.self[i];
  return sums;
}

function eachBox(boxes, visit) {
  for (let row = 0; row + 1 < boxes.rows.length; row++) {
    for (let i = boxes.rows[row]; i < boxes.rows[row + 1]; i++) visit(i, row);
  }
}

function checkLayout(tree, zoom, options) {
  const boxes = layout(tree, zoom, options);
  const at = new Map();
  eachBox(boxes, (i, row) => {
    if (boxes.path[i] >= 0) at.set(boxes.path[i], i);
    const isFirst = i === boxes.rows[row];
    assert.ok(isFirst || boxes.x[i] >= boxes.x[i - 1] + boxes.width[i - 1] - 1e-9, "no overlap");
    if (row === 0) return;
    const parent = at.get(boxes.path[i] < 0 ? -1 - boxes.path[i] : tree.parent[boxes.path[i]]);
    assert.ok(boxes.x[i] >= boxes.x[parent] - 1e-9, "starts in its parent");
    assert.ok(
      boxes.x[i] + boxes.width[i] <= boxes.x[parent] + boxes.width[parent] + 1e-6,
      "ends in it",
    );
    assert.ok(boxes.width[i] >= 0.5);
    if (boxes.path[i] >= 0 && !tree.isSigned) {
      const part = tree.value[boxes.path[i]] / tree.value[zoom];
      assert.ok(Math.abs(boxes.width[i] - part * options.width) < 1e-6, "as wide as its value");
    }
  });
  return boxes;
}

test("boxes fit in their parents and are as wide as their values", () => {
  for (const tree of forests) {
    for (const zoom of [0, 1, tree.count - 2]) {
      checkLayout(tree, zoom, { width: 640 });
      checkLayout(tree, zoom, { width: 20 });
      checkLayout(tree, zoom, { width: 640, share: 0.01 });
    }
    checkLayout(tree.measuredBy(tree.calls), 0, { width: 640 });
    checkLayout(mergedRecursion(tree), 0, { width: 640 });
    checkLayout(callersOf(tree), 0, { width: 640 });
    checkLayout(callersOf(tree, true), 0, { width: 640 });
  }
});

test("every path that is wide enough has a box, the others are one", () => {
  for (const tree of forests) {
    const boxes = checkLayout(tree, 0, { width: 300 });
    const shown = new Set([...boxes.path.subarray(0, boxes.count)].filter((path) => path >= 0));
    for (let i = 1; i < tree.count; i++) {
      assert.equal(
        shown.has(i),
        (300 * tree.value[i]) / tree.value[0] >= 0.5 && shown.has(tree.parent[i]),
      );
    }
  }
});

test("zooming keeps the order, the depth limit cuts rows", () => {
  for (const tree of forests) {
    const whole = layout(tree, 0, { width: 100000 });
    const child = layout(tree, 1, { width: 100000 });
    const below = [...whole.path.subarray(0, whole.count)].filter(
      (path) => path >= 1 && path < tree.end[1],
    );
    const zoomed = [...child.path.subarray(0, child.count)].filter((path) => below.includes(path));
    assert.deepEqual(zoomed, below);
    assert.ok(layout(tree, 0, { width: 640, depth: 2 }).rows.length <= 3);
  }
});

test("by name the children are in the order of names", () => {
  const rank = Uint32Array.from({ length: REGIONS }, (_, i) => REGIONS - i);
  for (const tree of forests) {
    const boxes = checkLayout(tree, 0, { width: 5000, rank });
    for (let i = 2; i < boxes.count; i++) {
      const [a, b] = [boxes.path[i - 1], boxes.path[i]];
      if (a > 0 && b > 0 && tree.parent[a] === tree.parent[b])
        assert.ok(rank[tree.region[a]] < rank[tree.region[b]]);
    }
  }
});

test("negative values do not let boxes out of their parents", () => {
  const tree = forests[0].measuredBy(
    forests[0].self.map((each, i) => (i % 3 === 0 ? -each : each)),
  );
  assert.ok(tree.isSigned);
  checkLayout(tree, tree.value.indexOf(Math.max(...tree.value)), { width: 640 });
});

test("the box at a place is the one that is drawn there", () => {
  const boxes = layout(forests[1], 0, { width: 640 });
  eachBox(boxes, (i, row) => {
    assert.equal(boxAt(boxes, row, boxes.x[i] + boxes.width[i] / 2), i);
    if (boxes.path[i] >= 0) assert.deepEqual(boxOf(boxes, boxes.path[i]), { box: i, row });
  });
  assert.equal(boxAt(boxes, 0, 641), -1);
  assert.equal(boxAt(boxes, -1, 1), -1);
  assert.equal(boxAt(boxes, boxes.rows.length, 1), -1);
});

test("upside down every region has its flat self time, and callers share it out", () => {
  for (const tree of forests) {
    const callers = callersOf(tree);
    const sums = selfByRegion(tree);
    const seen = new Float64Array(REGIONS);
    for (let at = callers.firstChild(0); at >= 0; at = callers.nextSibling(at))
      seen[callers.region[at]] = callers.value[at];
    assert.deepEqual(seen, sums);
    for (let i = 0; i < callers.count && i < 5000; i++) {
      let sum = i === 0 ? 0 : undefined;
      for (let at = callers.firstChild(i); at >= 0; at = callers.nextSibling(at))
        sum = (sum ?? 0) + callers.value[at];
      assert.ok(Math.abs((sum ?? 0) + callers.own[i] - callers.value[i]) < 1e-6);
    }
  }
});

test("upside down by total every region has its total, recursion counted once", () => {
  for (const tree of forests) {
    const totals = new Float64Array(REGIONS);
    outermostValues(tree).forEach((value, i) => (totals[tree.region[i]] += i ? value : 0));
    const expected = new Float64Array(REGIONS);
    for (let i = 1; i < tree.count; i++) {
      const above = pathsTo(tree, i).slice(1, -1);
      if (!above.some((each) => tree.region[each] === tree.region[i]))
        expected[tree.region[i]] += tree.total[i];
    }
    assert.deepEqual(totals, expected);
    const callers = callersOf(tree, true);
    for (let at = callers.firstChild(0); at >= 0; at = callers.nextSibling(at)) {
      assert.equal(callers.value[at], expected[callers.region[at]]);
    }
  }
});

test("a tree upside down is made in pieces where time is short", () => {
  const callers = callersOf(forests[0]);
  callers.deadline = -1;
  const first = callers.firstChild(0);
  assert.equal(callers.firstChild(first), -1);
  assert.ok(callers.isPending);
  callers.deadline = Infinity;
  layout(callers, 0, { width: 640 });
  assert.equal(callers.value[0], callersOf(forests[0]).value[0]);
});

test("merged recursion keeps the sums, and no region is below itself", () => {
  for (const tree of forests) {
    const merged = mergedRecursion(tree);
    assert.equal(merged.value[0], tree.value[0]);
    assert.deepEqual(selfByRegion(merged), selfByRegion(tree));
    assert.ok(!hasRecursion(tree) || merged.count < tree.count);
    for (let i = 1; i < merged.count; i++) {
      const regions = regionsTo(merged, i);
      assert.equal(new Set(regions).size, regions.length);
    }
    for (let i = 0; i < merged.count; i++) {
      let sum = merged.own[i];
      for (let at = merged.firstChild(i); at >= 0; at = merged.nextSibling(at))
        sum += merged.value[at];
      assert.equal(sum, merged.value[i]);
    }
  }
});

test("without recursion a tree is merged already", () => {
  const tree = treeOf(
    { region: 0, self: 1, calls: 0, children: [{ region: 1, self: 2, calls: 1, children: [] }] },
    2,
  );
  assert.equal(mergedRecursion(tree), tree);
});

test("matches below matches count once", () => {
  const leaf = (region, self) => ({ region, self, calls: 1, children: [] });
  const inner = { region: 1, self: 10, calls: 1, children: [leaf(2, 5), leaf(1, 7)] };
  const tree = treeOf({ region: 0, self: 0, calls: 0, children: [inner, leaf(2, 3)] }, 3);
  const regions = { name: ["", "solve", "step"], place: ["", "a.py:1", "b.py:2"] };
  const found = matchRegions(regions, "solve");
  assert.deepEqual(totalOfMatches(tree, found.regions).total, 22);
  assert.equal(totalOfMatches(tree, found.regions).paths.length, 2);
  assert.equal(totalOfMatches(tree, matchRegions(regions, "/^st/").regions).total, 8);
  assert.equal(totalOfMatches(tree, matchRegions(regions, "b.py").regions).total, 8);
  assert.equal(matchRegions(regions, ""), null);
  assert.ok(matchRegions(regions, "/(/").problem);
});

test("a path is named by its regions in every tree", () => {
  for (const tree of forests) {
    for (const each of [tree, mergedRecursion(tree), callersOf(tree)]) {
      each.firstChild(0);
      for (let i = 0; i < Math.min(each.count, 50); i++)
        assert.equal(pathOf(each, regionsTo(each, i)), i);
    }
  }
});

test("children come with the largest first", () => {
  const tree = forests[2].measuredBy(forests[2].calls);
  const values = childrenBySize(tree, 0).map((path) => tree.value[path]);
  assert.deepEqual(
    values,
    [...values].sort((a, b) => b - a),
  );
});

test("metrics have signs", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map(signed), [0, -1, 1, -2, 2]);
  const given = [7, 6, 0];
  assert.deepEqual([...loadMetric({ varint: () => given.shift() }, 4)], [0, -4, 3, 0]);
});

test("texts are cut where they end, never inside a character", () => {
  const fitter = new TextFitter({ measureText: (text) => ({ width: 10 * [...text].length }) });
  fitter.setFont("x");
  assert.equal(fitter.fit("abcdef", 60), "abcdef");
  assert.equal(fitter.fit("abcdef", 59), "abcd…");
  assert.equal(fitter.fit("abcdef", 20), "");
  assert.equal(fitter.fit("ab😀😀😀", 45), "ab😀…");
});

test("texts on boxes have a contrast of 4.5 at least", () => {
  const luminance = (hex) => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const value = parseInt(hex.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (let i = 0; i < 256; i += 5) {
    const hex = `#${[i, 255 - i, (i * 7) % 256].map((each) => each.toString(16).padStart(2, "0")).join("")}`;
    const light = luminance(hex);
    const contrast = textOn(hex) === "#000" ? (light + 0.05) / 0.05 : 1.05 / (light + 0.05);
    assert.ok(contrast >= 4.5, `${hex}: ${contrast}`);
  }
});
