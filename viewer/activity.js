// What threads did with their time: the bars of the overview, merged until they fit.
import { isolated } from "./format.js";

/** Sums of columns of times. */
export function addTimes(columns) {
  const sum = [];
  for (const column of columns) column.forEach((ns, i) => (sum[i] = (sum[i] ?? 0) + ns));
  return sum;
}

export function totalOf(ns) {
  return ns.reduce((sum, each) => sum + each, 0);
}

/** The activities that occur in ns, in their order: [{id, title, is_wait, ns, share}]. */
export function partsOf(activities, ns) {
  const total = totalOf(ns);
  return activities
    .map((activity, i) => ({ ...activity, ns: ns[i] ?? 0, share: total > 0 ? ns[i] / total : 0 }))
    .filter((part) => part.ns > 0);
}

function processLabel(process) {
  if (process.rank) return `rank ${process.rank}`;
  return `${isolated(process.program)} (${process.pid})`;
}

function threadLabel(process, number) {
  const thread = process.threads.find((each) => each.number === number);
  if (thread?.name) return thread.name;
  return number === 0 ? "main thread" : `thread ${number}`;
}

function rowOf(label, place, threads) {
  const ns = addTimes(threads.map((thread) => thread.ns));
  const cpu = threads.reduce((sum, thread) => sum + thread.cpu, 0);
  const count = threads.reduce((sum, thread) => sum + (thread.threads ?? 1), 0);
  return { label, place, ns, total: totalOf(ns), cpu, threads: count };
}

/** One row per thread. */
function threadRows(activity, run) {
  return activity.threads.map((thread) => {
    if (thread.threads) return rowOf(`${thread.threads} more threads`, "", [thread]);
    const process = run.processes[thread.process];
    const place = run.processes.length > 1 ? processLabel(process) : "";
    return rowOf(threadLabel(process, thread.thread), place, [thread]);
  });
}

/** One row per process. */
function processRows(activity, run) {
  const rows = [];
  run.processes.forEach((process, number) => {
    const threads = activity.threads.filter((thread) => thread.process === number);
    if (threads.length > 0) rows.push(rowOf(processLabel(process), "", threads));
  });
  const rest = activity.threads.filter((thread) => thread.threads);
  if (rest.length > 0) rows.push(rowOf(`${rest[0].threads} more threads`, "", rest));
  return rows;
}

/** The largest rows, and one for the rest. */
function largest(rows, limit, what) {
  const order = rows.map((row, i) => [row, i]).sort((a, b) => b[0].total - a[0].total);
  const kept = order.slice(0, limit - 1).sort((a, b) => a[1] - b[1]);
  const rest = order.slice(limit - 1).map(([row]) => row);
  const sum = {
    label: `${rest.length} other ${what}`,
    place: "added up",
    ns: addTimes(rest.map((row) => row.ns)),
    cpu: rest.reduce((all, row) => all + row.cpu, 0),
    threads: rest.reduce((all, row) => all + row.threads, 0),
    isRest: true,
  };
  sum.total = totalOf(sum.ns);
  return [...kept.map(([row]) => row), sum];
}

/**
 * At most limit rows {label, place, ns, total, cpu, threads}: one per thread if they fit, else one
 * per process, else the largest and one for the rest.  unit: what a row is.
 */
export function activityRows(activity, run, limit) {
  if (activity.threads.length <= limit)
    return { unit: "thread", rows: threadRows(activity, run), isWhole: true };
  if (run.processes.length > 1) {
    const rows = processRows(activity, run);
    if (rows.length <= limit) return { unit: "process", rows, isWhole: true };
    return { unit: "process", rows: largest(rows, limit, "processes"), isWhole: false };
  }
  const rows = threadRows(activity, run);
  return { unit: "thread", rows: largest(rows, limit, "threads"), isWhole: false };
}
