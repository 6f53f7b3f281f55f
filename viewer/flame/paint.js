// The colours of boxes, and their legend.
import { heat, KIND_COLOURS, kindOf, MANY_COLOURS, regionColour, REST_COLOUR } from "../colours.js";

const KIND_TITLES = {
  python: "Python",
  builtin: "built-in",
  native: "native",
  user: "user's region",
  waiting: "waiting",
  mpi: "MPI",
  io: "I/O",
  other: "other",
};

/** Black or white, whichever is more readable on "rgb(r,g,b)" or "#rrggbb": at least 4.5 to 1. */
export function textOn(colour) {
  const parts = colour.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
    : colour.match(/\d+/g).map(Number);
  const [red, green, blue] = parts.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}

/** A painter is: fill(path, region) returns {fill, text}; legend: [{colour, text}]. */
export function painterOf(mode, context) {
  if (mode === "module") return modulePainter(context);
  if (mode === "heat") return heatPainter(context, (path) => context.part(path), context.heatTexts);
  return kindPainter(context);
}

function cached(colourOf) {
  const known = new Map();
  return (key) => {
    let found = known.get(key);
    if (!found) {
      const fill = colourOf(key);
      found = { fill, text: textOn(fill) };
      known.set(key, found);
    }
    return found;
  };
}

function kindPainter({ regions, tree, isDark }) {
  const paint = cached((region) => regionColour(regions, region, isDark));
  const kinds = new Set();
  const known = new Uint8Array(regions.name.length);
  for (let i = 1; i < tree.count; i++) known[tree.region[i]] = 1;
  known.forEach((isKnown, region) => isKnown && kinds.add(kindOf(regions, region)));
  const legend = Object.keys(KIND_TITLES)
    .filter((kind) => kinds.has(kind))
    .map((kind) => ({ colour: KIND_COLOURS[kind], text: KIND_TITLES[kind] }));
  return { fill: (path, region) => paint(region), legend };
}

/** The module of a region, or else its file; "" = unknown. */
export function moduleOf(regions, region) {
  const text = regions.texts[regions.module[region]] || regions.texts[regions.file[region]] || "";
  return text.slice(text.lastIndexOf("/") + 1);
}

function modulePainter({ regions, tree }) {
  const sums = new Map();
  const own = new Float64Array(regions.name.length);
  for (let i = 1; i < tree.count; i++) own[tree.region[i]] += tree.self[i];
  own.forEach((value, region) => {
    const module = moduleOf(regions, region);
    if (value > 0) sums.set(module, (sums.get(module) ?? 0) + value);
  });
  sums.delete("");
  const largest = [...sums].sort((a, b) => b[1] - a[1]).slice(0, MANY_COLOURS.length);
  const colours = new Map(largest.map(([module], i) => [module, MANY_COLOURS[i]]));
  const paint = cached((region) => colours.get(moduleOf(regions, region)) ?? REST_COLOUR);
  const legend = [...colours].map(([text, colour]) => ({ colour, text }));
  legend.push({ colour: REST_COLOUR, text: "others" });
  return { fill: (path, region) => paint(region), legend };
}

const STEPS = 48;

/** part(path): 0..1; texts: the meanings of 0 and 1. */
export function heatPainter({ isDark }, part, texts) {
  const paint = cached((step) => heat(step / STEPS, isDark));
  return {
    fill: (path) => paint(Math.round(STEPS * Math.max(0, Math.min(1, part(path))))),
    legend: [
      { colour: heat(0, isDark), text: texts[0] },
      { colour: heat(0.5, isDark), text: "" },
      { colour: heat(1, isDark), text: texts[1] },
    ],
  };
}
