// The call graph: callers and callees, expensive ones in strong colours.
import { callsOf } from "../../calls.js";
import { element } from "../../dom.js";
import { count } from "../../format.js";
import { matcher } from "../../matcher.js";
import { PanZoom } from "../../panzoom.js";
import { createGraphControls } from "./graph_controls.js";
import { drawGraph, moduleColours, sizesFor, svgElement } from "./graph_draw.js";
import { beginning, placed, taskOf } from "./graph_layout.js";
import { graphOf, graphState, hotPath, neighbour } from "./graph_model.js";
import { saveGraph } from "./graph_save.js";
import { inWords, listOf, sideOf } from "./graph_side.js";
import { Layouter } from "./graph_worker.js";

const READABLE = 0.65; // the smallest scale at which names are readable
const KEPT_LAYOUTS = 8;

export const graphView = {
  id: "graph",
  title: "Call graph",
  key: "g",
  isAvailable: (data) => data.has("flat") && data.has("links"),
  create: (host, app) => new Graph(host, app),
};

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

class Graph {
  constructor(host, app) {
    this.app = app;
    this.layouts = new Map();
    this.layouter = new Layouter();
    this.controls = createGraphControls({
      change: (params) => app.setParams({ ...params, at: null }),
      search: (text) => this.search(text),
      next: () => this.goToNext(),
      fit: () => this.fit(),
      zoom: (factor) => this.mover.zoom(factor),
      save: (kind) => this.save(kind),
    });
    this.layer = svgElement("g");
    this.surface = svgElement(
      "svg",
      { class: "surface", role: "group", tabindex: "-1" },
      this.layer,
    );
    this.mover = new PanZoom(this.surface, this.layer, () => this.keepPlace());
    this.busy = element("p", { class: "busy", role: "status" });
    this.side = element("aside", { "aria-label": "The chosen region" });
    this.list = element("div", { class: "scroll" });
    this.details = element(
      "details",
      { class: "as-list", ontoggle: () => this.fillList() },
      element("summary", {}, "The graph as a table"),
      this.list,
    );
    host.append(
      this.controls.node,
      element(
        "div",
        { class: "columns" },
        element("div", { class: "frame" }, this.surface, this.busy),
        this.side,
      ),
      this.details,
    );
    this.surface.addEventListener("click", (event) => this.onClick(event));
    this.surface.addEventListener("focusin", (event) => this.onFocusIn(event));
  }

  async load() {
    const { data } = this.app;
    this.entries = (await data.flat()) ?? [];
    this.links = (await data.links()) ?? [];
    this.calls = await callsOf(data);
    this.flat = new Map(this.entries.map((entry) => [entry.region, entry]));
    this.sum = this.entries.reduce((sum, { self }) => sum + self, 0);
  }

  async show(params) {
    if (!this.flat) await (this.loading ??= this.load());
    this.state = graphState(params);
    this.controls.show(this.state);
    const { nodes, edges, focus, way } = this.state;
    const key = [nodes, edges, focus, way].join(" ");
    this.wanted = key;
    if (key !== this.layoutKey) await this.make(key);
    if (key !== this.layoutKey) return; // another one was requested meanwhile
    this.draw(params.at);
    this.choose();
  }

  async save(kind) {
    try {
      await saveGraph(kind, this.graph, this.layout, this.look, this.app.data.run.program);
      this.busy.textContent = "";
    } catch (error) {
      this.busy.textContent = `The browser makes no picture of this graph: ${error.message}`;
    }
  }

  /** Lay out what is above the thresholds, while showing a status text. */
  async make(key) {
    let made = this.layouts.get(key);
    if (!made) {
      const graph = graphOf(this.entries, this.links, this.state);
      this.busy.textContent = `Laying out ${count(graph.nodes.length)} regions …`;
      await painted();
      if (this.wanted !== key) return;
      const { regions, run } = this.app.data;
      const sizes = sizesFor({ regions, isSampled: run.is_sampled });
      const task = taskOf(graph, this.state.way, ...sizes);
      const result = await this.layouter.run(task);
      if (!result || this.wanted !== key) return;
      const layout = placed(graph, task, result);
      made = { graph, layout };
      if (this.layouts.size >= KEPT_LAYOUTS) this.layouts.delete(this.layouts.keys().next().value);
      this.layouts.set(key, made);
      this.busy.textContent = "";
    }
    Object.assign(this, made, { layoutKey: key, drawn: null });
  }

  /** Returns whether there was anything to draw. */
  draw(place) {
    const { isDark } = this.app.theme;
    const { colour } = this.state;
    const drawn = [this.layoutKey, colour, isDark].join(" ");
    if (drawn === this.drawn) return false;
    const isNew = !this.drawn;
    this.drawn = drawn;
    const { regions, run } = this.app.data;
    const modules = colour === "module" ? moduleColours(this.graph, regions, isDark) : null;
    this.look = { regions, isSampled: run.is_sampled, isDark, colour, modules };
    this.layer.replaceChildren(drawGraph(this.graph, this.layout, this.look));
    this.nodes = new Map();
    for (const node of this.layer.querySelectorAll(".node")) this.prepare(node);
    this.surface.setAttribute(
      "aria-label",
      `Call graph of ${this.graph.nodes.length} regions; arrow keys go along the calls`,
    );
    if (isNew) this.place(place);
    this.list.replaceChildren();
    this.fillList();
    return true;
  }

  prepare(node) {
    const region = Number(node.dataset.region);
    const text = inWords(this, region);
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", "-1");
    node.setAttribute("aria-label", text);
    node.prepend(svgElement("title", {}, `${text}\n${this.app.data.regions.place[region]}`));
    this.nodes.set(region, node);
  }

  place(text) {
    const [x, y, scale] = (text ?? "").split("_").map(Number);
    this.isPlacing = true;
    if (scale > 0) this.mover.set(x, y, scale);
    else this.fit(READABLE);
    this.isPlacing = false;
  }

  /** All of it; if that would be smaller than least, the most expensive path. */
  fit(least) {
    const { width, height, places } = this.layout;
    if (this.mover.fit(width, height, least)) return;
    const { clientWidth, clientHeight } = this.surface;
    const path = hotPath(this.graph).map((region) => places.get(region));
    const window = { width: clientWidth, height: clientHeight };
    const { x, y } = beginning(path, this.state.way, window, least);
    this.mover.set(x, y, least);
  }

  /** The position is in the link, but adds no history entry. */
  keepPlace() {
    if (this.isPlacing) return;
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => {
      if (this.app.current.view !== "graph") return;
      const { x, y, scale } = this.mover;
      this.app.replaceParams({ at: [x.toFixed(0), y.toFixed(0), scale.toFixed(3)].join("_") });
    }, 250);
  }

  resize() {
    if (!this.state || !this.layout) return;
    // The side panel stays unchanged: a button must not disappear while it is pressed.
    if (this.draw()) this.choose();
  }

  choose() {
    const { region } = this.state;
    const near = new Set([region]);
    for (const edge of this.graph.edges) {
      if (edge.caller === region) near.add(edge.callee);
      if (edge.callee === region) near.add(edge.caller);
    }
    const hasChoice = this.nodes.has(region);
    for (const [each, node] of this.nodes) {
      node.classList.toggle("is-dim", hasChoice && !near.has(each));
      node.classList.toggle("is-chosen", each === region);
      node.setAttribute("aria-pressed", String(each === region));
    }
    for (const edge of this.layer.querySelectorAll(".edge")) {
      const touches =
        Number(edge.dataset.caller) === region || Number(edge.dataset.callee) === region;
      edge.classList.toggle("is-dim", hasChoice && !touches);
      edge.classList.toggle("is-near", hasChoice && touches);
    }
    this.stop(hasChoice ? region : this.graph.nodes[0]?.region);
    this.side.replaceChildren(...sideOf(this).filter((each) => each !== null));
    this.mark();
    if (hasChoice) this.reveal(region);
  }

  /** Make this the only node in the tab order. */
  stop(region) {
    for (const [each, node] of this.nodes)
      node.setAttribute("tabindex", each === region ? "0" : "-1");
  }

  reveal(region) {
    const { x, y } = this.layout.places.get(region);
    this.mover.reveal(x, y);
  }

  onGo(region) {
    this.app.setParams({ region: region < 0 ? null : region, at: null });
  }

  onFocus(region) {
    this.app.setParams({ focus: region < 0 ? null : region, at: null });
  }

  onClick(event) {
    if (this.mover.wasMoved) return;
    const node = event.target.closest(".node");
    if (node) this.onGo(Number(node.dataset.region));
    else if (this.state.region >= 0) this.onGo(-1);
  }

  onFocusIn(event) {
    const node = event.target.closest(".node");
    if (node?.matches(":focus-visible")) this.reveal(Number(node.dataset.region));
  }

  search(text) {
    this.state.search = text;
    this.app.replaceParams({ search: text });
    this.mark();
  }

  mark() {
    const { search } = this.state;
    const { accepts, problem } = matcher(search);
    const { regions } = this.app.data;
    this.matches =
      search === "" || problem
        ? []
        : this.graph.nodes
            .map(({ region }) => region)
            .filter((region) => accepts(regions.name[region], regions.place[region]));
    const found = new Set(this.matches);
    for (const [region, node] of this.nodes) node.classList.toggle("is-found", found.has(region));
    this.controls.found.textContent =
      problem ?? (search === "" ? "" : `${count(found.size)} found`);
  }

  goToNext() {
    if (this.matches.length === 0) return;
    this.onGo(this.matches[(this.matches.indexOf(this.state.region) + 1) % this.matches.length]);
  }

  key(event) {
    if (event.key === "/") this.controls.search.focus();
    else if (event.key === "+" || event.key === "=") this.mover.zoom(1.3);
    else if (event.key === "-") this.mover.zoom(1 / 1.3);
    else if (event.key === "0") this.fit();
    else if (event.key === "Escape" && this.state?.region >= 0) this.onGo(-1);
    else return this.nodeKey(event);
    return true;
  }

  nodeKey(event) {
    const node = document.activeElement?.closest?.(".node");
    if (!node || !this.surface.contains(node)) return false;
    const region = Number(node.dataset.region);
    if (event.key === "Enter" || event.key === " ") this.onGo(region);
    else if (event.key.startsWith("Arrow")) {
      const next = neighbour(this.graph, this.layout.places, region, event.key, this.state.way);
      if (next < 0) return true;
      this.stop(next);
      this.nodes.get(next).focus();
    } else return false;
    return true;
  }

  fillList() {
    if (this.details.open && this.list.childElementCount === 0) this.list.append(listOf(this));
  }
}
