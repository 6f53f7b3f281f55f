// The whole run as a strip: activity over time, and the displayed part.
import { element } from "../../dom.js";
import { clampRange } from "./timeline_scale.js";

const HEIGHT = 44;

/** onRange(range, isDone): the user chose another part; zoom(time, factor). */
export function createMinimap(timeline, { onRange, onZoom }) {
  const canvas = element("canvas", {
    class: "timeline-minimap",
    role: "img",
    "aria-label": "The whole run: how much began when, and the part that is shown",
  });
  const { end, density } = timeline.facts;
  const most = Math.log1p(Math.max(1, ...density));
  let width = 0;
  let grabbed = null; // {at: time, range} of a drag

  const timeAt = (event) => {
    const box = canvas.getBoundingClientRect();
    return ((event.clientX - box.left) / Math.max(box.width, 1)) * end;
  };
  let range = { from: 0, to: end };

  canvas.addEventListener("pointerdown", (event) => {
    const time = timeAt(event);
    const isInside = time >= range.from && time <= range.to && range.to - range.from < end * 0.98;
    grabbed = { time, range: { ...range }, isInside };
    canvas.setPointerCapture(event.pointerId);
    if (isInside) return;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!grabbed) return;
    const time = timeAt(event);
    if (grabbed.isInside) {
      const by = time - grabbed.time;
      onRange(clampRange(grabbed.range.from + by, grabbed.range.to + by, end), false);
    } else if (Math.abs(time - grabbed.time) > end / 500)
      onRange(clampRange(Math.min(time, grabbed.time), Math.max(time, grabbed.time), end), false);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!grabbed) return;
    const time = timeAt(event);
    const isClick = Math.abs(time - grabbed.time) <= end / 500;
    const half = (range.to - range.from) / 2;
    onRange(isClick ? clampRange(time - half, time + half, end) : range, true);
    grabbed = null;
  });
  canvas.addEventListener("pointercancel", () => (grabbed = null));
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      onZoom(timeAt(event), event.deltaY > 0 ? 1.25 : 0.8);
    },
    { passive: false },
  );

  function draw(shown, area, paint) {
    range = shown;
    width = canvas.clientWidth;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = paint.css.panel;
    context.fillRect(0, 0, width, HEIGHT);
    context.fillStyle = paint.css.dim;
    for (let i = 0; i < density.length; i++) {
      const height = (Math.log1p(density[i]) / most) * (HEIGHT - 6);
      const left = (i / density.length) * width;
      context.fillRect(left, HEIGHT - height, Math.max(width / density.length, 0.75), height);
    }
    const x = (ns) => (ns / Math.max(end, 1)) * width;
    context.fillStyle = paint.css.back;
    context.globalAlpha = 0.7;
    context.fillRect(0, 0, x(shown.from), HEIGHT);
    context.fillRect(x(shown.to), 0, width - x(shown.to), HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = paint.css.accent;
    context.lineWidth = 2;
    const left = x(shown.from);
    context.strokeRect(left + 1, 1, Math.max(x(shown.to) - left - 2, 2), HEIGHT - 2);
    if (area) {
      context.fillStyle = paint.css.accent;
      context.fillRect(x(area.from), HEIGHT - 4, Math.max(2, x(area.to) - x(area.from)), 4);
    }
  }
  return { canvas, draw };
}
