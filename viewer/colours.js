// Colours that are distinguishable with any colour vision (viewer/tests/colours.test.js); the style
// sheet of the overview has the same numbers.

/**
 * After Okabe and Ito, "Color Universal Design" (2008), with larger distances; tints for large
 * sets.
 */
export const KIND_COLOURS = {
  python: "#5dadfc",
  builtin: "#2f9180",
  native: "#ec9a1c",
  user: "#945ccd",
  waiting: "#bfbdb6",
  mpi: "#d55700",
  io: "#f0ea7a",
  other: "#575660",
};

/** For the largest of other categories, such as modules; and for the rest of them. */
export const MANY_COLOURS = Object.values(KIND_COLOURS).filter(
  (colour) => colour !== KIND_COLOURS.waiting,
);
export const REST_COLOUR = KIND_COLOURS.waiting;

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

/** part 0..1: from the colour to a tint of it, on which text is readable. */
function shaded(colour, part, isDark) {
  const mix = isDark ? 0.25 + 0.25 * part : 0.1 + 0.35 * part;
  const to = isDark ? 16 : 255;
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const mixed = parts.map((value) => Math.round(value + (to - value) * mix));
  return `rgb(${mixed.join(",")})`;
}

/** Heat from pale to strong for 0..1, even in lightness; text on it: heatText(). */
export function heat(part, isDark) {
  const x = Math.max(0, Math.min(1, part));
  const low = isDark ? [38, 50, 72] : [240, 244, 250];
  const high = isDark ? [250, 180, 80] : [190, 65, 10];
  return `rgb(${low.map((value, i) => Math.round(value + (high[i] - value) * x)).join(",")})`;
}

export function heatText(part, isDark) {
  // Here both have the same contrast, 4.58; elsewhere it is higher.
  if (isDark) return part > 0.481 ? "#000" : "#fff";
  return part > 0.897 ? "#fff" : "#000";
}
