// The call paths of the run as icicle, flame graph or sunburst.
import { element } from "../dom.js";
import { isolated, percent } from "../format.js";
import { comparedPainter } from "../flame/compare.js";
import { FlameChart } from "../flame/chart.js";
import { FlameControls } from "../flame/controls.js";
import { FlameModel } from "../flame/model.js";
import { painterOf } from "../flame/paint.js";
import { FlamePanel } from "../flame/panel.js";
import { regionsTo } from "../flame/paths.js";

export const flameView = {
  id: "flame",
  title: "Flame",
  key: "f",
  isAvailable: (data) => data.has("tree-all"),
  prepare: (data) => data.tree(),
  create: (host, app) => new FlamePart(host, app),
};

class FlamePart {
  constructor(host, app) {
    this.app = app;
    this.params = {};
    this.position = -1; // of the current match
    this.model = new FlameModel(app.data);
    this.chart = new FlameChart({
      onZoom: (path) => this.zoomTo(path),
      onCursor: (path) => app.announce(this.sentence(path)),
    });
    this.panel = new FlamePanel((path) => this.zoomTo(path));
    this.controls = new FlameControls(app.data, this.model.measures, {
      change: (params) => app.setParams(params),
      find: (text) => this.find(text),
      step: (by) => this.step(by),
      reset: () => app.navigate("flame", {}),
    });
    this.legend = element("ul", { class: "flame-legend", "aria-label": "Colours" });
    host.append(
      this.controls.host,
      this.panel.path,
      element(
        "div",
        { class: "flame-main" },
        element("div", { class: "flame-left" }, this.chart.host, this.legend),
        this.panel.host,
      ),
      this.chart.tip.box,
    );
  }

  async show(params) {
    if (params.find !== this.params.find || params.region !== this.params.region)
      this.position = -1;
    this.params = params;
    const model = await this.model.update(params);
    if (this.params !== params) return; // another link was followed meanwhile
    this.controls.show(model, this.position);
    this.panel.show(model);
    this.draw();
    this.chart.host.setAttribute(
      "aria-label",
      `${this.sentence(model.zoom)} The lists next to it have the same as text.`,
    );
    model.prepare();
  }

  /** Also after a change of colours. */
  draw() {
    const { model } = this;
    const isDark = this.app.theme.isDark;
    const key = [
      isDark,
      model.params.colour,
      model.measure.id,
      model.thread,
      model.isSelf,
      model.isInverted,
      model.zoom,
      model.isMerged,
      model.params.value,
    ].join();
    if (this.painterKey !== key || this.painterTree !== model.tree) {
      this.painterTree = model.tree;
      this.painter = this.painterFor(isDark);
      this.painterKey = key;
    }
    this.showLegend();
    this.chart.show(model, this.painter);
  }

  painterFor(isDark) {
    const { model } = this;
    const { tree, measure } = model;
    if (model.isCompared && !model.params.colour) return comparedPainter(tree, isDark);
    const context = { regions: model.regions, tree: model.base, isDark };
    if (tree.level && !model.isInverted) {
      const [least, most] = range(tree.level);
      return painterOf("heat", {
        ...context,
        part: (path) => (tree.level[path] - least) / (most - least || 1),
        heatTexts: [measure.format(least), measure.format(most)],
      });
    }
    const most = model.isSelf || model.isInverted ? largest(tree) : tree.value[model.zoom];
    const of = model.isSelf ? tree.own : tree.value;
    const format = measure.adds ? measure.format : model.time.format;
    return painterOf(model.params.colour, {
      ...context,
      part: (path) => Math.sqrt(Math.max(0, of[path]) / (most || 1)),
      heatTexts: ["0", format(most)],
    });
  }

  showLegend() {
    this.legend.replaceChildren(
      ...this.painter.legend.map(({ colour, text, frame }) => {
        const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
        swatch.style.background = colour;
        if (frame) swatch.style.outline = `2px ${frame} var(--text)`;
        return element("li", {}, swatch, element("bdi", {}, text));
      }),
      element("li", { class: "dim" }, this.meaning()),
    );
  }

  meaning() {
    const { model } = this;
    const { measure, data } = model;
    const wide = measure.adds ? measure.title.toLowerCase() : "time";
    const parts = [`width: ${wide}`];
    if (model.tree.level) parts.push(`colour: ${measure.title}, the highest value`);
    if (data.run.is_sampled)
      parts.push("counts are samples, not calls; times are estimates from them");
    if (measure.text) parts.push(measure.text);
    if (model.isCompared) parts.push(...this.sidesText(model.comparison));
    return parts.join("; ");
  }

  sidesText({ before, after, warning }) {
    const describe = ({ run, runs }) => {
      const folder = isolated(run.replace(/\/[^/]*\.kymo$/, ""));
      return runs > 1 ? `${folder} (mean of ${runs} runs)` : folder;
    };
    const parts = [`before: ${describe(before)}`, `after: ${describe(after)}`];
    return warning ? [...parts, `measured differently: ${warning}`] : parts;
  }

  sentence(path) {
    const { model } = this;
    return `${isolated(model.name(path))}: ${this.chart.model ? this.chart.valueText(path) : ""} ${percent(model.shown(path) / model.whole)} of all.`;
  }

  zoomTo(path) {
    if (path === this.model.zoom) return;
    this.app.setParams(this.model.paramsOf(path));
    this.app.announce(this.sentence(path));
  }

  find(text) {
    this.position = -1;
    this.app.replaceParams({ find: text || undefined, region: undefined });
    this.params = this.app.current.params;
    this.model.params = this.params;
    this.model.search(this.params);
    this.controls.showFound(this.model, this.position);
    this.chart.draw();
  }

  /** Zoom to the next match; it is found in the tree that was searched. */
  step(by) {
    const { matches, counted, tree } = this.model;
    const many = matches?.paths.length ?? 0;
    if (many === 0) return;
    this.position =
      this.position < 0 ? (by > 0 ? 0 : many - 1) : (this.position + by + many) % many;
    const path = matches.paths[this.position];
    if (tree === counted)
      this.app.setParams({ ...this.model.paramsOf(path), region: this.params.region });
    else this.app.setParams({ path: undefined, at: regionsTo(counted, path).reverse().join(".") });
    this.app.announce(this.sentence(this.model.zoom));
  }

  key(event) {
    const { chart, model } = this;
    if (!chart.model) return false;
    const isOnChart = document.activeElement === chart.host;
    if (isOnChart && chart.key(event)) return true;
    if (event.key === "Enter" && isOnChart)
      return this.act(() => this.zoomTo(chart.cursor ?? model.zoom));
    if (event.key === "Escape" || event.key === "Backspace")
      return this.act(() => model.zoom > 0 && this.zoomTo(model.tree.parent[model.zoom]));
    if (event.key === "Home") return this.act(() => this.zoomTo(0));
    if (event.key === "/") return this.act(() => this.controls.input.focus());
    if (event.key === ".") return this.act(() => this.step(1));
    if (event.key === ",") return this.act(() => this.step(-1));
    if (event.key === "i") return this.act(() => this.toggle("mode", "callers"));
    if (event.key === "m") return this.act(() => this.toggle("merge", "1"));
    return false;
  }

  act(action) {
    action();
    return true;
  }

  toggle(name, value) {
    this.app.setParams({
      [name]: this.params[name] === value ? undefined : value,
      path: undefined,
      at: undefined,
    });
  }

  resize() {
    if (this.chart.model) this.draw();
  }
}

/** The range of levels of paths, without the root. */
function range(levels) {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 1; i < levels.length; i++) {
    if (levels[i] < least) least = levels[i];
    if (levels[i] > most) most = levels[i];
  }
  return levels.length > 1 ? [least, most] : [0, 0];
}

function largest(tree) {
  let most = 0;
  for (let i = 1; i < tree.count; i++) if (tree.own[i] > most) most = tree.own[i];
  if (most > 0) return most;
  for (let i = 1; i < tree.count; i++) if (tree.value[i] > most) most = tree.value[i];
  return most;
}
