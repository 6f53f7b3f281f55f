// The keys of the timeline: for moving, and from slice to slice.
import { neighbour, hitAt } from "./timeline_hit.js";
import { rangeOfKey } from "./timeline_input.js";

const BESIDE = { ArrowLeft: "previous", ArrowRight: "next", ArrowUp: "parent", ArrowDown: "child" };

/** True if the key was handled. */
export function keyAct(view, event) {
  const isOnCanvas = event.target === view.canvas;
  const isControl =
    event.target.closest?.("button, a, summary, [role=region]") !== null && !isOnCanvas;
  const { slice } = view.panel;
  if (event.key === "Escape" && (slice || view.state.area)) {
    view.letGo();
    return true;
  }
  if (event.key === "m") {
    view.markVisible();
    return true;
  }
  if (event.key === "z" && (slice || view.state.area)) {
    view.zoomTo(slice ?? view.state.area);
    return true;
  }
  if (isControl && (event.key.length > 1 || event.key === " ")) return false;
  if (event.shiftKey && BESIDE[event.key] && slice) {
    const beside = neighbour(view.frame, slice, BESIDE[event.key]);
    if (beside) {
      view.finder.bring({ ...beside, lane: beside.placed.lane });
      view.choose(beside);
    }
    return true;
  }
  if (event.key === "Enter" && isOnCanvas) {
    view.choose(middleSlice(view));
    return true;
  }
  const range = rangeOfKey(event.key, view.state.range, view.end);
  if (!range) return false;
  view.setRange(range, true);
  return true;
}

/** The outermost slice in the middle of the first thread that has one there. */
function middleSlice(view) {
  const { frame } = view;
  for (const placed of view.shown) {
    if (!placed.rowCount || placed.top + placed.height <= frame.scroll) continue;
    const hit = hitAt(frame, frame.width / 2, placed.top + placed.rows + 1 - frame.scroll);
    if (hit?.slice) return hit.slice;
  }
  return null;
}
