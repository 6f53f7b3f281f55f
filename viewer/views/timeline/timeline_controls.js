// The controls around the picture: search, buttons, remarks on joined slices, help.
import { element } from "../../dom.js";
import { KIND_COLOURS } from "../../colours.js";
import { count, duration } from "../../format.js";
import { stateColour } from "./timeline_paint.js";

const KEYS = [
  ["w, s or +, -", "nearer, further"],
  ["a, d or arrows", "earlier, later"],
  ["0, Home, End", "the whole run, its begin, its end"],
  ["Enter", "choose the slice in the middle"],
  ["Shift + arrows", "previous, next, caller or callee of the chosen slice"],
  ["z", "zoom to the chosen slice or range"],
  ["m", "statistics of what is shown"],
  ["Escape", "let go of what is chosen"],
  ["Ctrl + wheel", "nearer, further; Shift + wheel: earlier, later"],
  ["drag", "move; with Shift: choose a range of time and threads"],
];

function button(text, label, onclick) {
  return element("button", { type: "button", "aria-label": label, title: label, onclick }, text);
}

/** acts: {find(text), step(direction), zoom(factor), whole(), mark(), fold(isFolded)}. */
export function createControls(acts, isSampled) {
  const input = element("input", {
    type: "search",
    placeholder: "Find a function",
    "aria-label": "Find slices by name of the region",
    title: "A part of the name, or a /regular expression/",
    oninput: () => acts.find(input.value),
    onkeydown: (event) => {
      if (event.key === "Enter") acts.step(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") input.blur();
    },
  });
  const found = element("span", { class: "timeline-found dim" });
  const steps = [
    button("‹", "Previous slice that was found", () => acts.step(-1)),
    button("›", "Next slice that was found", () => acts.step(1)),
  ];
  const bar = element(
    "div",
    { class: "controls" },
    element("span", { class: "timeline-group" }, input, steps, found),
    element(
      "span",
      { class: "timeline-group" },
      button("−", "Further away (key s)", () => acts.zoom(1.6)),
      button("+", "Nearer (key w)", () => acts.zoom(1 / 1.6)),
      button("Whole run", "Show the whole run (key 0)", () => acts.whole()),
    ),
    element(
      "span",
      { class: "timeline-group" },
      button("Statistics", "Statistics of what is shown (key m)", () => acts.mark()),
      button("Fold", "Fold all threads", () => acts.fold(true)),
      button("Open", "Open all threads", () => acts.fold(false)),
    ),
  );
  return {
    bar,
    input,
    say(result) {
      for (const each of steps) each.disabled = !result || !result.count;
      if (!result) found.textContent = "";
      else if (result.problem) found.textContent = result.problem;
      else if (!result.count) found.textContent = "nothing has that name";
      else {
        const regions = result.count === 1 ? "one region" : `${count(result.count)} regions`;
        found.textContent = `${count(result.calls)} ${isSampled ? "samples" : "calls"} of ${regions}`;
      }
    },
  };
}

/** What the current picture leaves out. */
export function summaryOf(timeline, drawn) {
  const texts = [];
  if (drawn.coarsest > 0) {
    const shortest = shortDuration(timeline.resolutions[drawn.coarsest]);
    texts.push(`Slices shorter than ${shortest} are joined at this zoom.`);
  }
  if (drawn.arrows || drawn.arrowsLeftOut) texts.push(`${count(drawn.arrows)} messages are drawn.`);
  if (drawn.arrowsLeftOut) texts.push(`${count(drawn.arrowsLeftOut)} more are not.`);
  return texts.join(" ");
}

/** What the page does not contain, and how to get it. */
export function limitsOf(timeline) {
  const { facts, resolutions } = timeline;
  const texts = [];
  if (facts.finest > 0) {
    const shortest = shortDuration(resolutions[facts.finest]);
    texts.push(
      `Where there is most, slices shorter than ${shortest} are joined; ` +
        "kymo view --from 1.2s --to 1.3s shows them all.",
    );
  }
  if (facts.from > 0 || facts.to < facts.end)
    texts.push(
      `Only the part from ${duration(facts.from)} to ${duration(facts.to)} is on this page.`,
    );
  if (facts.hidden) texts.push(`${count(facts.hidden)} threads did not fit: see --timeline-size.`);
  if (facts.too_deep) texts.push(`${count(facts.too_deep)} slices were too deep to be shown.`);
  if (facts.series_left_out) texts.push(`${count(facts.series_left_out)} series did not fit.`);
  return texts.join(" ");
}

function shortDuration(ns) {
  const [factor, unit] = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : ns >= 1e3 ? [1e3, "us"] : [1, "ns"]; // prettier-ignore
  return `${Number((ns / factor).toPrecision(2))} ${unit}`;
}

export function createHelp() {
  return element(
    "details",
    { class: "timeline-help" },
    element("summary", {}, "Keys and mouse"),
    element(
      "dl",
      {},
      KEYS.flatMap(([keys, text]) => [element("dt", {}, keys), element("dd", {}, text)]),
    ),
  );
}

/** The colours and their meanings. */
export function createLegend(timeline, kinds) {
  const patch = (colour) => {
    const made = element("span", { class: "patch" });
    made.style.background = colour;
    return made;
  };
  const entries = kinds.map((kind) => [KIND_COLOURS[kind], kind]);
  const hasStates = timeline.strips.some((strip) => strip.kind === 2);
  const states = timeline.facts.states.filter((name) => stateColour(name) !== KIND_COLOURS.waiting);
  return element(
    "p",
    { class: "timeline-legend" },
    entries.map(([colour, text]) => element("span", {}, patch(colour), text)),
    hasStates ? element("span", { class: "dim" }, "stripe above:") : null,
    hasStates ? states.map((name) => element("span", {}, patch(stateColour(name)), name)) : null,
    hasStates ? element("span", {}, patch(KIND_COLOURS.waiting), "waiting") : null,
  );
}
