// The same boxes as rings: the zoomed path in the middle, its callees around it.

import { strokeFrame } from "./boxes.js";

const TURN = 2 * Math.PI;

/** The rings that fit: {centreX, centreY, inner radius, thickness, rings}. */
export function ringsOf(width, height, rowCount) {
  const radius = Math.max(40, Math.min(width, height) / 2 - 4);
  const most = Math.max(1, Math.floor((radius - 48) / 18));
  const rings = Math.max(1, Math.min(rowCount - 1, most));
  const inner = Math.max(48, radius / (rings + 1.5));
  return {
    centreX: width / 2,
    centreY: height / 2,
    inner,
    rings,
    thickness: (radius - inner) / rings,
  };
}

/** Width in pixels for laying out the boxes: the outermost circle. */
export function circumference(width, height) {
  return TURN * Math.max(40, Math.min(width, height) / 2 - 4);
}

/** The row and the position at a point; row -1 = outside. */
export function polarAt(scene, x, y) {
  const { centreX, centreY, inner, thickness, rings } = scene.rings;
  const away = Math.hypot(x - centreX, y - centreY);
  if (away < inner) return { row: 0, x: 0 };
  const row = 1 + Math.floor((away - inner) / thickness);
  if (row > rings) return { row: -1, x: 0 };
  const angle = (Math.atan2(y - centreY, x - centreX) + TURN / 4 + TURN) % TURN;
  return { row, x: (angle / TURN) * scene.boxes.width[0] };
}

/** scene as of drawRows(), and rings. */
export function drawSunburst(scene) {
  const { boxes, rings } = scene;
  const last = Math.min(rings.rings, boxes.rows.length - 2);
  for (let row = 1; row <= last; row++) {
    for (let i = boxes.rows[row]; i < boxes.rows[row + 1]; i++) drawArc(scene, row, i);
  }
  drawCentre(scene);
}

function anglesOf(scene, i) {
  const factor = TURN / scene.boxes.width[0];
  const from = scene.boxes.x[i] * factor - TURN / 4;
  return [from, from + scene.boxes.width[i] * factor];
}

/** The outline of a box, to fill or to stroke. */
export function arcPath(scene, row, i) {
  const { context, rings } = scene;
  const { centreX, centreY, inner, thickness } = rings;
  context.beginPath();
  if (row === 0) {
    context.arc(centreX, centreY, inner - 1, 0, TURN);
    return;
  }
  const [from, to] = anglesOf(scene, i);
  const near = inner + (row - 1) * thickness;
  const far = near + thickness - 1;
  const gap = Math.min(0.5 / near, (to - from) / 4);
  context.arc(centreX, centreY, far, from + gap, to - gap);
  context.arc(centreX, centreY, near, to - gap, from + gap, true);
  context.closePath();
}

function drawArc(scene, row, i) {
  const { context, boxes, tree, painter, found, colours } = scene;
  const path = boxes.path[i];
  arcPath(scene, row, i);
  if (path < 0) {
    context.fillStyle = colours.rest;
    context.fill();
    return;
  }
  const region = tree.region[path];
  const isDimmed = found !== null && !found[region];
  const paint = painter.fill(path, region);
  context.globalAlpha = isDimmed ? 0.25 : 1;
  context.fillStyle = paint.fill;
  context.fill();
  context.globalAlpha = 1;
  if (found !== null && found[region]) {
    context.lineWidth = 3;
    context.strokeStyle = colours.mark;
    context.stroke();
  }
  const frame = painter.frame?.(path);
  if (frame) strokeFrame(context, frame, colours.text, () => context.stroke());
  drawArcLabel(scene, row, i, isDimmed ? colours.text : paint.text);
}

/** Along the radius if the box is narrow, along the ring if it is wide. */
function drawArcLabel(scene, row, i, colour) {
  const { context, fitter, rings, boxes, fontSize } = scene;
  const [from, to] = anglesOf(scene, i);
  const away = rings.inner + (row - 0.5) * rings.thickness;
  const along = (to - from) * away;
  const isRadial = rings.thickness > along || along < 3 * fontSize;
  if ((isRadial ? along : rings.thickness) < fontSize + 2) return;
  const text = fitter.fit(
    scene.label(boxes.path[i]),
    (isRadial ? rings.thickness : Math.min(along, TURN * 0.4 * away)) - 8,
  );
  if (text === "") return;
  context.fillStyle = colour;
  context.textAlign = "center";
  if (isRadial) drawRadial(scene, text, (from + to) / 2, away);
  else drawAlong(scene, text, (from + to) / 2, away);
  context.textAlign = "left";
}

function drawRadial({ context, rings }, text, angle, away) {
  const isLeft = Math.cos(angle) < 0;
  context.save();
  context.translate(rings.centreX + away * Math.cos(angle), rings.centreY + away * Math.sin(angle));
  context.rotate(isLeft ? angle + TURN / 2 : angle);
  context.fillText(text, 0, 0);
  context.restore();
}

/** Character by character; below the middle in the other direction, so that none is upside down. */
function drawAlong({ context, fitter, rings }, text, angle, away) {
  const step = Math.sin(angle) > 0 ? -1 : 1;
  let at = angle - (step * fitter.width(text)) / 2 / away;
  for (const character of text) {
    const width = fitter.widthOf(character);
    const middle = at + (step * width) / 2 / away;
    context.save();
    context.translate(
      rings.centreX + away * Math.cos(middle),
      rings.centreY + away * Math.sin(middle),
    );
    context.rotate(middle + (step * TURN) / 4);
    context.fillText(character, 0, 0);
    context.restore();
    at += (step * width) / away;
  }
}

function drawCentre(scene) {
  const { context, fitter, rings, boxes } = scene;
  const path = boxes.path[0];
  const paint = path === 0 ? scene.rootPaint : scene.painter.fill(path, scene.tree.region[path]);
  arcPath(scene, 0, 0);
  context.fillStyle = paint.fill;
  context.fill();
  context.fillStyle = paint.text;
  context.textAlign = "center";
  const available = 2 * rings.inner - 14;
  context.fillText(
    fitter.fit(scene.label(path), available),
    rings.centreX,
    rings.centreY - 0.6 * scene.fontSize,
  );
  context.fillText(
    fitter.fit(scene.value(path), available),
    rings.centreX,
    rings.centreY + 0.7 * scene.fontSize,
  );
  context.textAlign = "left";
}
