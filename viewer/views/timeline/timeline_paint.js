// The colours of the timeline in the current theme, and names cut to their boxes.
import { KIND_COLOURS, regionColour } from "../../colours.js";
import { isLight, packed } from "./timeline_raster.js";

/** By the names of sampled classes; running is strong, waiting is pale. */
const STATE_COLOURS = {
  Python: KIND_COLOURS.python,
  native: KIND_COLOURS.native,
  kernel: KIND_COLOURS.mpi,
  GIL: KIND_COLOURS.user,
  runnable: KIND_COLOURS.io,
};
const OTHER_STATE = KIND_COLOURS.waiting;
const DIMMED = 0.25;

export class Paint {
  constructor(regions, isDark, style) {
    this.regions = regions;
    this.isDark = isDark;
    const value = (name) => style.getPropertyValue(name).trim();
    this.css = {
      text: value("--text"),
      dim: value("--dim"),
      back: value("--back"),
      panel: value("--panel"),
      line: value("--line"),
      accent: value("--accent"),
    };
    this.font = `14px ${style.fontFamily || "sans-serif"}`;
    this.background = packed(this.css.back);
    this.row = packed(this.css.panel);
    this.marked = packed(isDark ? "#ffd54a" : "#c2410c");
    this.colours = new Map();
    this.widths = new Map();
    this.highlight = null; // Uint8Array by region: 1 = found
  }

  colourOf = (region) => {
    const known = this.colours.get(region);
    if (known !== undefined) return known;
    let colour = packed(regionColour(this.regions, region, this.isDark));
    if (this.highlight) colour = this.highlight[region] ? this.marked : this.dimmed(colour);
    this.colours.set(region, colour);
    return colour;
  };

  dimmed(colour) {
    let out = 0;
    for (const shift of [0, 8, 16]) {
      const from = (this.row >>> shift) & 255;
      out |= Math.round(from + (((colour >>> shift) & 255) - from) * DIMMED) << shift;
    }
    return ((255 << 24) | out) >>> 0;
  }

  /** found: Uint8Array by region, or null. */
  setHighlight(found) {
    this.highlight = found;
    this.colours.clear();
  }

  textOn(colour) {
    return isLight(colour) ? "#111418" : "#ffffff";
  }

  /** The name as far as it fits; "" if hardly any of it does. */
  fitted(context, region, width) {
    const name = this.regions.name[region];
    let full = this.widths.get(region);
    if (full === undefined) {
      full = context.measureText(name.slice(0, 300)).width;
      this.widths.set(region, full);
    }
    if (full <= width && name.length <= 300) return name;
    const length = Math.floor((Math.min(name.length, 300) * (width - 10)) / full);
    return length >= 2 ? `${name.slice(0, length)}…` : "";
  }
}

export function stateColour(name) {
  return STATE_COLOURS[name] ?? OTHER_STATE;
}
