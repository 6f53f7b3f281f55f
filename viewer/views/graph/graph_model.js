// Selects the calls that a graph shows; no elements here.  The same as `kymo export --format dot`
// with the same thresholds.

export const MOST_NODES = 600; // larger graphs are unreadable and take long to lay out

/** The state in the link, with defaults. */
export function graphState(params) {
  const number = (text, otherwise) => {
    const value = Number.parseFloat(text);
    return value >= 0 && value <= 100 ? value : otherwise;
  };
  const region = (text) => (text === undefined || text === "" ? -1 : Number(text));
  const word = (text, words) => (words.includes(text) ? text : words[0]);
  return {
    nodes: number(params.nodes, 0.5),
    edges: number(params.edges, 0.1),
    colour: word(params.colour, ["total", "self", "module"]),
    way: word(params.way, ["down", "right"]),
    region: region(params.region),
    focus: region(params.focus),
    search: params.search ?? "",
  };
}

/**
 * {nodes: [{region, share, selfShare, entry}], edges: [{caller, callee, share, link}], all: number
 * of regions, left: how many more reach the threshold}. Shares are of all time of the recorded
 * threads, including time outside regions; thresholds in percent of the time of all regions, as in
 * the export.
 */
export function graphOf(flat, links, { nodes: nodeLeast, edges: edgeLeast, focus }) {
  const called = flat.filter(({ isRest }) => !isRest);
  const sum = selfOf(flat);
  const share = (time) => (sum > 0 ? Math.min(1, time / sum) : 0);
  const regionSum = selfOf(called);
  const isKept = (time, least) => regionSum === 0 || 100 * time >= least * regionSum;
  const kept = called.filter((entry) => entry.region === focus || isKept(entry.total, nodeLeast));
  kept.sort((a, b) => (b.region === focus) - (a.region === focus) || b.total - a.total);
  const left = Math.max(0, kept.length - MOST_NODES);
  kept.length -= left;
  const there = new Set(kept.map(({ region }) => region));
  const isCall = ({ caller, callee, total }) =>
    there.has(caller) &&
    there.has(callee) &&
    (caller === focus || callee === focus || isKept(total, edgeLeast));
  let edges = links.filter(isCall);
  let nodes = kept;
  if (there.has(focus)) {
    const near = around(edges, focus);
    nodes = kept.filter(({ region }) => near.has(region));
    edges = edges.filter(({ caller, callee }) => near.has(caller) && near.has(callee));
  }
  return {
    nodes: nodes.map((entry) => ({
      region: entry.region,
      entry,
      share: share(entry.total),
      selfShare: share(entry.self),
    })),
    edges: edges.map((link) => ({
      caller: link.caller,
      callee: link.callee,
      link,
      share: share(link.total),
    })),
    all: called.length,
    left,
  };
}

function selfOf(entries) {
  return entries.reduce((total, entry) => total + entry.self, 0);
}

/** Regions that reach a region over the edges, or are reached from it. */
export function around(edges, region) {
  const found = new Set([region]);
  for (const [from, to] of [
    ["caller", "callee"],
    ["callee", "caller"],
  ]) {
    const next = new Map();
    for (const edge of edges) {
      if (!next.has(edge[from])) next.set(edge[from], []);
      next.get(edge[from]).push(edge[to]);
    }
    const seen = new Set([region]);
    const open = [region];
    while (open.length > 0) {
      for (const other of next.get(open.pop()) ?? []) {
        if (seen.has(other)) continue;
        seen.add(other);
        open.push(other);
      }
    }
    for (const each of seen) found.add(each);
  }
  return found;
}

/** Regions from the largest on, each followed by its most expensive callee. */
export function hotPath(graph) {
  const path = [];
  let at = graph.nodes.reduce((a, b) => (b.share > (a?.share ?? -1) ? b : a), null)?.region;
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    const from = at;
    const calls = graph.edges.filter(
      ({ caller, callee }) => caller === from && !path.includes(callee),
    );
    at = calls.sort((a, b) => b.share - a.share)[0]?.callee;
  }
  return path;
}

/**
 * The neighbour of a region in the direction of an arrow key; -1 = none.  places: {x, y} by
 * region.
 */
export function neighbour(graph, places, region, key, way) {
  const along =
    way === "down" ? { ArrowUp: "up", ArrowDown: "down" } : { ArrowLeft: "up", ArrowRight: "down" };
  const direction = along[key];
  const best = (edges, end) =>
    edges.filter((edge) => edge[end] !== region).sort((a, b) => b.share - a.share)[0]?.[end] ?? -1;
  if (direction === "down")
    return best(
      graph.edges.filter(({ caller }) => caller === region),
      "callee",
    );
  if (direction === "up")
    return best(
      graph.edges.filter(({ callee }) => callee === region),
      "caller",
    );
  const [across, level] = way === "down" ? ["x", "y"] : ["y", "x"];
  const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  const here = places.get(region);
  const beside = [...places].filter(
    ([, place]) =>
      Math.abs(place[level] - here[level]) < 1 && sign * (place[across] - here[across]) > 0,
  );
  beside.sort(([, a], [, b]) => sign * (a[across] - b[across]));
  return beside[0]?.[0] ?? -1;
}

/** The module of a region, else its file. */
export function moduleOf(regions, region) {
  const text = regions.texts[regions.module[region]] || regions.texts[regions.file[region]] || "";
  return text.replace(/^.*\/(?=[^/])/, "") || "unknown";
}
