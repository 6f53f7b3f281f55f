// Which regions the table shows, in which order, and the lines of an open one; no elements here.

const CALLERS_NOTE = "shares are of its self and its total";
const CALLEES_NOTE = "shares are of its total";

/** The state in the link, with defaults. */
export function tableState(params, columns, first) {
  const known = (id) => columns.some((column) => column.id === id);
  const chosen = params.cols
    ? params.cols.split(".").filter((id) => known(id) && id !== "name")
    : first;
  const sort = known(params.sort) ? params.sort : "self";
  const column = columns.find((each) => each.id === sort);
  return {
    sort,
    isUp: params.dir ? params.dir === "up" : Boolean(column.isText),
    filter: params.filter ?? "",
    kind: params.kind ?? "",
    region: params.region === undefined || params.region === "" ? -1 : Number(params.region),
    shown: columns.filter(({ id }) => id === "name" || chosen.includes(id)),
  };
}

/** Entries that match the filter and the kind. */
export function kept(entries, { accepts }, kind, regions, kindOf) {
  return entries.filter(
    ({ region }) =>
      (kind === "" || kindOf(regions, region) === kind) &&
      accepts(regions.name[region], regions.place[region]),
  );
}

/** Sorted by a column; unknown values last, stable. */
export function sorted(entries, column, isUp) {
  const keys = entries.map((entry) => {
    const value = column.value(entry);
    return column.isText ? value.toLowerCase() : value;
  });
  const isUnknown = (key) => key !== key || key === "";
  const sign = isUp ? 1 : -1;
  const order = entries.map((_, i) => i);
  order.sort((a, b) => {
    const x = keys[a];
    const y = keys[b];
    if (x === y) return a - b;
    if (isUnknown(x) || isUnknown(y)) return isUnknown(x) - isUnknown(y) || a - b;
    return x < y ? -sign : sign;
  });
  return order.map((i) => entries[i]);
}

/** The sums of the shown ones. */
export function sums(entries) {
  let calls = 0;
  let self = 0;
  for (const entry of entries) {
    calls += entry.calls;
    self += entry.self;
  }
  return { calls, self };
}

/** A line for each region, {type: "region", entry}. */
export function regionLines(entries) {
  return entries.map((entry) => ({ type: "region", entry }));
}

/**
 * Lines of the table: those of the regions and, below the open one, "where", "heading",
 * "caller", "own" and "callee", these with {link, region}.
 */
export function linesOf(lines, openRegion, calls) {
  const at = openRegion < 0 ? -1 : lines.findIndex(({ entry }) => entry.region === openRegion);
  if (at < 0) return lines;
  return [...lines.slice(0, at + 1), ...butterfly(lines[at].entry, calls), ...lines.slice(at + 1)];
}

/** Callers above, callees below. */
export function butterfly(entry, calls) {
  const line = (type, link, region) => ({
    type,
    link,
    region,
    entry,
    isItself: region === entry.region,
  });
  const callers = calls.callers(entry.region);
  const callees = calls.callees(entry.region);
  const lines = [
    { type: "where", entry },
    { type: "heading", entry, text: "Called by", count: callers.length, note: CALLERS_NOTE },
    ...callers.map((link) => line("caller", link, link.caller)),
    { type: "heading", entry, text: "Calls", count: callees.length, note: CALLEES_NOTE },
    line("own", { calls: entry.calls, self: entry.self, total: entry.self }, entry.region),
    ...callees.map((link) => line("callee", link, link.callee)),
  ];
  lines.at(-1).isLast = true;
  return lines;
}
