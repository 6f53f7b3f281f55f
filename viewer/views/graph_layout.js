// Places for the nodes and ways for the edges.
import dagre from "../vendor/dagre.esm.js";

const MANY = 150; // nodes, from which on a faster ranking is good enough

/**
 * sizeOf(node), labelSizeOf(edge) → {width, height}.  Returns {width, height, places: by region {x, y, width,
 * height}, edges: [{edge, points, x, y}]}, where x, y is the middle: of an edge, of its label.
 */
export function layOut(graph, way, sizeOf, labelSizeOf) {
  const made = new dagre.graphlib.Graph();
  made.setGraph({
    rankdir: way === "right" ? "LR" : "TB",
    nodesep: 18,
    ranksep: 22,
    edgesep: 12,
    marginx: 12,
    marginy: 12,
    ranker: graph.nodes.length > MANY ? "tight-tree" : "network-simplex",
  });
  for (const node of graph.nodes) made.setNode(String(node.region), { ...sizeOf(node) });
  for (const edge of graph.edges) {
    made.setEdge(String(edge.caller), String(edge.callee), {
      ...labelSizeOf(edge),
      labelpos: "c",
      weight: 1 + Math.round(10 * edge.share),
      edge,
    });
  }
  dagre.layout(made);
  const places = new Map(graph.nodes.map(({ region }) => [region, made.node(String(region))]));
  const edges = made.edges().map((ends) => made.edge(ends));
  const { width, height } = made.graph();
  return { width: Math.max(1, width || 0), height: Math.max(1, height || 0), places, edges };
}

/**
 * Where to begin to look at what is too large for a window of that {width, height}: the first
 * of a path's places at the edge, as much of the path as there is room for in the middle.
 */
export function beginning(path, way, window, scale) {
  const [along, across, length, breadth] =
    way === "down" ? ["y", "x", "height", "width"] : ["x", "y", "width", "height"];
  const [first] = path;
  const shown = path.filter((place) => (place[along] - first[along]) * scale < window[length]);
  const at = shown.map((place) => place[across]);
  const middle = (Math.min(...at) + Math.max(...at)) / 2;
  return {
    [along]: 16 - (first[along] - first[length] / 2) * scale,
    [across]: window[breadth] / 2 - middle * scale,
  };
}

/** A smooth way through points, as an SVG path. */
export function pathThrough(points) {
  const at = ({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`;
  if (points.length < 3) return `M${points.map(at).join("L")}`;
  let path = `M${at(points[0])}`;
  for (let i = 1; i < points.length - 1; i++) {
    const next = points[i + 1];
    const end =
      i === points.length - 2
        ? next
        : { x: (points[i].x + next.x) / 2, y: (points[i].y + next.y) / 2 };
    path += `Q${at(points[i])} ${at(end)}`;
  }
  return path;
}
