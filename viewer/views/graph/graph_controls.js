// The controls above the call graph.
import { element } from "../../dom.js";

/** on: {change(params), search(text), fit(), zoom(factor), save("svg" | "png"), next()}. */
export function createGraphControls(on) {
  const nodes = threshold("Regions from", "nodes", 20, on);
  const edges = threshold("calls from", "edges", 20, on);
  const colour = choice(
    "Colour",
    { total: "by total", self: "by self", module: "by module" },
    (word) => on.change({ colour: word }),
  );
  const way = choice("Direction", { down: "top down", right: "left to right" }, (word) =>
    on.change({ way: word }),
  );
  const search = element("input", {
    type: "search",
    placeholder: "text or /expression/",
    "aria-label": "Find regions in the graph",
    spellcheck: "false",
    oninput: () => on.search(search.value),
    onkeydown: (event) => {
      if (event.key === "Enter") on.next();
      else if (event.key === "Escape") on.search((search.value = ""));
    },
  });
  const found = element("span", { class: "dim", role: "status" });
  const press = (text, name, act) =>
    element("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
  const node = element(
    "div",
    { class: "controls" },
    nodes.node,
    edges.node,
    colour.node,
    way.node,
    element("label", {}, "Find ", search),
    found,
    element(
      "span",
      { class: "buttons" },
      press("+", "Zoom in", () => on.zoom(1.3)),
      press("−", "Zoom out", () => on.zoom(1 / 1.3)),
      press("Fit", "Fit the graph into the window", () => on.fit()),
      press("Save SVG", "Save the graph as SVG", () => on.save("svg")),
      press("Save PNG", "Save the graph as PNG", () => on.save("png")),
    ),
  );
  return {
    node,
    search,
    found,
    show(state) {
      nodes.set(state.nodes);
      edges.set(state.edges);
      colour.select.value = state.colour;
      way.select.value = state.way;
      if (document.activeElement !== search) search.value = state.search;
    },
  };
}

/** A slider and a number for the same percentage; the slider is finer at small values. */
function threshold(text, key, most, on) {
  const toSlider = (value) => Math.round(100 * Math.sqrt(Math.min(value, most) / most));
  const fromSlider = (at) => Number((most * (at / 100) ** 2).toFixed(2));
  const name =
    key === "nodes" ? "Least share of a region, percent" : "Least share of a call, percent";
  const slider = element("input", {
    type: "range",
    min: "0",
    max: "100",
    "aria-label": `${name}, slider`,
    oninput: () => {
      number.value = fromSlider(Number(slider.value));
    },
    onchange: () => on.change({ [key]: String(fromSlider(Number(slider.value))) }),
  });
  const number = element("input", {
    type: "number",
    min: "0",
    max: "100",
    step: "0.1",
    "aria-label": name,
    onchange: () => on.change({ [key]: number.value }),
  });
  return {
    node: element("span", { class: "threshold" }, `${text} `, slider, number, " %"),
    set(value) {
      number.value = value;
      slider.value = toSlider(value);
    },
  };
}

function choice(name, words, act) {
  const options = Object.entries(words).map(([value, text]) => element("option", { value }, text));
  const select = element(
    "select",
    { "aria-label": name, onchange: () => act(select.value) },
    options,
  );
  return { select, node: element("label", {}, `${name} `, select) };
}
