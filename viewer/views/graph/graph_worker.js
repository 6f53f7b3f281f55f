// Lays out large graphs in a worker, so that the page stays responsive.
import dagre from "../../vendor/dagre.esm.js";
import { layOutTask } from "./graph_layout.js";

const SMALL = 60; // nodes and edges; below that a worker does not pay off

export class Layouter {
  constructor() {
    this.worker = null;
  }

  /** A promise of the result of layOutTask(); null if another task was started first. */
  async run(task) {
    this.giveUp?.();
    const make = dagre[Symbol.for("kymo-make")]; // missing when the modules are not bundled
    if (task.nodes.length + task.edges.length <= SMALL || !make) return layOutTask(dagre, task);
    try {
      return await this.ask(task, make);
    } catch {
      return layOutTask(dagre, task); // a browser that allows no workers in pages from files
    }
  }

  ask(task, make) {
    this.worker ??= started(make);
    return new Promise((resolve, reject) => {
      const end = (complete, value, isOver) => {
        this.giveUp = null;
        if (isOver) this.stop();
        complete(value);
      };
      this.giveUp = () => end(resolve, null, true);
      this.worker.onmessage = ({ data }) => end(resolve, data, false);
      this.worker.onerror = (event) => {
        event.preventDefault();
        end(reject, new Error(event.message), true);
      };
      this.worker.postMessage(task);
    });
  }

  stop() {
    this.worker.terminate();
    this.worker = null;
  }
}

function started(make) {
  const text = `"use strict";
const dagre = (${make})();
const layOutTask = ${layOutTask};
onmessage = ({ data }) => postMessage(layOutTask(dagre, data));
`;
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return new Worker(url);
}
