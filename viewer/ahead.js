// Work in steps: a generator that yields now and then; its result is its return value.  It can be
// run at once, or while the page is idle.

/** The result of all steps, run at once. */
export function finished(steps) {
  let step;
  do step = steps.next();
  while (!step.done);
  return step.value;
}

const LEAST = 2; // ms that must be left for a step

export class Ahead {
  constructor(steps) {
    this.steps = steps;
    this.isDone = false;
    this.schedule();
  }

  schedule() {
    const later = globalThis.requestIdleCallback;
    if (later) later((idle) => this.goOn(() => idle.timeRemaining() > LEAST));
    else setTimeout(() => this.goOn(() => false));
  }

  goOn(hasTime) {
    if (this.isDone) return;
    do this.step();
    while (!this.isDone && hasTime());
    if (!this.isDone) this.schedule();
  }

  step() {
    const { done, value } = this.steps.next();
    this.isDone = done;
    this.result = value;
  }

  /** The result is no longer needed. */
  drop() {
    this.isDone = true;
  }

  /** The result; the remaining steps are run at once. */
  finish() {
    while (!this.isDone) this.step();
    return this.result;
  }
}
