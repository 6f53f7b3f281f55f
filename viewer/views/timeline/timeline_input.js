// Wheel, drags and keys: how they change the displayed range.
import { clampRange, zoomRange } from "./timeline_scale.js";

const CLICK_PIXELS = 4;
const STEP = 0.15; // of the displayed range, per key press

/**
 * view: {canvas, scroller, range(), end, setRange(range, isDone), hover(x, y), click(x, y),
 * doubleClick(x, y), mark(area, isDone)}; area = {from, to, top, bottom}.
 */
export function listen(view) {
  const { canvas } = view;
  const pointers = new Map();
  let drag = null;
  let pinch = null;

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width };
  };
  const timeAt = (range, at) => range.from + (at.x / at.width) * (range.to - range.from);

  canvas.addEventListener(
    "wheel",
    (event) => {
      const range = view.range();
      const at = place(event);
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300)));
        view.setRange(zoomRange(range, timeAt(range, at), factor, view.end), true);
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        const by = ((event.deltaX || event.deltaY) / at.width) * (range.to - range.from);
        view.setRange(clampRange(range.from + by, range.to + by, view.end), true);
      }
    },
    { passive: false },
  );
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const at = place(event);
    pointers.set(event.pointerId, at);
    drag = { ...at, range: view.range(), scroll: view.scroller.scrollTop, isMark: event.shiftKey };
    drag.hasMoved = false;
    if (pointers.size === 2) pinch = { range: view.range(), distance: spread(pointers) };
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (!drag) {
      view.hover(at.x, at.y);
      return;
    }
    pointers.set(event.pointerId, at);
    if (pinch && pointers.size === 2) {
      const factor = pinch.distance / Math.max(spread(pointers), 1);
      view.setRange(zoomRange(pinch.range, timeAt(pinch.range, at), factor, view.end), false);
      return;
    }
    drag.hasMoved ||= Math.hypot(at.x - drag.x, at.y - drag.y) > CLICK_PIXELS;
    if (!drag.hasMoved) return;
    if (drag.isMark) view.mark(areaOf(at), false);
    else pan(at);
  });

  function areaOf(at) {
    const [a, b] = [timeAt(drag.range, drag), timeAt(drag.range, at)].sort((x, y) => x - y);
    const [top, bottom] = [drag.y, at.y].sort((x, y) => x - y);
    return { ...clampedArea(a, b), top, bottom };
  }
  function clampedArea(a, b) {
    return { from: Math.max(0, Math.round(a)), to: Math.min(view.end, Math.round(b)) };
  }
  function pan(at) {
    const { range } = drag;
    const by = ((drag.x - at.x) / at.width) * (range.to - range.from);
    view.scroller.scrollTop = drag.scroll + drag.y - at.y;
    view.setRange(clampRange(range.from + by, range.to + by, view.end), false);
  }
  function finish(event, isCancelled) {
    const at = place(event);
    pointers.delete(event.pointerId);
    if (!drag) return;
    if (!drag.hasMoved && !isCancelled && !pinch) view.click(at.x, at.y);
    else if (drag.isMark && drag.hasMoved) view.mark(areaOf(at), true);
    else view.setRange(view.range(), true);
    drag = pinch = null;
  }
  canvas.addEventListener("pointerup", (event) => finish(event, false));
  canvas.addEventListener("pointercancel", (event) => finish(event, true));
  canvas.addEventListener("pointerleave", () => !drag && view.hover(-1, -1));
  canvas.addEventListener("dblclick", (event) => {
    const at = place(event);
    view.doubleClick(at.x, at.y);
  });
}

function spread(pointers) {
  const [a, b] = [...pointers.values()];
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** The new range for a key; null = another key. */
export function rangeOfKey(key, range, end) {
  const span = range.to - range.from;
  const middle = range.from + span / 2;
  const move = (by) => clampRange(range.from + by * span, range.to + by * span, end);
  switch (key) {
    case "w":
    case "+":
    case "=":
      return zoomRange(range, middle, 0.7, end);
    case "s":
    case "-":
      return zoomRange(range, middle, 1 / 0.7, end);
    case "a":
    case "ArrowLeft":
      return move(-STEP);
    case "d":
    case "ArrowRight":
      return move(STEP);
    case "Home":
      return clampRange(0, span, end);
    case "End":
      return clampRange(end - span, end, end);
    case "0":
      return clampRange(0, end, end);
    default:
      return null;
  }
}
