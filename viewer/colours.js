// Colours that people with any colour vision tell apart; on canvas they come from here, in the
// style sheet from the same numbers.

/** Okabe and Ito, "Color Universal Design" (2008), with tints for the many. */
export const KIND_COLOURS = {
  python: "#56b4e9",
  builtin: "#009e73",
  native: "#e69f00",
  user: "#cc79a7",
  waiting: "#999999",
  mpi: "#d55e00",
  io: "#f0e442",
  other: "#b8a5d6",
};

/** By the number of a region's kind in the recording (docs/format.md). */
const KINDS = ["other", "python", "builtin", "builtin", "user", "native", "waiting", "mpi", "io"];

export function kindOf(regions, region) {
  return KINDS[regions.kind[region]] ?? "other";
}

/** The colour of a region: of its kind, lighter or darker by its name. */
export function regionColour(regions, region, isDark) {
  const base = KIND_COLOURS[kindOf(regions, region)];
  return shaded(base, (hashOf(regions.name[region]) % 9) / 8, isDark);
}

function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 0;
}

/** part 0..1: from the colour to a tint of it, which text can be read on. */
function shaded(colour, part, isDark) {
  const mix = isDark ? 0.25 + 0.25 * part : 0.1 + 0.35 * part;
  const to = isDark ? 16 : 255;
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const mixed = parts.map((value) => Math.round(value + (to - value) * mix));
  return `rgb(${mixed.join(",")})`;
}

/** Heat from pale to strong of a part of 1, even in lightness; text on it: heatText(). */
export function heat(part, isDark) {
  const x = Math.max(0, Math.min(1, part));
  const low = isDark ? [38, 50, 72] : [240, 244, 250];
  const high = isDark ? [250, 180, 80] : [190, 65, 10];
  return `rgb(${low.map((value, i) => Math.round(value + (high[i] - value) * x)).join(",")})`;
}

export function heatText(part, isDark) {
  // Where both have the same contrast, which is 4.58 there and more elsewhere.
  if (isDark) return part > 0.481 ? "#000" : "#fff";
  return part > 0.897 ? "#fff" : "#000";
}
