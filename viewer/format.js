// Numbers and texts as people read them.

const UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "us"],
  [0, "ns"],
];

/** "1.234 s" of nanoseconds, as the reports of the command line have it. */
export function duration(ns) {
  if (!Number.isFinite(ns)) return "-";
  const [factor, unit] = UNITS.find(([least]) => Math.abs(ns) >= least);
  return unit === "ns" ? `${Math.round(ns)} ns` : `${(ns / factor).toFixed(3)} ${unit}`;
}

/** "12,345". */
export function count(number) {
  return number.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** "12.3 %" of a part of 1. */
export function percent(part) {
  return Number.isFinite(part) ? `${(100 * part).toFixed(1)} %` : "-";
}

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name within a text that has more: written from right to left, it does not turn what stands
 * behind it.  Controls of direction are in no name (docs/page.md); in elements "bdi" does it.
 */
export function isolated(name) {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

/** A text cut in the middle, so that both ends stay. */
export function shortened(text, length) {
  if (text.length <= length) return text;
  const half = Math.max(1, (length - 1) >> 1);
  return `${text.slice(0, half)}…${text.slice(text.length - half)}`;
}
