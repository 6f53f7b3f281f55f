// Canvases of the ranks view: a heat strip, all values at once, a histogram.
import { heat } from "../../colours.js";
import { columnsOf } from "./ranks_data.js";

/** A canvas that fills its element, in device pixels; null while it has no size. */
export function contextOf(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width === 0 || height === 0) return null;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return { context, width, height };
}

/** Colours of the page's theme. */
export function inkOf(element) {
  const style = getComputedStyle(element);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    text: read("--text"),
    dim: read("--dim"),
    line: read("--line"),
    bar: read("--bar"),
    accent: read("--accent"),
  };
}

/** One cell per group, large values in strong colours; chosen: the position of one, or -1. */
export function drawStrip(canvas, { values, positions, most, chosen, isDark }) {
  const made = contextOf(canvas);
  if (!made) return;
  const { context, width, height } = made;
  const columns = columnsOf(values, positions, Math.floor(width));
  const edge = (i) => Math.round((i * width) / columns.length);
  columns.forEach(({ max }, i) => {
    context.fillStyle = heat(most > 0 ? max / most : 0, isDark);
    const gap = width / columns.length > 6 ? 1 : 0;
    context.fillRect(edge(i), 0, edge(i + 1) - edge(i) - gap, height);
  });
  if (chosen < 0) return;
  const at = columns.findIndex(({ from, to }) => chosen >= from && chosen < to);
  context.strokeStyle = isDark ? "#ffffff" : "#000000";
  context.lineWidth = 2;
  context.strokeRect(edge(at) + 1, 1, Math.max(4, edge(at + 1) - edge(at) - 2), height - 2);
}

/** Bars of all groups with a line at the mean; several in a pixel: range and mean. */
export function drawBars(canvas, { values, positions, spread, chosen, format }) {
  const made = contextOf(canvas);
  if (!made) return;
  const { context, width, height } = made;
  const ink = inkOf(canvas);
  const top = 20;
  const available = height - top;
  const y = (value) => height - (spread.max > 0 ? (value / spread.max) * available : 0);
  const columns = columnsOf(values, positions, Math.floor(width / 2));
  const edge = (i) => (i * width) / columns.length;
  const gap = width / columns.length > 4 ? Math.min(6, width / columns.length / 5) : 0;
  columns.forEach(({ from, to, max, mean }, i) => {
    const left = edge(i) + gap / 2;
    const across = Math.max(1, edge(i + 1) - edge(i) - gap);
    const isChosen = chosen >= from && chosen < to;
    context.fillStyle = isChosen ? ink.text : ink.bar;
    context.globalAlpha = isChosen ? 1 : to - from > 1 ? 0.45 : 0.85;
    context.fillRect(left, y(max), across, height - y(max));
    context.globalAlpha = 1;
    if (to - from > 1) context.fillRect(left, y(mean), across, height - y(mean));
  });
  context.strokeStyle = ink.text;
  context.setLineDash([6, 4]);
  context.beginPath();
  context.moveTo(0, y(spread.mean));
  context.lineTo(width, y(spread.mean));
  context.stroke();
  context.fillStyle = ink.text;
  context.font = "14px system-ui, sans-serif";
  context.textAlign = "right";
  context.fillText(`mean ${format(spread.mean)} · most ${format(spread.max)}`, width - 4, 14);
}

/** The number of groups by value. */
export function drawHistogram(canvas, { bins, low, width: step }, format) {
  const made = contextOf(canvas);
  if (!made) return;
  const { context, width, height } = made;
  const ink = inkOf(canvas);
  const [top, bottom] = [20, 24];
  const most = Math.max(...bins);
  context.font = "14px system-ui, sans-serif";
  bins.forEach((count, i) => {
    const left = (i * width) / bins.length;
    const across = width / bins.length - 2;
    const size = ((height - top - bottom) * count) / most;
    context.fillStyle = ink.bar;
    context.fillRect(left, height - bottom - size, across, size);
    context.fillStyle = ink.text;
    context.textAlign = "center";
    if (count > 0 && across > 22)
      context.fillText(String(count), left + across / 2, height - bottom - size - 4);
  });
  context.fillStyle = ink.dim;
  context.fillRect(0, height - bottom, width, 1);
  context.textAlign = "left";
  context.fillText(format(low), 0, height - 6);
  context.textAlign = "right";
  if (step > 0) context.fillText(format(low + step * bins.length), width, height - 6);
}
