// The sentences of the overview.
import { addTimes, totalOf } from "./activity.js";
import { count, isolated, percent } from "./format.js";

/** "4 threads" */
export function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Seconds in everyday form: "3.57 s", "2 min 5 s". */
export function timeText(seconds) {
  if (seconds >= 3600) {
    const minutes = Math.round(seconds / 60);
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }
  if (seconds >= 100) {
    const whole = Math.round(seconds);
    return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  }
  if (seconds >= 1) return `${seconds.toFixed(2)} s`;
  const [factor, unit] = [
    [1e3, "ms"],
    [1e6, "us"],
    [1e9, "ns"],
  ].find(([each]) => seconds * each >= 1) ?? [1e9, "ns"];
  return `${+(seconds * factor).toPrecision(3)} ${unit}`;
}

/** program: a name with its own direction; rest: the rest of the sentence. */
export function headline(run) {
  return { program: run.program, rest: ` ran for ${timeText(run.duration)}` };
}

function version(executable) {
  const name = executable?.split("/").at(-1) ?? "";
  return /^(python|pypy)[\d.]*$/.test(name)
    ? name
        .replace(/^python([\d.]*)$/, "Python $1")
        .replace(/^pypy/, "PyPy ")
        .trim()
    : "";
}

function ending(run) {
  const root = run.processes[0];
  if (!root) return "";
  if (!root.is_closed) return "did not end in order";
  if (root.status > 0) return `ended with status ${root.status}`;
  return "";
}

/** Host, environment, date: separated by dots. */
export function subline(run, info) {
  const started = new Date(run.start);
  const hosts = new Set(run.processes.map((process) => process.host).filter(Boolean));
  const parts = [
    hosts.size > 1 ? counted(hosts.size, "host") : info.get("hostname"),
    info.get("system"),
    version(info.get("executable")),
    info.get("launch_time") ?? (Number.isFinite(+started) ? started.toISOString() : ""),
    counted(run.process_count, "process", "processes"),
    counted(run.thread_count, "thread"),
    ending(run),
  ];
  return parts.filter(Boolean).join(" · ");
}

/** The imported file, "" if there is none. */
export function importLine(run) {
  if (!run.imported_from) return "";
  const more = run.imported_more > 0 ? ` and ${counted(run.imported_more, "more file")}` : "";
  return `Imported from ${isolated(run.imported_from)}${more}.`;
}

/** The overhead. */
export function costLine(run) {
  if (!(run.cost_percent >= 0))
    return run.imported_from
      ? "What measuring cost is not known: another tool recorded it."
      : "What measuring cost is not known: no calibration is in the recording.";
  const parts = [
    ["recording the calls", run.cost],
    ["taking samples", run.sample_cost],
    ["starting up", run.startup],
  ].filter(([, part]) => part > 0);
  const seconds = parts.reduce((sum, [, part]) => sum + part, 0);
  const share = run.cost_percent < 0.1 ? "less than 0.1 %" : percent(run.cost_percent / 100);
  const costs = parts
    .filter(([, part]) => part > 0.01 * seconds)
    .map(([what, part]) => `${what} ${timeText(part)}`);
  const detail = costs.length > 0 ? `: ${costs.join(", ")}` : "";
  return `Measuring cost ${share} of the run, about ${timeText(seconds)}${detail}.`;
}

/** Which times are estimates, "" if none. */
export function estimateLine(run) {
  if (run.has_positions) {
    const samples = run.position_count > 0 ? counted(run.position_count, "sample") : "samples";
    return (
      `Times are estimates from ${samples}, calls are exact. ` +
      "How far off each time may be is in kymo report --flat."
    );
  }
  if (!(run.estimated_functions > 0)) return "";
  const functions = counted(run.estimated_functions, "function");
  return (
    `The times of ${functions} are estimates from those of their calls that were timed; ` +
    "how often they were called is exact. How far off each may be is in kymo report --flat."
  );
}

export function lossLines(run) {
  return run.losses;
}

const FEW_SAMPLES = 100;

/** Of the time in which something could have been recorded. */
function outsideShare(activity) {
  if (!activity) return 0;
  const of = (id) => activity.activities.findIndex((each) => each.id === id);
  const sum = addTimes(activity.threads.map((thread) => thread.ns));
  const ns = (id) => sum[of(id)] ?? 0;
  const total = totalOf(sum) - ns("off") - ns("measuring");
  return total > 0 ? (ns("outside") + ns("program")) / total : 1;
}

/** Hints for a run that shows little: [{text, hint}]. */
export function advices(run, activity) {
  const samples = activity?.threads.reduce((sum, thread) => sum + thread.samples, 0) ?? 0;
  const open = run.processes.filter((process) => !process.is_closed).length;
  const found = [];
  if (samples === 0 && outsideShare(activity) > 0.95) {
    found.push({
      text: "Next to nothing was recorded: the time is outside any recorded call.",
      hint:
        "A program of C, C++ or Fortran without annotations shows itself in samples: " +
        "kymo sample -- PROGRAM. A Python program may have filtered all its functions: see Notes.",
    });
  } else if (run.is_sampled && samples > 0 && samples < FEW_SAMPLES) {
    found.push({
      text: `There are only ${counted(samples, "sample")}: shares are rough.`,
      hint: "Let the program run longer, or sample more often: kymo sample --freq 1000.",
    });
  }
  if (open > 0) {
    found.push({
      text:
        run.processes.length === 1
          ? "The process did not end in order:"
          : `${counted(open, "process", "processes")} did not end in order:`,
      hint: "killed, crashed, left by _exit, or still running. What was recorded until then is here.",
    });
  }
  return found;
}
