// The time axis: 1-2-5 ticks that are far enough apart for their labels.
import { tickStep, ticks, timeLabel } from "./timeline_scale.js";

const HEIGHT = 28;
const LABEL_GAP = 26; // pixels next to a label

/** The shortest step whose labels fit between its ticks. */
function stepFor(context, range, nsPerPixel) {
  let step = tickStep(60 * nsPerPixel);
  for (let i = 0; i < 6; i++) {
    const width = context.measureText(timeLabel(range.to, step)).width + LABEL_GAP;
    if (width * nsPerPixel <= step) break;
    step = tickStep(Math.max(width * nsPerPixel, step * 1.01));
  }
  return step;
}

export function drawAxis(canvas, range, paint) {
  const width = canvas.clientWidth;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  const context = canvas.getContext("2d");
  const span = range.to - range.from;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, HEIGHT);
  context.font = paint.font;
  const step = stepFor(context, range, span / Math.max(width, 1));
  context.textBaseline = "middle";
  context.lineWidth = 1;
  for (const time of ticks(range.from, range.to, step / 5)) {
    const x = Math.round(((time - range.from) / span) * width) + 0.5;
    const isMain = Math.abs(time / step - Math.round(time / step)) < 1e-6;
    context.strokeStyle = isMain ? paint.css.text : paint.css.line;
    context.beginPath();
    context.moveTo(x, isMain ? 8 : HEIGHT - 7);
    context.lineTo(x, HEIGHT);
    context.stroke();
    if (!isMain) continue;
    context.fillStyle = paint.css.text;
    const label = timeLabel(time, step);
    if (x + 5 + context.measureText(label).width <= width)
      context.fillText(label, x + 5, HEIGHT / 2 - 2);
  }
}
