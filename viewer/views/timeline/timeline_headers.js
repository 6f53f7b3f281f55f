// The names of the visible lanes: buttons over the picture that fold them.
import { element } from "../../dom.js";
import { lanesBetween } from "./timeline_lanes.js";

export function createHeaders(layer, onFold) {
  const made = new Map(); // by lane: the button

  function buttonOf(placed) {
    const { lane } = placed;
    const idle =
      lane.kind === "thread" && lane.isIdle
        ? element("span", { class: "dim" }, " nothing recorded")
        : null;
    const sampled = lane.slices?.kind === 1 ? element("span", { class: "dim" }, " samples") : null;
    return element(
      "button",
      {
        type: "button",
        class: `timeline-lane is-${lane.kind}`,
        "data-lane": lane.id,
        onclick: () => onFold(lane.id),
      },
      element("span", { class: "arrow", "aria-hidden": "true" }),
      element("bdi", {}, lane.title),
      idle,
      sampled,
    );
  }

  /** Those between two heights of all that are shown. */
  return function place(shown, scroll, height) {
    const inSight = lanesBetween(shown, scroll - 30, scroll + height);
    const kept = new Set(inSight.map((placed) => placed.lane.id));
    for (const [id, button] of made) {
      if (kept.has(id)) continue;
      button.remove();
      made.delete(id);
    }
    for (const placed of inSight) {
      const { id } = placed.lane;
      if (!made.has(id)) {
        made.set(id, buttonOf(placed));
        layer.append(made.get(id));
      }
      const button = made.get(id);
      button.style.transform = `translateY(${placed.top - scroll}px)`;
      button.setAttribute("aria-expanded", String(!placed.isFolded));
    }
  };
}
