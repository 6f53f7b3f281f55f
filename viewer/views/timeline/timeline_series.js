// Series: points while they are few, else minimum, maximum and mean of equal steps of time.

const COARSEST = 128;

function floats(reader, count) {
  const bytes = reader.bytes.slice(reader.at, reader.at + 4 * count); // aligned
  reader.at += 4 * count;
  return new Float32Array(bytes.buffer);
}

/** One entry per series: {times, values} or {levels: [{count, min, max, mean}]}. */
export function loadSeries(reader) {
  const found = [];
  while (!reader.isAtEnd) {
    const count = reader.varint();
    if (count > 0) {
      const times = new Float64Array(count);
      for (let i = 0, last = 0; i < count; i++) times[i] = last += reader.varint();
      found.push({ times, values: floats(reader, count) });
      continue;
    }
    const levels = [];
    const steps = reader.isAtEnd ? 0 : reader.varint();
    for (let step = steps; step >= COARSEST; step /= 8) {
      const [min, max, mean] = [0, 0, 0].map(() => floats(reader, step));
      levels.push({ count: step, min, max, mean });
    }
    found.push({ levels });
  }
  return found;
}

/** The coarsest level with a step no longer than a pixel, else the finest. */
function levelOf(levels, end, nsPerPixel) {
  return levels.findLast((level) => end / level.count <= nsPerPixel) ?? levels[0];
}

/** The value at a time; null = before the first one. */
export function valueAt(data, end, ns) {
  if (!data) return null;
  if (data.times) {
    let found = null;
    for (let low = 0, high = data.times.length; low < high;) {
      const middle = (low + high) >> 1;
      if (data.times[middle] <= ns) {
        found = data.values[middle];
        low = middle + 1;
      } else high = middle;
    }
    return found;
  }
  const level = data.levels[0];
  if (!level) return null;
  let step = Math.min(level.count - 1, Math.floor((ns / (end + 1)) * level.count));
  while (step >= 0 && Number.isNaN(level.mean[step])) step--;
  return step >= 0 ? level.mean[step] : null;
}

export function drawSeries(context, series, timeline, box, paint) {
  const data = timeline.series?.[series.number];
  if (!data || !(series.max >= series.min)) return;
  const low = Math.min(0, series.min);
  const high = series.max > low ? series.max : low + 1;
  const y = (value) => box.top + 3 + (1 - (value - low) / (high - low)) * (box.height - 6);
  const x = (ns) => ((ns - box.from) / (box.to - box.from)) * box.width;
  context.strokeStyle = paint.css.line;
  context.lineWidth = 1;
  context.strokeRect(-1, box.top, box.width + 2, box.height);
  context.fillStyle = context.strokeStyle = paint.css.accent;
  if (data.times) drawPoints(context, data, box, x, y);
  else if (data.levels.length) drawSteps(context, data, timeline.facts.end, box, x, y);
  drawScale(context, series, box, paint);
}

/** The maximum and the minimum, over the curve. */
function drawScale(context, series, box, paint) {
  context.font = paint.font;
  context.textBaseline = "middle";
  for (const [value, height] of [
    [series.max, box.top + 11],
    [Math.min(0, series.min), box.top + box.height - 10],
  ]) {
    const text = Number(value.toPrecision(5)).toLocaleString("en-US");
    const width = context.measureText(text).width;
    context.globalAlpha = 0.8;
    context.fillStyle = paint.css.back;
    context.fillRect(box.width - width - 12, height - 8, width + 8, 16);
    context.globalAlpha = 1;
    context.fillStyle = paint.css.dim;
    context.fillText(text, box.width - width - 8, height);
  }
}

/** As steps: a value holds until the next one. */
function drawPoints(context, { times, values }, box, x, y) {
  context.lineWidth = 1.5;
  context.beginPath();
  for (let i = 0; i < times.length; i++) {
    if (i + 1 < times.length && times[i + 1] < box.from) continue;
    const left = x(times[i]);
    if (left > box.width + 2) break;
    context.lineTo(left, y(values[i]));
    const right = i + 1 < times.length ? x(times[i + 1]) : left + 3;
    context.lineTo(Math.min(right, box.width + 2), y(values[i]));
  }
  context.stroke();
}

function drawSteps(context, { levels }, end, box, x, y) {
  const level = levelOf(levels, end, (box.to - box.from) / box.width);
  const length = end / level.count;
  const first = Math.max(0, Math.floor(box.from / length));
  const last = Math.min(level.count, Math.ceil(box.to / length));
  context.globalAlpha = 0.35;
  for (let i = first; i < last; i++) {
    if (Number.isNaN(level.mean[i])) continue;
    const top = y(level.max[i]);
    context.fillRect(x(i * length), top, Math.max(1, x(length) - x(0)),
      Math.max(1, y(level.min[i]) - top)); // prettier-ignore
  }
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let i = first; i < last; i++) {
    if (!Number.isNaN(level.mean[i])) context.lineTo(x((i + 0.5) * length), y(level.mean[i]));
  }
  context.stroke();
}
