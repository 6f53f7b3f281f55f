// Formats numbers and texts for people.

const UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "us"],
  [0, "ns"],
];

/** "1.234 s" from nanoseconds, as in the reports of the command line. */
export function duration(ns) {
  if (!Number.isFinite(ns)) return "-";
  const [factor, unit] = UNITS.find(([least]) => Math.abs(ns) >= least);
  return unit === "ns" ? `${Math.round(ns)} ns` : `${(ns / factor).toFixed(3)} ${unit}`;
}

/** With only the digits that are significant given the error: "30 ms". */
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

/** "3.2 ms ±1.5 ms": an estimate; exact times have no error. */
export function withError(ns, off) {
  if (!(off > 0)) return duration(ns);
  return `${sureDuration(ns, off)} ±${sureDuration(off, off / 10)}`;
}

/** Calls of a link: "~100,037 (99,900 to 100,100)" if they are estimated. */
export function about({ calls, callsLow, callsHigh }) {
  return callsHigh > callsLow
    ? `~${count(calls)} (${count(callsLow)} to ${count(callsHigh)})`
    : count(calls);
}

/** Calls of a path: of counted functions the paths of calls are not known; of sampled positions they
 * are. */
export function pathCalls(run, calls) {
  return `${run.estimated_functions > 0 && !run.has_positions ? "~" : ""}${count(calls)}`;
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
 * A name within a longer text: isolates its direction, so that right-to-left names do not reorder
 * the text after it.  Names contain no direction controls (docs/page.md); in elements "bdi" does
 * the same.
 */
export function isolated(name) {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

/** A text cut in the middle. */
export function shortened(text, length) {
  if (text.length <= length) return text;
  const half = Math.max(1, (length - 1) >> 1);
  return `${text.slice(0, half)}…${text.slice(text.length - half)}`;
}
