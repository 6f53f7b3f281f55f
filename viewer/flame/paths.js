// Trees of call paths in a common form: columns, and steps from path to path.
//
// Every tree has parent, region, calls, self, total (time) as columns by path, 0 being the root;
// own and value are the measure that is drawn: exclusive and inclusive. firstChild() and
// nextSibling() return -1 at the end.  isSorted: siblings are sorted, the largest value first.

/** The call paths of the run, depth first (data.js). */
export class PathTree {
  constructor(columns, regionCount) {
    Object.assign(this, columns, { regionCount });
    this.own = this.self;
    this.value = this.total;
    this.isSorted = true;
    this.isSigned = false;
  }

  firstChild(path) {
    return path + 1 < this.end[path] ? path + 1 : -1;
  }

  nextSibling(path) {
    if (path === 0) return -1;
    const next = this.end[path];
    return next < this.end[this.parent[path]] ? next : -1;
  }

  /** The same paths with another measure: own values by path, which add up. */
  measuredBy(own) {
    const tree = Object.assign(Object.create(PathTree.prototype), this);
    tree.own = own;
    tree.value = summed(this.parent, own, this.count);
    tree.isSorted = false;
    tree.isSigned = false;
    for (let i = 0; i < this.count; i++) if (own[i] < 0) tree.isSigned = true;
    return tree;
  }
}

/** Inclusive values; parents come before children. */
export function summed(parent, own, count) {
  const value = new Float64Array(own);
  for (let i = count - 1; i > 0; i--) value[parent[i]] += value[i];
  return value;
}

/** The path from the root to this one, both included. */
export function pathsTo(tree, path) {
  const found = [];
  for (let at = path; at >= 0; at = tree.parent[at]) found.push(at);
  return found.reverse();
}

/** Children, the largest first; at most `most` of them, and their total number. */
export function childrenBySize(tree, path, key = (child) => tree.value[child]) {
  const found = [];
  for (let at = tree.firstChild(path); at >= 0; at = tree.nextSibling(at)) found.push(at);
  return found.sort((a, b) => key(b) - key(a) || a - b);
}

/** Regions from below the root to a path: identify a path of any tree in a link. */
export function regionsTo(tree, path) {
  return pathsTo(tree, path)
    .slice(1)
    .map((at) => tree.region[at]);
}

/** The path with these regions, or the longest existing prefix. */
export function pathOf(tree, regions) {
  let path = 0;
  for (const region of regions) {
    let at = tree.firstChild(path);
    while (at >= 0 && tree.region[at] !== region) at = tree.nextSibling(at);
    if (at < 0) return path;
    path = at;
  }
  return path;
}

/** The path of that region with the largest value; -1 = none. */
export function largestOf(tree, region) {
  let best = -1;
  for (let i = 1; i < tree.count; i++) {
    if (tree.region[i] === region && (best < 0 || tree.value[i] > tree.value[best])) best = i;
  }
  return best;
}
