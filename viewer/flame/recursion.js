// Merged recursion: a region that is called from within itself is one with the outer one, and
// what it calls is called by that.  The sum of all stays what it was.

/** A tree whose paths have every region once at most; the same tree where that is so already. */
export function mergedRecursion(tree) {
  return hasRecursion(tree) ? new MergedTree(tree) : tree;
}

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
    this.positions = this.merge(tree);
    this.self = this.added(tree.self);
    this.calls = this.added(tree.calls);
    this.total = this.withChildren(this.self);
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

  /** Where each path of the tree went. */
  merge(tree) {
    const { count, parent, region } = tree;
    const positions = new Int32Array(count);
    const children = new ChildTable(count);
    for (let i = 1; i < count; i++) {
      const below = positions[parent[i]];
      let at = below;
      while (at > 0 && this.region[at] !== region[i]) at = this.parent[at];
      positions[i] = at > 0 ? at : this.child(children, below, region[i]);
    }
    return positions;
  }

  child(children, below, region) {
    const slot = children.find(below, region, this.parent, this.region);
    if (children.slots[slot]) return children.slots[slot];
    const made = this.count++;
    children.slots[slot] = made;
    this.parent[made] = below;
    this.region[made] = region;
    this.depth[made] = Math.min(this.depth[below] + 1, 65535);
    this.next[made] = this.first[below];
    this.first[below] = made;
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

/** Paths by their parent and region: open addressing, no objects. */
class ChildTable {
  constructor(count) {
    let size = 16;
    while (size < 2 * count) size *= 2;
    this.slots = new Int32Array(size); // 0 = free: the root is nobody's child
    this.mask = size - 1;
  }

  /** Its slot, or the free one where it belongs. */
  find(parent, region, parents, regions) {
    let at = Math.imul(Math.imul(parent, 0x9e3779b1) ^ region, 0x85ebca6b);
    at = (at ^ (at >>> 15)) & this.mask;
    for (;;) {
      const path = this.slots[at];
      if (path === 0 || (parents[path] === parent && regions[path] === region)) return at;
      at = (at + 1) & this.mask;
    }
  }
}
