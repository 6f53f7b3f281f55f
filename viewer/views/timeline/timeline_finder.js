// Search: what is highlighted, and stepping from one match to the next.
import { findRegions, nextSlice } from "./timeline_find.js";
import { clampRange } from "./timeline_scale.js";

export class Finder {
  constructor(view) {
    this.view = view;
    this.found = null;
  }

  /** Marks by region of the matches; null = no search. */
  get marks() {
    return this.found?.count ? this.found.marks : null;
  }

  /** Called while typing. */
  find(text) {
    Object.assign(this.view.state, { find: text, region: null });
    this.view.keepLink();
    this.apply();
  }

  findRegion(region) {
    this.view.controls.input.value = "";
    Object.assign(this.view.state, { find: "", region });
    this.view.keepLink();
    this.apply();
  }

  /** Highlight the matches of the state. */
  apply() {
    const { view } = this;
    const { find, region } = view.state;
    this.found = findRegions(view.app.data.regions, view.flat, find, region);
    view.controls.say(this.found);
    view.paint?.setHighlight(this.marks);
    view.redraw();
  }

  async step(direction) {
    const { view } = this;
    if (!this.marks) return;
    const time = view.panel.slice?.start ?? view.state.range.from + (direction > 0 ? -1 : 0);
    const lanes = view.lanes.filter((lane) => lane.slices);
    const next = await nextSlice(view.timeline, lanes, this.marks, time, direction);
    if (!next) {
      view.app.announce(direction > 0 ? "That was the last one." : "That was the first one.");
      return;
    }
    this.bring(next);
    await view.whenDrawn();
    await view.panel.restoreSlice({ lane: next.lane.id, depth: next.depth, start: next.start });
    view.choose(view.panel.slice);
  }

  /** Move the range so that a slice is visible. */
  bring(slice) {
    const { state, end, placedById, scroller } = this.view;
    const span = state.range.to - state.range.from;
    if (slice.start < state.range.from || slice.start > state.range.to)
      state.range = clampRange(slice.start - span / 2, slice.start + span / 2, end);
    const placed = placedById.get(slice.lane.id);
    if (!placed) return;
    const top = placed.top + placed.rows + slice.depth * placed.rowHeight;
    const { scrollTop, clientHeight } = scroller;
    if (top < scrollTop || top > scrollTop + clientHeight - 30)
      scroller.scrollTop = Math.max(0, top - clientHeight / 3);
  }
}
