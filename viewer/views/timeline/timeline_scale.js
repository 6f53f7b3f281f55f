// Conversion from time to pixels, and labels of an axis.

export const SPAN_MIN = 100; // minimum range of the view in ns

const MINUTE = 60e9;
const HOUR = 60 * MINUTE;
const LONG_STEPS = [MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR,
  6 * HOUR, 12 * HOUR, 24 * HOUR]; // prettier-ignore

/** The range moved and cut to 0..end. */
export function clampRange(from, to, end) {
  const span = Math.min(Math.max(to - from, SPAN_MIN), Math.max(end, SPAN_MIN));
  const start = Math.min(Math.max(from, 0), Math.max(end, SPAN_MIN) - span);
  return { from: start, to: start + span };
}

/** factor < 1: zoom in; the time keeps its position. */
export function zoomRange(range, time, factor, end) {
  const span = range.to - range.from;
  const next = Math.min(Math.max(span * factor, SPAN_MIN), Math.max(end, SPAN_MIN));
  const part = span > 0 ? (time - range.from) / span : 0.5;
  return clampRange(time - part * next, time + (1 - part) * next, end);
}

/** 1, 2 or 5 times a power of ten ns, or whole minutes and hours: no shorter than least. */
export function tickStep(least) {
  if (least > 50e9) {
    const step = LONG_STEPS.find((each) => each >= least);
    return step ?? Math.ceil(least / (24 * HOUR)) * 24 * HOUR;
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least * 0.999);
}

export function ticks(from, to, step) {
  const found = [];
  for (let i = Math.ceil(from / step); i * step <= to && found.length < 1000; i++)
    found.push(i * step);
  return found;
}

function grouped(text) {
  const [whole, part] = text.split(".");
  const left = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part ? `${left}.${part}` : left;
}

/** A time since the start, exact to the step: "1.250 s"; at 1 ns, without trailing zeros. */
export function timeLabel(ns, step = 1) {
  if (step >= MINUTE) {
    const minutes = Math.round(ns / MINUTE);
    const hours = Math.floor(minutes / 60);
    return hours ? `${grouped(String(hours))} h ${minutes % 60} min` : `${minutes} min`;
  }
  if (ns === 0) return "0 s";
  const [factor, unit] =
    ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : ns >= 1e3 ? [1e3, "us"] : [1, "ns"];
  const digits = Math.max(0, Math.ceil(Math.log10(factor / step) - 1e-9));
  const text = (ns / factor).toFixed(Math.min(digits, 12));
  return `${grouped(step === 1 && digits ? text.replace(/\.?0+$/, "") : text)} ${unit}`;
}
