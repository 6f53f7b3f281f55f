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

/** With no more digits than are sure where it may be off by so much: "30 ms". */
function sureDuration(ns, off) {
  const size = Math.abs(ns);
  if (!Number.isFinite(ns) || size < 1) return duration(ns);
  const last = 10 ** Math.floor(Math.log10(Math.max(Math.min(off, size), 1)) + 1e-9);
  const rounded = Math.round(ns / last) * last;
  const [factor, unit] = UNITS.find(([least]) => Math.abs(rounded) >= least);
  const scale = factor || 1;
  const decimals = Math.min(3, Math.max(0, Math.round(Math.log10(scale / last))));
  return `${(rounded / scale).toFixed(decimals)} ${unit}`;
}

/** "3.2 ms ±1.5 ms": an estimate; what is not off is as it is. */
export function withError(ns, off) {
  if (!(off > 0)) return duration(ns);
  return `${sureDuration(ns, off)} ±${sureDuration(off, off / 10)}`;
}

/** Calls of a link: "~100,037 (99,900 to 100,100)" where they are an estimate. */
export function about({ calls, callsLow, callsHigh }) {
  return callsHigh > callsLow
    ? `~${count(calls)} (${count(callsLow)} to ${count(callsHigh)})`
    : count(calls);
}

/** Calls of a path: of counted functions it is not known through whom each call came. */
export function pathCalls(run, calls) {
  return `${run.estimated_functions > 0 ? "~" : ""}${count(calls)}`;
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
