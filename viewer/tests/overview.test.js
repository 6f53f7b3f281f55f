import assert from "node:assert/strict";
import { test } from "node:test";
import { activityRows, addTimes, partsOf, totalOf } from "../activity.js";
import { findingLink } from "../finding_links.js";
import { intervalText, wilson } from "../interval.js";
import { basisText } from "../views/overview/overview_regions.js";
import { advices, costLine, counted, headline, importLine, timeText, subline } from "../overview_texts.js";

const ACTIVITIES = [
  { id: "python", title: "Python code", is_wait: false },
  { id: "lock", title: "waiting for locks and threads", is_wait: true },
  { id: "sleep", title: "sleeping", is_wait: true },
];

function thread(process, number, ns) {
  return { process, thread: number, samples: 0, cpu: 1, ns };
}

function runOf(processes) {
  return {
    processes: processes.map((threads, i) => ({
      pid: 100 + i,
      program: "p",
      rank: null,
      threads: threads.map((name, number) => ({ number, name })),
    })),
  };
}

test("times add up, and parts have the shares of them", () => {
  const sum = addTimes([
    [1, 2, 0],
    [3, 0, 0],
  ]);
  assert.deepEqual(sum, [4, 2, 0]);
  assert.equal(totalOf(sum), 6);
  const parts = partsOf(ACTIVITIES, sum);
  assert.deepEqual(
    parts.map((part) => part.id),
    ["python", "lock"],
  );
  assert.equal(parts[0].share, 4 / 6);
  assert.deepEqual(partsOf(ACTIVITIES, [0, 0, 0]), []);
});

test("few threads have a row each", () => {
  const run = runOf([["MainThread", null], ["MainThread"]]);
  const activity = {
    threads: [thread(0, 0, [5, 0, 0]), thread(0, 1, [1, 1, 0]), thread(1, 0, [0, 0, 3])],
  };
  const { unit, rows, isWhole } = activityRows(activity, run, 12);
  assert.equal(unit, "thread");
  assert.ok(isWhole);
  assert.deepEqual(
    rows.map((row) => row.label),
    ["MainThread", "thread 1", "MainThread"],
  );
  assert.deepEqual(
    rows.map((row) => row.place),
    ["p (100)", "p (100)", "p (101)"],
  );
  assert.deepEqual(
    rows.map((row) => row.total),
    [5, 2, 3],
  );
});

test("many threads of few processes have a row a process", () => {
  const names = Array.from({ length: 40 }, () => null);
  const run = runOf([names, names]);
  run.processes[1].rank = "7";
  const threads = [0, 1].flatMap((process) => names.map((_, i) => thread(process, i, [1, 0, 0])));
  const { unit, rows } = activityRows({ threads }, run, 12);
  assert.equal(unit, "process");
  assert.deepEqual(
    rows.map((row) => [row.label, row.total, row.threads]),
    [
      ["p (100)", 40, 40],
      ["rank 7", 40, 40],
    ],
  );
});

test("a thousand are the largest and the rest, and nothing is lost", () => {
  const names = Array.from({ length: 1000 }, (_, i) => `t${i}`);
  const threads = names.map((_, i) => thread(0, i, [i, 1, 0]));
  const { rows, isWhole } = activityRows({ threads }, runOf([names]), 12);
  assert.ok(!isWhole);
  assert.equal(rows.length, 12);
  assert.equal(rows.at(-1).label, "989 other threads");
  assert.deepEqual(
    rows.slice(0, 2).map((row) => row.label),
    ["t989", "t990"],
  );
  const all = addTimes(rows.map((row) => row.ns));
  assert.deepEqual(all, [(999 * 1000) / 2, 1000, 0]);
  assert.equal(
    rows.reduce((sum, row) => sum + row.threads, 0),
    1000,
  );
});

test("threads that are one entry of the section count as many", () => {
  const activity = {
    threads: [thread(0, 0, [1, 0, 0]), { threads: 500, cpu: 0, samples: 0, ns: [9, 0, 0] }],
  };
  const { rows } = activityRows(activity, runOf([["m"]]), 12);
  assert.deepEqual(
    rows.map((row) => [row.label, row.threads]),
    [
      ["m", 1],
      ["500 more threads", 500],
    ],
  );
});

test("Wilson's interval", () => {
  const { low, high } = wilson(0.5, 100);
  assert.ok(Math.abs(low - 0.4038) < 1e-3 && Math.abs(high - 0.5962) < 1e-3);
  assert.deepEqual(wilson(0.5, 0), { low: 0, high: 1 });
  assert.equal(wilson(0, 50).low, 0);
  assert.equal(wilson(1, 50).high, 1);
  assert.equal(intervalText({ low: 0.381, high: 0.426 }), "38.1-42.6 %");
});

test("times as one says them", () => {
  assert.equal(timeText(3.5724), "3.57 s");
  assert.equal(timeText(125), "2 min 5 s");
  assert.equal(timeText(7260), "2 h 1 min");
  assert.equal(timeText(0.0273), "27.3 ms");
  assert.equal(timeText(0.00000094), "940 ns");
  assert.equal(timeText(0), "0 ns");
  assert.equal(counted(1, "process", "processes"), "1 process");
  assert.equal(counted(2000, "thread"), "2,000 threads");
});

const RUN = {
  program: "a.py",
  duration: 2,
  start: 0,
  calls: 5,
  is_sampled: false,
  process_count: 1,
  thread_count: 2,
  cost: 0.1,
  sample_cost: 0,
  startup: 0.0001,
  cost_percent: 5,
  processes: [{ host: "h", is_closed: true, status: 3, threads: [] }],
};

test("the lines of the head", () => {
  assert.deepEqual(headline(RUN), { program: "a.py", rest: " ran for 2.00 s" });
  const info = new Map([
    ["hostname", "h"],
    ["system", "Linux"],
    ["executable", "/usr/bin/python3.13"],
    ["launch_time", "today"],
  ]);
  assert.equal(
    subline(RUN, info),
    "h · Linux · Python 3.13 · today · 1 process · 2 threads · ended with status 3",
  );
  const open = { ...RUN, processes: [{ ...RUN.processes[0], is_closed: false }] };
  assert.ok(subline(open, new Map()).endsWith("did not end in order"));
});

test("what measuring cost", () => {
  assert.equal(
    costLine(RUN),
    "Measuring cost 5.0 % of the run, about 100 ms: recording the calls 100 ms.",
  );
  assert.match(costLine({ ...RUN, cost_percent: -1 }), /not known/);
  const imported = { ...RUN, cost_percent: -1, imported_from: "/a/x.prof", imported_more: 2 };
  assert.match(costLine(imported), /not known: another tool/);
  assert.equal(importLine(imported), "Imported from /a/x.prof and 2 more files.");
  assert.equal(importLine(RUN), "");
  assert.match(costLine({ ...RUN, cost: 0, sample_cost: 0.02 }), /taking samples 20 ms/);
});

test("a run that shows little says what to do", () => {
  const activities = [...ACTIVITIES, { id: "off" }, { id: "outside" }];
  const none = { activities, threads: [thread(0, 0, [3, 0, 0, 5, 1])] };
  assert.deepEqual(advices(RUN, none), []);
  const nothing = { activities, threads: [] };
  assert.match(advices({ ...RUN, calls: 0 }, nothing)[0].text, /Next to nothing was recorded/);
  const outside = { activities, threads: [thread(0, 0, [1, 0, 0, 50, 99])] };
  assert.match(advices(RUN, outside)[0].text, /Next to nothing was recorded/);
  const few = { threads: [{ ...thread(0, 0, [1, 0, 0]), samples: 1 }] };
  assert.match(advices({ ...RUN, is_sampled: true }, few)[0].text, /only 1 sample:/);
  const open = {
    ...RUN,
    processes: [{ is_closed: false }, { is_closed: false }, { is_closed: true }],
  };
  assert.match(advices(open, none)[0].text, /2 processes did not end in order/);
});

test("a finding leads to what shows it", () => {
  const all = () => true;
  assert.equal(findingLink({ view: "imbalance", region: 4 }, all), "#ranks?region=4&metric=work");
  assert.equal(findingLink({ view: "ranks", region: 4 }, all), "#ranks?region=4");
  assert.equal(findingLink({ view: "lines", region: -1 }, all), "#source");
  assert.equal(
    findingLink({ view: "lines", region: 2 }, (id) => id === "flame"),
    "#flame?region=2",
  );
  assert.equal(findingLink({ view: "unheard of", region: 2 }, all), "#table?region=2");
  assert.equal(
    findingLink({ view: "lines", region: 2 }, () => false),
    null,
  );
});

test("what the top regions are ranked by, and shares are of", () => {
  assert.equal(
    basisText({}),
    "By the time in their own code; total is with all they call.",
  );
  assert.equal(
    basisText({ is_of_cpu: true, shares: "of the 1 s that threads were on a processor" }),
    "By the CPU time in their own code; total is with all they call. " +
      "Shares are of the 1 s that threads were on a processor.",
  );
});
