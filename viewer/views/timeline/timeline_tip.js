// The tooltip next to the pointer.
import { element } from "../../dom.js";
import { hoverText } from "./timeline_details.js";
import { hitAt } from "./timeline_hit.js";

const LENGTH = 300;

export class Tip {
  constructor(view) {
    this.view = view;
    this.element = element("div", { class: "timeline-tip", hidden: true });
  }

  /** At a position of the picture; -1 = hide. */
  show(x, y) {
    const { frame, app, timeline } = this.view;
    const hit = x >= 0 && frame ? hitAt(frame, x, y) : null;
    const text = hit ? hoverText(app, timeline, hit) : "";
    this.element.hidden = text === "";
    if (!text) return;
    this.element.textContent = text.length > LENGTH ? `${text.slice(0, LENGTH)}…` : text;
    const { offsetWidth, offsetHeight } = this.element;
    const left = Math.max(2, Math.min(x + 14, frame.width - offsetWidth - 4));
    const top = y + 22 + offsetHeight > frame.height ? y - offsetHeight - 8 : y + 20;
    this.element.style.transform = `translate(${left}px, ${top}px)`;
  }
}
