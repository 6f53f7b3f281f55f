// The inverted tree: below the root every region with its own time, below each its callers, and so
// on.  Built lazily, since all of it may be far larger than the original tree.
import { finished } from "../ahead.js";

const NOT_MADE = -2;

/**
 * In steps (ahead.js): the tree by the own values of paths; isTotal: by inclusive values, where
 * recursive calls count once.
 */
export function* makingCallers(tree, isTotal = false) {
  const callers = new CallersTree(tree, isTotal);
  yield* callers.start();
  return callers;
}

/** The same, at once. */
export const callersOf = (tree, isTotal) => finished(makingCallers(tree, isTotal));

class CallersTree {
  constructor(tree, isTotal) {
    this.base = tree;
    this.isTotal = isTotal;
    this.regionCount = tree.regionCount;
    this.isSorted = true;
    this.isSigned = false;
    this.weights = isTotal ? outermostValues(tree) : tree.own;
    this.columns = this.columnsOf(tree);
    this.parent = [-1];
    this.region = [0];
    this.depth = [0];
    this.own = [0];
    this.first = [NOT_MADE];
    this.next = [-1];
    for (const { to } of this.columns) to.push(0);
    // Of each path the visits that are counted there: {paths, callers (of this level)}.  They are
    // stored with the path's parent until one of its children is needed.
    this.visits = [null];
    this.mixed = [null];
    this.counts = new Uint32Array(tree.regionCount + 1);
    this.slots = new Int32Array(tree.regionCount + 1);
    this.deadline = Infinity; // of performance.now(): nodes may be built until then
    this.isPending = false; // something was requested after it
  }

  /** The columns that are added up in each path: [{from, to, sums by region}]. */
  columnsOf(tree) {
    const column = (from) => ({ from, to: [], sums: new Float64Array(tree.regionCount + 1) });
    const columns = [tree.self, tree.calls, tree.total, this.weights].map(column);
    [this.self, this.calls, this.total, this.value] = columns.map((each) => each.to);
    if (!tree.pair) return columns;
    const { was, is, ownWas, ownIs } = tree.pair;
    const pair = (this.isTotal ? [was, is] : [ownWas, ownIs]).map(column);
    this.pair = { was: pair[0].to, is: pair[1].to };
    return [...columns, ...pair];
  }

  get count() {
    return this.parent.length;
  }

  firstChild(path) {
    if (this.first[path] === NOT_MADE) {
      if (performance.now() > this.deadline) {
        this.isPending = true;
        return -1;
      }
      this.makeChildren(path);
    }
    return this.first[path];
  }

  nextSibling(path) {
    return this.next[path];
  }

  *start() {
    const { count } = this.base;
    const { weights } = this;
    yield;
    const paths = new Int32Array(count);
    let used = 0;
    for (let i = 1; i < count; i++) if (weights[i] > 0) paths[used++] = i;
    const chosen = paths.subarray(0, used);
    const visits = { paths: chosen, callers: chosen };
    const regions = this.countCallers(visits);
    for (const column of this.columns) {
      yield;
      this.addUp(column, visits);
    }
    this.group(0, visits, regions);
    for (let at = this.first[0]; at >= 0; at = this.next[at]) {
      for (const { to } of this.columns) to[0] += to[at];
    }
  }

  makeChildren(path) {
    if (this.visits[path] === null) this.split(this.parent[path]);
    const { paths, callers } = this.visits[path];
    const { parent } = this.base;
    const above = new Int32Array(callers.length);
    const kept = new Int32Array(callers.length);
    let used = 0;
    for (let i = 0; i < callers.length; i++) {
      const caller = parent[callers[i]];
      if (caller <= 0) {
        this.own[path] += this.weights[paths[i]]; // it has no caller in the program
        continue;
      }
      kept[used] = paths[i];
      above[used++] = caller;
    }
    this.visits[path] = null;
    const visits = { paths: kept.subarray(0, used), callers: above.subarray(0, used) };
    const regions = this.countCallers(visits);
    for (const column of this.columns) this.addUp(column, visits);
    this.group(path, visits, regions);
  }

  /** Create the children of a path, one for each region of the callers, the largest first. */
  group(path, visits, regions) {
    const { counts, columns } = this;
    const made = regions.map((region) => this.add(path, region));
    for (const region of regions) {
      counts[region] = 0;
      for (const { sums } of columns) sums[region] = 0;
    }
    made.sort((a, b) => this.value[b] - this.value[a] || a - b);
    this.first[path] = made.length > 0 ? made[0] : -1;
    for (let i = 0; i + 1 < made.length; i++) this.next[made[i]] = made[i + 1];
    this.mixed[path] = visits;
  }

  /** Count the visits by the regions of their callers; returns these regions. */
  countCallers({ callers }) {
    const { region } = this.base;
    const { counts } = this;
    const regions = [];
    for (let i = 0; i < callers.length; i++) {
      if (counts[region[callers[i]]]++ === 0) regions.push(region[callers[i]]);
    }
    return regions;
  }

  /** Add the visits up by the regions of their callers. */
  addUp({ from, sums }, { paths, callers }) {
    const { region } = this.base;
    for (let i = 0; i < callers.length; i++) sums[region[callers[i]]] += from[paths[i]];
  }

  add(parent, region) {
    const made = this.parent.length;
    this.parent.push(parent);
    this.region.push(region);
    this.depth.push(this.depth[parent] + 1);
    this.own.push(0);
    for (const { to, sums } of this.columns) to.push(sums[region]);
    this.first.push(NOT_MADE);
    this.next.push(-1);
    this.visits.push(null);
    this.mixed.push(null);
    return made;
  }

  /** Distribute the visits of a path to its children. */
  split(path) {
    const { region } = this.base;
    const { counts, slots } = this;
    const { paths, callers } = this.mixed[path];
    for (let i = 0; i < callers.length; i++) counts[region[callers[i]]]++;
    let used = 0;
    for (let at = this.first[path]; at >= 0; at = this.next[at]) {
      slots[this.region[at]] = used;
      used += counts[this.region[at]];
    }
    const sorted = { paths: new Int32Array(used), callers: new Int32Array(used) };
    for (let i = 0; i < callers.length; i++) {
      const at = slots[region[callers[i]]]++;
      sorted.paths[at] = paths[i];
      sorted.callers[at] = callers[i];
    }
    for (let at = this.first[path]; at >= 0; at = this.next[at]) {
      const end = slots[this.region[at]];
      const begin = end - counts[this.region[at]];
      counts[this.region[at]] = 0;
      this.visits[at] = {
        paths: sorted.paths.subarray(begin, end),
        callers: sorted.callers.subarray(begin, end),
      };
    }
    this.mixed[path] = null;
  }
}

/** The value of paths that are not below their own region, 0 for the others. */
export function outermostValues(tree) {
  const { parent, region, value, count } = tree;
  const open = new Uint32Array(tree.regionCount + 1);
  const values = new Float64Array(count);
  const order = depthFirst(tree);
  for (let i = 1, last = 0; i < count; i++) {
    const path = order === null ? i : order[i];
    while (last !== parent[path]) {
      open[region[last]]--;
      last = parent[last];
    }
    if (open[region[path]]++ === 0) values[path] = value[path];
    last = path;
  }
  return values;
}

/** The paths in depth-first order; null if they already are. */
function depthFirst(tree) {
  if (tree.end) return null;
  const order = new Int32Array(tree.count);
  const stack = [0];
  for (let used = 0; stack.length > 0; used++) {
    const path = stack.pop();
    order[used] = path;
    for (let at = tree.firstChild(path); at >= 0; at = tree.nextSibling(at)) stack.push(at);
  }
  return order;
}
