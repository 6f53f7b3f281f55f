// Positions of the nodes and paths of the edges.

/** The layout task in plain numbers; sizes by sizeOf(node) and labelSizeOf(edge). */
export function taskOf(graph, way, sizeOf, labelSizeOf) {
  return {
    way,
    nodes: graph.nodes.map((node) => ({ name: String(node.region), ...sizeOf(node) })),
    edges: graph.edges.map((edge) => ({
      from: String(edge.caller),
      to: String(edge.callee),
      weight: 1 + Math.round(10 * edge.share),
      ...labelSizeOf(edge),
    })),
  };
}

/**
 * Lays a task out with dagre: {width, height, nodes: [{x, y}], edges: [{points, x, y}]}, where x, y
 * is the middle: of an edge, of its label.  Self-contained, since a worker runs it, too.
 */
export function layOutTask(dagre, task) {
  const made = new dagre.graphlib.Graph();
  made.setGraph({
    rankdir: task.way === "right" ? "LR" : "TB",
    nodesep: 18,
    ranksep: 22,
    edgesep: 12,
    marginx: 12,
    marginy: 12,
    // A faster ranking for large graphs.
    ranker: task.nodes.length > 150 ? "tight-tree" : "network-simplex",
  });
  for (const { name, width, height } of task.nodes) made.setNode(name, { width, height });
  for (const { from, to, width, height, weight } of task.edges) {
    made.setEdge(from, to, { width, height, weight, labelpos: "c" });
  }
  dagre.layout(made, { disableOptimalOrderHeuristic: task.nodes.length > 150 });
  const { width, height } = made.graph();
  return {
    width: Math.max(1, width || 0),
    height: Math.max(1, height || 0),
    nodes: task.nodes.map(({ name }) => ({ x: made.node(name).x, y: made.node(name).y })),
    edges: task.edges.map(({ from, to }) => {
      const { points, x, y } = made.edge(from, to);
      return { points, x, y };
    }),
  };
}

/** {width, height, places: by region {x, y, width, height}, edges: [{edge, points, x, y}]}. */
export function placed(graph, task, result) {
  const { width, height } = result;
  const places = new Map(
    graph.nodes.map(({ region }, i) => [
      region,
      { ...result.nodes[i], width: task.nodes[i].width, height: task.nodes[i].height },
    ]),
  );
  const edges = graph.edges.map((edge, i) => ({ edge, ...result.edges[i] }));
  return { width, height, places, edges };
}

/**
 * The initial position for a drawing too large for a window of that {width, height}: the first of a
 * path's positions at the edge, as much of the path as fits in the middle.
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

/** A smooth curve through points, as an SVG path. */
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
