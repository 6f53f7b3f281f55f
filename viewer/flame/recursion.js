// Merges recursion: a recursive call is merged with the outer one, which becomes the caller of its
// callees.  The sum of all is unchanged.
import { finished } from "../ahead.js";

const LONG = 32; // a list of children that is searched linearly only once
const STEP = 1 << 14; // paths between two yields

/**
 * In steps (ahead.js): a tree whose paths contain every region once at most; the same tree if that
 * is already so.
 */
export function* mergingRecursion(tree) {
  if (!hasRecursion(tree)) return tree;
  const merged = new MergedTree(tree);
  yield* merged.make(tree);
  return merged;
}

/** The same, at once. */
export const mergedRecursion = (tree) => finished(mergingRecursion(tree));

/** Depth first, with the number of open visits of every region. */
export function hasRecursion(tree) {
  const { parent, region, count } = tree;
  const open = new Uint8Array(tree.regionCount);
  let last = 0;
  for (let i = 1; i < count; i++) {
    while (last !== parent[i]) {
      open[region[last]] = 0;
      last = parent[last];
    }
    if (open[region[i]]) return true;
    open[region[i]] = 1;
    last = i;
  }
  return false;
}

class MergedTree {
  constructor(tree) {
    const { count } = tree;
    this.regionCount = tree.regionCount;
    this.isSorted = false;
    this.isSigned = tree.isSigned;
    this.parent = new Int32Array(count);
    this.region = new Uint32Array(count);
    this.depth = new Uint16Array(count);
    this.first = new Int32Array(count).fill(-1);
    this.next = new Int32Array(count).fill(-1);
    this.parent[0] = -1;
    this.count = 1;
    this.isJoined = new Uint8Array(count); // merged from several paths
    this.children = new Map(); // by region, of paths with many
    this.positions = new Int32Array(count); // new index of each path of the tree
  }

  *make(tree) {
    for (let i = 1; i < tree.count; i += STEP) {
      this.merge(tree, i, Math.min(i + STEP, tree.count));
      yield;
    }
    this.self = this.added(tree.self);
    yield;
    this.calls = this.added(tree.calls);
    yield;
    this.total = this.withChildren(this.self);
    yield;
    this.own = tree.own === tree.self ? this.self : this.added(tree.own);
    this.value = tree.own === tree.self ? this.total : this.withChildren(this.own);
    this.pair = tree.pair ? this.mergedPair(tree.pair) : null;
  }

  firstChild(path) {
    return this.first[path];
  }

  nextSibling(path) {
    return this.next[path];
  }

  merge(tree, from, to) {
    const { parent, region } = tree;
    const { positions } = this;
    const own = { parent: this.parent, region: this.region };
    for (let i = from; i < to; i++) {
      const below = positions[parent[i]];
      let at = below;
      while (at > 0 && own.region[at] !== region[i]) at = own.parent[at];
      if (at === 0 && this.isJoined[below]) at = this.find(below, region[i]);
      if (at > 0) this.isJoined[at] = 1;
      else at = this.add(below, region[i]);
      positions[i] = at;
    }
  }

  /**
   * The child of a path with that region; 0 = none.  Only for merged paths: the children of one
   * path of the tree all differ.
   */
  find(path, region) {
    const known = this.children.get(path);
    if (known) return known.get(region) ?? 0;
    let length = 0;
    for (let at = this.first[path]; at >= 0; at = this.next[at]) {
      if (this.region[at] === region) return at;
      length++;
    }
    if (length > LONG) this.children.set(path, this.childrenOf(path));
    return 0;
  }

  childrenOf(path) {
    const found = new Map();
    for (let at = this.first[path]; at >= 0; at = this.next[at]) found.set(this.region[at], at);
    return found;
  }

  add(below, region) {
    const made = this.count++;
    this.parent[made] = below;
    this.region[made] = region;
    this.depth[made] = Math.min(this.depth[below] + 1, 65535);
    this.next[made] = this.first[below];
    this.first[below] = made;
    this.children.get(below)?.set(region, made);
    return made;
  }

  added(column) {
    const sums = new Float64Array(this.count);
    for (let i = 0; i < this.positions.length; i++) sums[this.positions[i]] += column[i];
    return sums;
  }

  mergedPair(pair) {
    const ownWas = this.added(pair.ownWas);
    const ownIs = this.added(pair.ownIs);
    return { ownWas, ownIs, was: this.withChildren(ownWas), is: this.withChildren(ownIs) };
  }

  withChildren(own) {
    const value = own.slice();
    for (let i = this.count - 1; i > 0; i--) value[this.parent[i]] += value[i];
    return value;
  }
}
