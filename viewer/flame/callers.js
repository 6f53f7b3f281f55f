// The tree upside down: below the root every region with its own time, below each those that
// call it, and so on.  Made as far as it is looked at, since all of it may be far larger than
// the tree it comes from.

const NOT_MADE = -2;

export class CallersTree {
  /**
   * By the own values of paths; isTotal: by what they have with all below them, where a region
   * that is called from within itself counts once.
   */
  constructor(tree, isTotal = false) {
    this.base = tree;
    this.isTotal = isTotal;
    this.regionCount = tree.regionCount;
    this.isSorted = true;
    this.isSigned = false;
    this.weights = isTotal ? outermostValues(tree) : tree.own;
    this.parent = [-1];
    this.region = [0];
    this.depth = [0];
    this.calls = [0];
    this.self = [0];
    this.total = [0];
    this.own = [0];
    this.value = [0];
    this.pair = tree.pair ? { was: [0], is: [0] } : null;
    this.first = [NOT_MADE];
    this.next = [-1];
    this.members = [null]; // [the paths that are counted, their callers of this level]
    this.counts = new Uint32Array(tree.regionCount + 1);
    this.deadline = Infinity; // of performance.now(): until then more may be made
    this.isPending = false; // something was asked for after it
    this.start();
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

  start() {
    const { count } = this.base;
    const paths = new Int32Array(count);
    let used = 0;
    for (let i = 1; i < count; i++) if (this.weights[i] > 0) paths[used++] = i;
    const chosen = paths.subarray(0, used);
    this.group(0, chosen, chosen);
    this.addUp();
  }

  addUp() {
    for (let at = this.first[0]; at >= 0; at = this.next[at]) {
      this.value[0] += this.value[at];
      this.self[0] += this.self[at];
      this.total[0] += this.total[at];
      this.calls[0] += this.calls[at];
      if (this.pair) {
        this.pair.was[0] += this.pair.was[at];
        this.pair.is[0] += this.pair.is[at];
      }
    }
  }

  makeChildren(path) {
    const [counted, callers] = this.members[path];
    const { parent } = this.base;
    const above = new Int32Array(counted.length);
    const kept = new Int32Array(counted.length);
    let used = 0;
    for (let i = 0; i < counted.length; i++) {
      const caller = parent[callers[i]];
      if (caller <= 0) {
        this.own[path] += this.weights[counted[i]]; // nobody in the program called it
        continue;
      }
      kept[used] = counted[i];
      above[used++] = caller;
    }
    this.members[path] = null;
    this.group(path, kept.subarray(0, used), above.subarray(0, used));
  }

  /** Children of a path, one for each region of the callers. */
  group(path, counted, callers) {
    const { region } = this.base;
    const { counts } = this;
    const regions = [];
    for (let i = 0; i < callers.length; i++) {
      if (counts[region[callers[i]]]++ === 0) regions.push(region[callers[i]]);
    }
    const made = regions.map((each) => this.add(path, each, counts[each]));
    const positions = new Map(regions.map((each, i) => [each, made[i]]));
    for (const each of regions) counts[each] = 0;
    this.scatter(counted, callers, positions);
    made.sort((a, b) => this.value[b] - this.value[a] || a - b);
    this.first[path] = made.length > 0 ? made[0] : -1;
    for (let i = 0; i < made.length; i++)
      this.next[made[i]] = i + 1 < made.length ? made[i + 1] : -1;
  }

  add(parent, region, size) {
    const made = this.parent.length;
    this.parent.push(parent);
    this.region.push(region);
    this.depth.push(this.depth[parent] + 1);
    for (const column of [this.calls, this.self, this.total, this.own, this.value]) column.push(0);
    if (this.pair) {
      this.pair.was.push(0);
      this.pair.is.push(0);
    }
    this.first.push(NOT_MADE);
    this.next.push(-1);
    this.members.push([new Int32Array(size), new Int32Array(size)]);
    return made;
  }

  addPair(made, path) {
    const { pair } = this.base;
    this.pair.was[made] += this.isTotal ? pair.was[path] : pair.ownWas[path];
    this.pair.is[made] += this.isTotal ? pair.is[path] : pair.ownIs[path];
  }

  /** Give each caller to the path of its region. */
  scatter(counted, callers, positions) {
    const { region, self, calls, total } = this.base;
    const slot = new Int32Array(this.regionCount + 1);
    for (const [each, made] of positions) slot[each] = made;
    const { counts } = this;
    for (let i = 0; i < callers.length; i++) {
      const of = region[callers[i]];
      const made = slot[of];
      const at = counts[of]++;
      const path = counted[i];
      this.members[made][0][at] = path;
      this.members[made][1][at] = callers[i];
      this.value[made] += this.weights[path];
      this.self[made] += self[path];
      this.calls[made] += calls[path];
      this.total[made] += total[path];
      if (this.pair) this.addPair(made, path);
    }
    for (const each of positions.keys()) counts[each] = 0;
  }
}

/** Of paths that are not below their own region the value, of others 0. */
export function outermostValues(tree) {
  const { parent, region, value, count } = tree;
  const open = new Uint32Array(tree.regionCount + 1);
  const values = new Float64Array(count);
  let last = 0;
  for (let i = 1; i < count; i++) {
    while (last !== parent[i]) {
      open[region[last]]--;
      last = parent[last];
    }
    if (open[region[i]]++ === 0) values[i] = value[i];
    last = i;
  }
  return values;
}
