// Slices as pixels: a row of colours for each depth, for any number of slices.
import { firstAfter } from "./timeline_data.js";

const LEAST_COVER = 0.35; // minimum for slices shorter than a pixel, so that they are visible

/** One depth of one lane, recreated for each; colours are 32 bits as in canvases. */
export class Row {
  constructor(width) {
    this.width = width;
    this.colours = new Uint32Array(width);
    this.cover = new Float32Array(width); // by slices shorter than a pixel
    this.most = new Float32Array(width);
    this.boxes = [];
  }

  clear(background) {
    this.colours.fill(background);
    this.cover.fill(0);
    this.most.fill(0);
    this.boxes.length = 0;
    this.background = background;
  }

  /** Add the slices of a run between from and to; pixels = of one ns; colourOf(region). */
  add(items, run, from, to, pixels, colourOf, labelWidth) {
    const { start, end, region, busy } = items;
    const width = this.width;
    for (let i = firstAfter(items, run, from); i < run.end && start[i] <= to; i++) {
      const left = (start[i] - from) * pixels;
      const right = (end[i] - from) * pixels;
      if (right - left < 1) {
        const x = left < 0 ? 0 : left | 0;
        if (x < width) this.addThin(x, busy ? busy[i] * pixels : right - left, colourOf(region[i]));
        continue;
      }
      const first = left < 0 ? 0 : Math.round(left);
      const last = right > width ? width : Math.max(Math.round(right), first + 1);
      this.addBox(first, last, colourOf(region[i]), busy ? busy[i] / (end[i] - start[i]) : 1);
      if (last - first >= labelWidth) this.boxes.push({ first, last, items, index: i });
    }
  }

  addThin(x, part, colour) {
    this.cover[x] += part;
    if (part < this.most[x]) return;
    this.most[x] = part;
    this.colours[x] = colour;
  }

  addBox(first, last, colour, part) {
    const shown = part < 1 ? blend(this.background, colour, Math.max(part, LEAST_COVER)) : colour;
    this.colours.fill(shown, first, last);
    this.cover.fill(1, first, last);
    this.most.fill(1, first, last);
    if (last - first > 3) this.colours[last - 1] = blend(this.background, shown, 0.45);
  }

  /** Colours by how much of each pixel is covered. */
  finish() {
    const { colours, cover, background } = this;
    for (let x = 0; x < this.width; x++) {
      if (cover[x] < 1 && this.colours[x] !== background)
        colours[x] = blend(background, colours[x], Math.max(cover[x], LEAST_COVER));
    }
  }
}

/** part 0..1 of the way from one colour to the other. */
export function blend(from, to, part) {
  const weight = Math.round(part * 256);
  const low = 0xff00ff;
  const high = 0xff00;
  const a = ((from & low) * (256 - weight) + (to & low) * weight) / 256;
  const b = ((from & high) * (256 - weight) + (to & high) * weight) / 256;
  return ((a & low) | (b & high) | 0xff000000) >>> 0;
}

/** "rgb(1,2,3)" or "#010203" as 32 bits, red lowest. */
export function packed(colour) {
  const parts = colour.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
    : colour.match(/\d+/g).map(Number);
  return ((255 << 24) | (parts[2] << 16) | (parts[1] << 8) | parts[0]) >>> 0;
}

/** Whether black is more readable on it than white. */
export function isLight(colour) {
  const red = colour & 255;
  const green = (colour >> 8) & 255;
  const blue = (colour >> 16) & 255;
  return red * 0.299 + green * 0.587 + blue * 0.114 > 130;
}

/** Copy a row into the pixels of an image, over the visible part of lines [top, bottom). */
export function putRow(pixels, width, height, colours, top, bottom) {
  const first = Math.max(0, top);
  const last = Math.min(height, bottom);
  for (let y = first; y < last; y++) pixels.set(colours, y * width);
}
