// One frame: the visible lanes, all of their slices, and what is drawn over them.
import { isolated } from "../../format.js";
import { Row, packed, putRow } from "./timeline_raster.js";
import { SIZES, lanesBetween } from "./timeline_lanes.js";
import { stateColour } from "./timeline_paint.js";
import { drawSeries } from "./timeline_series.js";

const LABEL_WIDTH = 34; // css pixels that a box needs to get a label
const LABELS_MAX = 1500;
const ARROWS_MAX = 300;

/**
 * frame: {context, width, height (css pixels), ratio, range, scroll, shown, timeline, paint,
 * messages, selected, area}.  Returns what was drawn: {slices, isComplete, coarsest, arrows,
 * arrowsLeftOut}.
 */
export function drawFrame(frame) {
  const { context, width, height, ratio } = frame;
  const drawn = { isComplete: true, coarsest: 0, arrows: 0, arrowsLeftOut: 0 };
  const inSight = lanesBetween(frame.shown, frame.scroll, frame.scroll + height);
  const image = context.createImageData(Math.round(width * ratio), Math.round(height * ratio));
  const pixels = new Uint32Array(image.data.buffer);
  const labels = [];
  pixels.fill(frame.paint.background);
  for (const placed of inSight) {
    if (placed.lane.kind === "thread") drawThread(frame, image, pixels, placed, labels, drawn);
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.putImageData(image, 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawLabels(frame, labels);
  for (const placed of inSight) drawLane(frame, placed);
  drawMessages(frame, drawn);
  drawSelected(frame);
  drawArea(frame);
  return drawn;
}

function row(frame) {
  const width = Math.round(frame.width * frame.ratio);
  if (!frame.paint.rowBuffer || frame.paint.rowBuffer.width !== width)
    frame.paint.rowBuffer = new Row(width);
  return frame.paint.rowBuffer;
}

/** A strip's slices of some depths as lines of the image. */
function drawStrip(frame, image, pixels, strip, place, labels, drawn) {
  const { range, ratio, timeline } = frame;
  const scale = image.width / (range.to - range.from);
  const got = timeline.visible(strip, range.from, range.to, 1 / scale);
  drawn.isComplete = drawn.isComplete && got.isComplete;
  if (got.level > drawn.coarsest && place.isMain) drawn.coarsest = got.level;
  const byDepth = new Map();
  for (const tile of got.tiles) {
    for (const run of tile.items.runs) {
      if (run.depth < place.first || run.depth >= place.last) continue;
      if (!byDepth.has(run.depth)) byDepth.set(run.depth, []);
      byDepth.get(run.depth).push([tile.items, run]);
    }
  }
  const buffer = row(frame);
  for (const [depth, runs] of byDepth) {
    const top = place.top + depth * place.rowHeight - frame.scroll;
    buffer.clear(frame.paint.background);
    for (const [items, run] of runs)
      buffer.add(items, run, range.from, range.to, scale, place.colourOf, LABEL_WIDTH * ratio);
    buffer.finish();
    const gap = place.rowHeight >= 8 ? 1 : 0;
    putRow(pixels, image.width, image.height, buffer.colours, Math.round(top * ratio),
      Math.round((top + place.rowHeight - gap) * ratio)); // prettier-ignore
    if (place.rowHeight < 14 || labels.length > LABELS_MAX) continue;
    for (const box of buffer.boxes) labels.push({ ...box, top });
  }
}

function drawThread(frame, image, pixels, placed, labels, drawn) {
  const { lane } = placed;
  const { paint, scroll, height, timeline } = frame;
  if (lane.slices && placed.rowCount) {
    const top = placed.top + placed.rows;
    const { rowHeight } = placed;
    const first = Math.max(0, Math.floor((scroll - top) / rowHeight));
    const last = Math.min(placed.rowCount, Math.ceil((scroll + height - top) / rowHeight));
    const place = { top, rowHeight, first, last, colourOf: paint.colourOf, isMain: true };
    if (last > first) drawStrip(frame, image, pixels, lane.slices, place, labels, drawn);
  }
  if (placed.states >= 0) {
    const { states } = timeline.facts;
    const colours = states.map((name) => packed(stateColour(name)));
    const place = { top: placed.top + placed.states, rowHeight: SIZES.stripe, first: 0, last: 1 };
    drawStrip(frame, image, pixels, lane.states, { ...place, colourOf: (state) => colours[state] },
      labels, drawn); // prettier-ignore
  }
}

function drawLabels(frame, labels) {
  const { context, ratio, paint } = frame;
  context.font = paint.font;
  context.textBaseline = "middle";
  for (const { first, last, items, index, top } of labels) {
    const width = (last - first) / ratio;
    const region = items.region[index];
    const many = items.count && items.count[index] > 1;
    const text = paint.fitted(context, region, width - (many ? 26 : 8));
    if (!text) continue;
    context.fillStyle = paint.textOn(paint.colourOf(region));
    context.fillText(many ? `${isolated(text)} …` : text, first / ratio + 4, top + SIZES.row / 2);
  }
}

function drawLane(frame, placed) {
  const { context, width, paint, scroll, range } = frame;
  const { lane } = placed;
  const top = placed.top - scroll;
  context.fillStyle = lane.kind === "process" ? paint.css.line : paint.css.panel;
  context.fillRect(0, top, width, SIZES.header - 1);
  if (lane.kind === "thread") drawLife(frame, lane, top);
  if (placed.marks >= 0) drawMarks(frame, placed, top);
  if (lane.kind === "series" && !placed.isFolded) {
    const box = { top: top + SIZES.header, height: SIZES.series, width, ...range };
    drawSeries(context, lane.series, frame.timeline, box, paint);
  }
}

/** The lifetime of the thread, as a line below its name. */
function drawLife(frame, lane, top) {
  const { context, paint } = frame;
  const left = Math.max(0, x(frame, lane.start));
  const right = Math.min(frame.width, x(frame, lane.end));
  if (right <= 0 || left >= frame.width) return;
  context.fillStyle = lane.isIdle ? paint.css.dim : paint.css.accent;
  context.fillRect(left, top + SIZES.header - 3, Math.max(1, right - left), 2);
}

export function x(frame, ns) {
  return ((ns - frame.range.from) / (frame.range.to - frame.range.from)) * frame.width;
}

/** Instants as small triangles, lost events as hatched gaps over the whole lane. */
function drawMarks(frame, placed, top) {
  const { context, range, timeline, paint, width } = frame;
  const got = timeline.visible(placed.lane.marks, range.from, range.to,
    (range.to - range.from) / width); // prettier-ignore
  let last = -10;
  for (const { items } of got.tiles) {
    for (const run of items.runs) {
      for (let i = run.first; i < run.end; i++) {
        const left = x(frame, items.start[i]);
        const right = x(frame, items.end[i]);
        if (right < -5 || left > width + 5) continue;
        if (run.depth === 1) drawGap(frame, left, Math.max(right, left + 3), top, placed.height);
        else if (left - last >= 2) {
          context.fillStyle = paint.css.text;
          context.beginPath();
          context.moveTo(left - 4, top + placed.marks);
          context.lineTo(left + 4, top + placed.marks);
          context.lineTo(left, top + placed.marks + SIZES.marks);
          context.fill();
          last = left;
        }
      }
    }
  }
}

function drawGap(frame, left, right, top, height) {
  const { context, width, paint } = frame;
  const from = Math.max(0, left);
  const to = Math.min(width, right);
  context.save();
  context.beginPath();
  context.rect(from, top + SIZES.header, to - from, height - SIZES.header - SIZES.gap);
  context.clip();
  context.fillStyle = paint.css.back;
  context.globalAlpha = 0.75;
  context.fillRect(from, top, to - from, height);
  context.globalAlpha = 1;
  context.strokeStyle = paint.css.text;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = from - height; at < to; at += 8) {
    context.moveTo(at, top + height);
    context.lineTo(at + height, top);
  }
  context.stroke();
  context.restore();
}

function heightOf(frame, process, thread) {
  const placed = frame.placedById.get(`t${process}.${thread}`);
  return placed ? placed.top + Math.max(placed.rows ?? 0, SIZES.header) + 6 - frame.scroll : null;
}

function drawMessages(frame, drawn) {
  const { messages, range, height } = frame;
  if (!messages) return;
  const inSight = messages.between(range.from, range.to);
  const step = Math.max(1, Math.ceil(inSight.length / ARROWS_MAX));
  for (let k = 0; k < inSight.length; k += step) {
    const i = inSight[k];
    const from = heightOf(frame, messages.fromProcess[i], messages.fromThread[i]);
    const to = heightOf(frame, messages.toProcess[i], messages.toThread[i]);
    if (from === null || to === null || Math.max(from, to) < 0 || Math.min(from, to) > height)
      continue;
    drawArrow(frame, x(frame, messages.sent[i]), from, x(frame, messages.received[i]), to);
    drawn.arrows++;
  }
  drawn.arrowsLeftOut = inSight.length - drawn.arrows + messages.leftOut(range.from, range.to);
}

function drawArrow(frame, fromX, fromY, toX, toY) {
  const { context, paint } = frame;
  const angle = Math.atan2(toY - fromY, toX - fromX);
  context.strokeStyle = context.fillStyle = paint.css.text;
  context.lineWidth = 1.25;
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
  context.stroke();
  context.beginPath();
  context.moveTo(toX, toY);
  context.lineTo(toX - 8 * Math.cos(angle - 0.4), toY - 8 * Math.sin(angle - 0.4));
  context.lineTo(toX - 8 * Math.cos(angle + 0.4), toY - 8 * Math.sin(angle + 0.4));
  context.fill();
}

function drawSelected(frame) {
  const { selected, context, paint, width } = frame;
  const placed = selected && frame.placedById.get(selected.lane);
  if (!placed || !placed.rowCount || selected.depth >= placed.rowCount) return;
  const left = Math.max(-4, x(frame, selected.start));
  const right = Math.min(width + 4, Math.max(x(frame, selected.end), left + 2));
  const top = placed.top + placed.rows + selected.depth * placed.rowHeight - frame.scroll;
  context.strokeStyle = paint.css.text;
  context.lineWidth = 2.5;
  context.strokeRect(left, top, right - left, Math.max(placed.rowHeight - 1, 3));
}

/** The range that statistics are shown for. */
function drawArea(frame) {
  const { area, context, paint, height } = frame;
  if (!area) return;
  const left = x(frame, area.from);
  const right = x(frame, area.to);
  context.fillStyle = paint.css.accent;
  context.globalAlpha = 0.14;
  context.fillRect(left, 0, right - left, height);
  context.globalAlpha = 1;
  context.fillRect(left - 1, 0, 2, height);
  context.fillRect(right - 1, 0, 2, height);
}
