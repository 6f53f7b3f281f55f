// The columns of the table: their values and formats.
import { kindOf } from "../../colours.js";
import { about, count, duration, percent, withError } from "../../format.js";

/**
 * Columns of a run.  Each is {id, title, hint, width (rem), isText, value(entry), text(entry),
 * link(link, entry)?, unit}: value is used for sorting and CSV (times in ns), text is the formatted
 * value; link(link, entry, isCaller): its value for a call of the entry's region, or by it.
 */
export function columnsOf(regions, run, selfSum) {
  const part = (number, whole) => (whole > 0 ? number / whole : 0);
  const [of, all] = run.is_of_cpu ? [" CPU", "all CPU time"] : ["", "all time"];
  const columns = [
    time(
      "self",
      `Self${of}`,
      "in its own lines",
      (e) => e.self,
      (l) => l.self,
      (e) => e.selfOff,
    ),
    {
      id: "selfshare",
      title: "% self",
      hint: `self, as a share of ${all} of all threads`,
      width: 6,
      value: (e) => part(e.self, selfSum),
      link: (l, e, isCaller) => part(l.self, isCaller ? e.self : e.total),
      format: percent,
      unit: "part",
      isShare: true,
    },
    time(
      "total",
      `Total${of}`,
      "with all that it called",
      (e) => e.total,
      (l) => l.total,
      (e) => e.totalOff,
    ),
    {
      id: "totalshare",
      title: "% total",
      hint: `total, as a share of ${all} of all threads`,
      width: 6,
      value: (e) => part(e.total, selfSum),
      link: (l, e) => part(l.total, e.total),
      format: percent,
      unit: "part",
      isShare: true,
    },
    {
      id: "calls",
      title: run.is_sampled ? "Samples" : "Calls",
      hint: run.is_sampled
        ? "samples that it was found in"
        : "all / those not from within itself, where these differ",
      width: 8,
      value: (e) => e.calls,
      link: (l) => l.calls,
      linkText: about,
      format: count,
      unit: "count",
      text: run.is_sampled
        ? null
        : (e) =>
            e.primitive === e.calls
              ? count(e.calls)
              : `${count(e.calls)}/${e.isPrimitiveEstimated ? "~" : ""}${count(e.primitive)}`,
    },
    perCall(
      "selfper",
      "Self/call",
      "self for each call",
      (e) => part(e.self, e.calls),
      (l) => part(l.self, l.calls),
    ),
    perCall(
      "totalper",
      "Total/call",
      "total for each call",
      (e) => part(e.total, e.calls),
      (l) => part(l.total, l.calls),
    ),
    {
      id: "primitive",
      isOfCalls: true,
      title: "Primitive",
      hint: "calls not from within itself",
      width: 7,
      value: (e) => e.primitive,
      format: count,
      unit: "count",
    },
    spread("min", "Least", "shortest call", (e) => e.min, 1),
    spread("max", "Most", "longest call", (e) => e.max, 1),
    spread(
      "mean",
      "Mean",
      "mean duration of its calls, those from within itself too",
      (e) => part(e.visits, e.calls),
      1,
    ),
    spread("deviation", "Deviation", "standard deviation of its calls", (e) => e.deviation, 2),
    words("kind", "Kind", "what it is", 6, (e) => kindOf(regions, e.region)),
    words(
      "module",
      "Module",
      "the module it is in",
      10,
      (e) => regions.texts[regions.module[e.region]] ?? "",
    ),
    words("place", "Place", "file and line", 12, (e) => regions.place[e.region]),
  ];
  const kept = columns.filter((each) => !run.is_sampled || !each.isOfCalls);
  kept.unshift({
    id: "name",
    title: "Region",
    hint: "what was entered and left",
    width: 14,
    isText: true,
    value: (e) => regions.name[e.region],
    text: (e) => regions.name[e.region],
    unit: "text",
  });
  for (const column of kept) {
    column.text ??= (entry) => column.format(column.value(entry));
    if (COLUMNS_OF_CALLS.includes(column.id)) ofRegions(column);
  }
  return kept;
}

const COLUMNS_OF_CALLS = ["calls", "selfper", "totalper", "primitive", "mean"];

/** Time outside regions has no calls. */
function ofRegions(column) {
  const { value, text } = column;
  column.value = (entry) => (entry.isRest ? NaN : value(entry));
  column.text = (entry) => (entry.isRest ? "" : text(entry));
}

/** The default columns. */
export const FIRST_COLUMNS = [
  "self",
  "selfshare",
  "total",
  "totalshare",
  "calls",
  "totalper",
  "kind",
  "place",
];

/** The same for a run: if times are CPU time, waits have a column, too. */
export function firstColumns(run, columns) {
  const waited = columns.find(
    ({ measure, part }) => measure?.id === "sampling_waiting" && part === "self",
  );
  return run.is_of_cpu && waited ? [...FIRST_COLUMNS, waited.id] : FIRST_COLUMNS;
}

/** off: the error of an entry or a link; default: exact. */
function time(id, title, hint, value, link, off = () => 0) {
  const text = (e) => withError(value(e), off(e));
  const linkText = (l) => withError(link(l), off(l));
  return { id, title, hint, width: 8, value, link, text, linkText, format: duration, unit: "ns" };
}

/** Samples are not calls. */
function perCall(...facts) {
  return { ...time(...facts), text: null, linkText: null, isOfCalls: true };
}

/** Of single calls, so not for samples; needs `least` closed calls. */
function spread(id, title, hint, value, least) {
  const known = (entry) => (entry.closed >= least ? value(entry) : NaN);
  return { id, title, hint, width: 8, value: known, format: duration, unit: "ns", isOfCalls: true };
}

function words(id, title, hint, width, value) {
  return { id, title, hint, width, value, isText: true, format: (text) => text, unit: "text" };
}
