import assert from "node:assert/strict";
import { test } from "node:test";
import { Ahead } from "../ahead.js";

function* counted(steps, log) {
  for (let i = 0; i < steps; i++) {
    log.push(i);
    yield;
  }
  return "made";
}

test("work goes on while nobody waits", async () => {
  const log = [];
  const work = new Ahead(counted(3, log));
  assert.deepEqual(log, []);
  while (!work.isDone) await new Promise((done) => setTimeout(done, 1));
  assert.deepEqual(log, [0, 1, 2]);
  assert.equal(work.finish(), "made");
});

test("what is missing is done at once when it is asked for", () => {
  const log = [];
  assert.equal(new Ahead(counted(3, log)).finish(), "made");
  assert.deepEqual(log, [0, 1, 2]);
});

test("time that is left is used, and not more", () => {
  const waiting = [];
  globalThis.requestIdleCallback = (task) => waiting.push(task);
  try {
    const log = [];
    const work = new Ahead(counted(5, log));
    let left = 3;
    waiting.shift()({ timeRemaining: () => left-- });
    assert.deepEqual(log, [0, 1]);
    assert.equal(waiting.length, 1);
    assert.equal(work.isDone, false);
  } finally {
    delete globalThis.requestIdleCallback;
  }
});

test("work that was dropped does no more", async () => {
  const log = [];
  new Ahead(counted(3, log)).drop();
  await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual(log, []);
});
