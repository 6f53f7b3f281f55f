// Draws rows of boxes: the icicle from the top down, the flame graph from the bottom up.

/** Height of all rows. */
export function rowsHeight(boxes, rowHeight) {
  return (boxes.rows.length - 1) * rowHeight;
}

/** The row at a height of the scrolled drawing. */
export function rowAt(scene, y) {
  const row = Math.floor(y / scene.rowHeight);
  const rows = scene.boxes.rows.length - 1;
  return scene.isUpward
    ? Math.floor((contentHeight(scene) - y) / scene.rowHeight)
    : row < rows
      ? row
      : -1;
}

export function contentHeight(scene) {
  return Math.max(scene.height, rowsHeight(scene.boxes, scene.rowHeight));
}

/** The top of a row in the window. */
export function rowTop(scene, row) {
  const y = scene.isUpward
    ? contentHeight(scene) - (row + 1) * scene.rowHeight
    : row * scene.rowHeight;
  return y - scene.scrollTop;
}

/**
 * scene: {context, fitter, boxes, tree, width, height, scrollTop, rowHeight, isUpward, painter,
 * found (by region, or null), label(path), detail(path), colours: {rest, back, mark}}.
 */
export function drawRows(scene) {
  for (let row = 0; row + 1 < scene.boxes.rows.length; row++) {
    const y = rowTop(scene, row);
    if (y > -scene.rowHeight && y < scene.height) drawRow(scene, row, y);
  }
}

function drawRow(scene, row, y) {
  const { context, boxes, tree, painter, found, rowHeight, colours } = scene;
  const to = boxes.rows[row + 1];
  for (let i = boxes.rows[row]; i < to; i++) {
    const path = boxes.path[i];
    const x = boxes.x[i];
    const gap = boxes.width[i] > 3 ? 1 : 0;
    const width = Math.max(boxes.width[i] - gap, 0.5);
    if (path < 0) {
      context.fillStyle = colours.rest;
      context.fillRect(x, y, width, (rowHeight - 1) / 2);
      continue;
    }
    const region = tree.region[path];
    const isDimmed = found !== null && path !== 0 && !found[region];
    const paint = path === 0 ? scene.rootPaint : painter.fill(path, region);
    context.globalAlpha = isDimmed ? 0.25 : 1;
    context.fillStyle = paint.fill;
    context.fillRect(x, y, width, rowHeight - 1);
    context.globalAlpha = 1;
    if (found !== null && found[region] && path !== 0) mark(scene, x, y, width);
    if (width > 24) drawLabel(scene, path, x, y, width, isDimmed ? colours.text : paint.text);
    if (width > 4 && path !== 0 && painter.frame?.(path)) {
      strokeFrame(context, painter.frame(path), colours.text, () =>
        context.strokeRect(x + 1, y + 1, width - 2, rowHeight - 3),
      );
    }
  }
}

/** A frame, solid or dashed. */
export function strokeFrame(context, frame, colour, stroke) {
  context.lineWidth = 2;
  context.strokeStyle = colour;
  context.setLineDash(frame === "dashed" ? [5, 4] : []);
  stroke();
  context.setLineDash([]);
}

/** A match: a bar below it, so that it does not rely on colour alone. */
function mark({ context, rowHeight, colours }, x, y, width) {
  context.fillStyle = colours.mark;
  context.fillRect(x, y + rowHeight - 5, width, 4);
}

function drawLabel(scene, path, x, y, width, colour) {
  const { context, fitter, rowHeight } = scene;
  const available = width - 8;
  const name = scene.label(path);
  const text = fitter.fit(name, available);
  if (text === "") return;
  context.fillStyle = colour;
  const middle = y + rowHeight / 2;
  context.fillText(text, x + 4, middle);
  if (text !== name || available < 90) return;
  const detail = scene.detail(path);
  const wide = fitter.width(detail);
  if (fitter.width(name) + wide + 12 <= available)
    context.fillText(detail, x + 4 + available - wide, middle);
}
