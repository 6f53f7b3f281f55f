// Positions of the boxes of a tree, row by row; boxes below half a pixel are skipped.

class Columns {
  constructor() {
    this.count = 0;
    this.grow(1024);
  }

  grow(capacity) {
    const grown = {
      x: new Float64Array(capacity),
      width: new Float64Array(capacity),
      path: new Int32Array(capacity),
    };
    for (const key of Object.keys(grown)) {
      if (this[key]) grown[key].set(this[key]);
      this[key] = grown[key];
    }
    this.capacity = capacity;
  }

  push(x, width, path) {
    if (this.count === this.capacity) this.grow(2 * this.capacity);
    this.x[this.count] = x;
    this.width[this.count] = width;
    this.path[this.count++] = path;
  }
}

/**
 * The boxes below zoom: {count, x, width, path, rows}; row r is from rows[r] to before rows[r + 1],
 * from left to right.  A box with a negative path stands for the small children of path -1 - it.
 * options: width in pixels, least (minimum pixels), depth (maximum rows), share (minimum part of
 * zoom), rank (of regions by name: that order, else by size).
 */
export function layout(tree, zoom, options) {
  const { width, least = 0.5, depth = Infinity, share = 0 } = options;
  const boxes = new Columns();
  const rows = [0, 1];
  const whole = tree.value[zoom];
  boxes.push(0, width, zoom);
  if (whole > 0) {
    const smallest = Math.max(least, share * width);
    for (let row = 0; row + 1 < depth; row++) {
      for (let i = rows[row]; i < rows[row + 1]; i++) {
        if (boxes.path[i] >= 0) putChildren(tree, boxes, i, smallest, least, options.rank);
      }
      if (boxes.count === rows[row + 1]) break;
      rows.push(boxes.count);
    }
  }
  return { count: boxes.count, x: boxes.x, width: boxes.width, path: boxes.path, rows };
}

/** The children of a box that are wide enough, then one box for the others. */
function putChildren(tree, boxes, box, smallest, least, rank) {
  const parent = boxes.path[box];
  const scale = boxes.width[box] / extent(tree, parent);
  const found = [];
  let rest = 0;
  for (let at = tree.firstChild(parent); at >= 0; at = tree.nextSibling(at)) {
    const width = tree.value[at] * scale;
    if (width >= smallest) found.push(at);
    else if (tree.isSorted) {
      rest = restOf(tree, parent, found) * scale;
      break;
    } else rest += Math.max(0, width);
  }
  if (rank) found.sort((a, b) => rank[tree.region[a]] - rank[tree.region[b]]);
  else if (!tree.isSorted) found.sort((a, b) => tree.value[b] - tree.value[a] || a - b);
  let x = boxes.x[box];
  for (const at of found) {
    const width = tree.value[at] * scale;
    boxes.push(x, width, at);
    x += width;
  }
  if (rest >= least) boxes.push(x, rest, -1 - parent);
}

/** The value of a box's width; children with negative siblings may have more. */
function extent(tree, path) {
  if (!tree.isSigned) return tree.value[path];
  let sum = 0;
  for (let at = tree.firstChild(path); at >= 0; at = tree.nextSibling(at))
    sum += Math.max(0, tree.value[at]);
  return Math.max(sum, tree.value[path]);
}

/** The value of children other than those found. */
function restOf(tree, parent, found) {
  let rest = tree.value[parent] - tree.own[parent];
  for (const at of found) rest -= tree.value[at];
  return Math.max(0, rest);
}

/** The box at a position; -1 = none. */
export function boxAt(boxes, row, x) {
  if (row < 0 || row + 1 >= boxes.rows.length) return -1;
  let low = boxes.rows[row];
  let high = boxes.rows[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes.x[middle] + boxes.width[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low < boxes.rows[row + 1] && boxes.x[low] <= x ? low : -1;
}

/** The box of a path, and its row; null = not shown. */
export function boxOf(boxes, path) {
  for (let row = 0; row + 1 < boxes.rows.length; row++) {
    for (let i = boxes.rows[row]; i < boxes.rows[row + 1]; i++)
      if (boxes.path[i] === path) return { box: i, row };
  }
  return null;
}
