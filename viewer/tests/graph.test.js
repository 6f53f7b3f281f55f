import assert from "node:assert/strict";
import { test } from "node:test";
import { heat, heatText } from "../colours.js";
import dagre from "../vendor/dagre.esm.js";
import { beginning, layOutTask, pathThrough, placed, taskOf } from "../views/graph/graph_layout.js";
import { Layouter } from "../views/graph/graph_worker.js";

import {
  MOST_NODES,
  around,
  graphOf,
  graphState,
  hotPath,
  moduleOf,
  neighbour,
} from "../views/graph/graph_model.js";

const entry = (region, self, total) => ({ region, self, total, calls: 1, primitive: 1 });
const link = (caller, callee, total, calls = 1) => ({ caller, callee, total, calls, self: 0 });

// 0 calls 1 and 2; 1 and 3 call one another; 2 is small; 4 is alone and calls itself.
const FLAT = [
  entry(0, 10, 900),
  entry(1, 500, 880),
  entry(2, 4, 4),
  entry(3, 386, 600),
  entry(4, 100, 100),
];
const LINKS = [
  link(-1, 0, 900),
  link(0, 1, 880),
  link(0, 2, 4),
  link(1, 3, 600),
  link(3, 1, 300),
  link(4, 4, 60),
  link(3, 0, 0.5),
];
const ends = (graph) => graph.edges.map(({ caller, callee }) => `${caller}>${callee}`).sort();
const layOut = (graph, way, ...sizes) => {
  const task = taskOf(graph, way, ...sizes);
  return placed(graph, task, layOutTask(dagre, task));
};
const regions = (graph) => graph.nodes.map(({ region }) => region).sort();

test("thresholds leave out regions, and calls of them", () => {
  const graph = graphOf(FLAT, LINKS, { nodes: 0.5, edges: 0.1, focus: -1 });
  assert.deepEqual(regions(graph), [0, 1, 3, 4]);
  assert.deepEqual(ends(graph), ["0>1", "1>3", "3>1", "4>4"]);
  assert.equal(graph.nodes.find(({ region }) => region === 1).share, 0.88);
  const all = graphOf(FLAT, LINKS, { nodes: 0, edges: 0, focus: -1 });
  assert.equal(all.nodes.length, 5);
  assert.equal(all.edges.length, 6);
  assert.deepEqual(regions(graphOf(FLAT, LINKS, { nodes: 70, edges: 0, focus: -1 })), [0, 1]);
});

test("a threshold is met by what is equal to it", () => {
  assert.ok(regions(graphOf(FLAT, LINKS, { nodes: 10, edges: 0, focus: -1 })).includes(4));
  assert.ok(ends(graphOf(FLAT, LINKS, { nodes: 0, edges: 6, focus: -1 })).includes("4>4"));
});

test("where no time was measured nothing is left out", () => {
  const still = FLAT.map(({ region }) => entry(region, 0, 0));
  assert.equal(graphOf(still, LINKS, { nodes: 5, edges: 5, focus: -1 }).nodes.length, 5);
});

test("around a region: what reaches it and what it reaches", () => {
  const edges = [link(0, 1), link(1, 2), link(0, 3), link(3, 4), link(2, 1)];
  assert.deepEqual([...around(edges, 1)].sort(), [0, 1, 2]);
  assert.deepEqual([...around(edges, 3)].sort(), [0, 3, 4]);
  const graph = graphOf(FLAT, LINKS, { nodes: 0.5, edges: 0.1, focus: 2 });
  assert.deepEqual(regions(graph), [0, 2]);
});

test("too many regions are cut to the largest", () => {
  const many = Array.from({ length: MOST_NODES + 50 }, (_, i) => entry(i, 1, i + 1));
  const graph = graphOf(many, [], { nodes: 0, edges: 0, focus: 3 });
  assert.equal(graph.left, 50);
  assert.deepEqual(regions(graph), [3]);
  assert.equal(graphOf(many, [], { nodes: 0, edges: 0, focus: -1 }).nodes.length, MOST_NODES);
});

test("the link says what is shown", () => {
  assert.deepEqual(graphState({}), {
    nodes: 0.5,
    edges: 0.1,
    colour: "total",
    way: "down",
    region: -1,
    focus: -1,
    search: "",
  });
  const state = graphState({ nodes: "0", edges: "900", colour: "self", way: "up", region: "0" });
  assert.deepEqual(
    [state.nodes, state.edges, state.colour, state.way, state.region],
    [0, 0.1, "self", "down", 0],
  );
});

test("a layout has a place for each region and no two overlap, cycles and all", () => {
  const graph = graphOf(FLAT, LINKS, { nodes: 0, edges: 0, focus: -1 });
  for (const way of ["down", "right"]) {
    const layout = layOut(
      graph,
      way,
      () => ({ width: 100, height: 50 }),
      () => ({ width: 40, height: 20 }),
    );
    assert.equal(layout.places.size, 5);
    assert.equal(layout.edges.length, 6);
    const places = [...layout.places.values()];
    for (const a of places) {
      assert.ok(
        a.x - 50 >= 0 && a.x + 50 <= layout.width && a.y - 25 >= 0 && a.y + 25 <= layout.height,
      );
      for (const b of places) {
        assert.ok(a === b || Math.abs(a.x - b.x) >= 100 || Math.abs(a.y - b.y) >= 50);
      }
    }
    for (const { points } of layout.edges) assert.match(pathThrough(points), /^M[\d.,\-QL ]+$/);
    const [top, below] = way === "down" ? ["y", "y"] : ["x", "x"];
    assert.ok(layout.places.get(0)[top] < layout.places.get(2)[below]);
  }
});

test("what is too large to be read begins with its path in the middle", () => {
  const places = [
    { x: 900, y: 40, width: 100, height: 60 },
    { x: 500, y: 140, width: 100, height: 60 },
  ];
  const view = beginning(places, "down", { width: 800, height: 600 }, 0.5);
  assert.equal(700 * 0.5 + view.x, 400);
  assert.equal((40 - 30) * 0.5 + view.y, 16);
  const right = beginning(places, "right", { width: 800, height: 600 }, 0.5);
  assert.equal(90 * 0.5 + right.y, 300);
  assert.equal((900 - 50) * 0.5 + right.x, 16);
});

test("nothing is laid out, too", () => {
  const layout = layOut(
    { nodes: [], edges: [] },
    "down",
    () => ({}),
    () => ({}),
  );
  assert.ok(layout.width >= 1 && layout.height >= 1);
});

test("arrow keys go along the largest calls", () => {
  const graph = graphOf(FLAT, LINKS, { nodes: 0, edges: 0, focus: -1 });
  const places = new Map([
    [0, { x: 5, y: 0 }],
    [1, { x: 0, y: 9 }],
    [2, { x: 9, y: 9 }],
    [3, { x: 0, y: 20 }],
    [4, { x: 90, y: 0 }],
  ]);
  assert.equal(neighbour(graph, places, 0, "ArrowDown", "down"), 1);
  assert.equal(neighbour(graph, places, 3, "ArrowUp", "down"), 1);
  assert.equal(neighbour(graph, places, 1, "ArrowRight", "down"), 2);
  assert.equal(neighbour(graph, places, 2, "ArrowLeft", "down"), 1);
  assert.equal(neighbour(graph, places, 2, "ArrowRight", "down"), -1);
  assert.equal(neighbour(graph, places, 4, "ArrowDown", "down"), -1);
  assert.equal(neighbour(graph, places, 0, "ArrowRight", "right"), 1);
});

test("the hot path follows the largest calls and ends in a cycle", () => {
  const graph = graphOf(FLAT, LINKS, { nodes: 0, edges: 0, focus: -1 });
  assert.deepEqual(hotPath(graph), [0, 1, 3]);
  assert.deepEqual(hotPath({ nodes: [], edges: [] }), []);
});

test("modules by their last names", () => {
  const texts = ["", "/lib/libm.so", "demo", "/a/b.py"];
  const data = { texts, module: [1, 2, 0, 0], file: [0, 3, 3, 0] };
  assert.deepEqual(
    [0, 1, 2, 3].map((region) => moduleOf(data, region)),
    ["libm.so", "demo", "b.py", "unknown"],
  );
});

function luminance(colour) {
  const parts = colour.startsWith("#")
    ? [1, 2, 3].map((at) => parseInt(colour[at], 16) * 17)
    : colour.match(/\d+/g).map(Number);
  const [r, g, b] = parts
    .map((value) => value / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test("text on heat can be read", () => {
  for (const isDark of [false, true]) {
    for (let part = 0; part <= 1; part += 0.01) {
      const [a, b] = [heat(part, isDark), heatText(part, isDark)].map(luminance).sort();
      assert.ok((b + 0.05) / (a + 0.05) >= 4.5, `${part} ${isDark}`);
    }
  }
});

test("what is laid out by a worker stands for itself", () => {
  const alone = new Function(`"use strict"; return ${layOutTask}`)();
  const graph = graphOf(FLAT, LINKS, { nodes: 0, edges: 0, focus: -1 });
  const sizes = [() => ({ width: 100, height: 50 }), () => ({ width: 40, height: 20 })];
  const task = structuredClone(taskOf(graph, "down", ...sizes));
  assert.deepEqual(alone(dagre, task), layOutTask(dagre, task));
});

test("without workers it is laid out all the same", async () => {
  const graph = graphOf(FLAT, LINKS, { nodes: 0, edges: 0, focus: -1 });
  const task = taskOf(
    graph,
    "down",
    () => ({ width: 9, height: 9 }),
    () => ({}),
  );
  assert.equal((await new Layouter().run(task)).nodes.length, 5);
});
