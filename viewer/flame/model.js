// The model of the view for the parameters of a link.
import { Ahead, finished } from "../ahead.js";
import { makingCallers } from "./callers.js";
import { comparedTree, loadCompared } from "./compare.js";
import { measuresOf, metricOf } from "./measures.js";
import { largestOf, pathOf, PathTree, regionsTo } from "./paths.js";
import { mergingRecursion } from "./recursion.js";
import { matchOne, matchRegions, totalOfMatches } from "./search.js";

export const DEPTHS = ["5", "10", "20"];
export const CUTS = ["100", "1000"];
export const STYLES = ["icicle", "flame", "sunburst"];

export class FlameModel {
  constructor(data) {
    this.data = data;
    this.regions = data.regions;
    this.comparison = data.json("compare");
    this.measures = measuresOf(data);
    this.time = this.measures.find((each) => each.id === "time");
    this.trees = new Map(); // the most recent trees, by their parameters
this.ahead = new Map(); // trees that may be needed next, by the same
  }

  /** Apply the parameters; returns a promise of this. */
  async update(params) {
    this.params = params;
    this.style = STYLES.includes(params.style) ? params.style : "icicle";
    this.isInverted = params.mode === "callers";
    this.isSelf = params.value === "self";
    this.measure = this.measures.find((each) => each.id === params.metric) ?? this.measures[0];
    this.isCompared = this.measure.quantity !== undefined;
    this.regions = this.isCompared ? this.comparison.regions : this.data.regions;
    this.thread =
      !this.isCompared && params.thread && this.data.has(`tree-${params.thread}`)
        ? params.thread
        : "all";
    await this.choose(params);
    this.depth = DEPTHS.includes(params.depth) ? Number(params.depth) : Infinity;
    this.share = CUTS.includes(params.cut) ? 1 / Number(params.cut) : 0;
    this.rank = params.order === "name" ? this.ranks() : null;
    this.zoom = this.zoomOf(params);
    this.search(params);
    return this;
  }

  /** Set base (as recorded, of this measure) and tree (as shown). */
  async choose(params) {
    this.isMerged = params.merge === "1";
    this.base = await this.made(`${this.thread}|${this.measure.id}`, () => this.measured());
    this.counted = this.isMerged ? await this.inSteps(this.mergedPlan()) : this.base;
    this.tree = this.isInverted ? await this.inSteps(this.callersPlan()) : this.counted;
  }

  mergedPlan() {
    const { base } = this;
    return {
      key: `${this.thread}|${this.measure.id}|merged`,
      steps: () => mergingRecursion(base),
    };
  }

  callersPlan() {
    const { counted } = this;
    const isTotal = this.params.value === "total";
    return {
      key: `${this.thread}|${this.measure.id}|callers|${this.isMerged}|${isTotal}`,
      steps: () => makingCallers(counted, isTotal),
    };
  }

  inSteps({ key, steps }) {
    return this.made(key, () => this.ahead.get(key)?.finish() ?? finished(steps()));
  }

  /** Start building what a click may need next, while the page is idle. */
  prepare() {
    const plans = [this.mergedPlan(), this.callersPlan()].filter(({ key }) => !this.trees.has(key));
    const wanted = new Set(plans.map(({ key }) => key));
    for (const [key, work] of this.ahead) {
      if (wanted.has(key)) continue;
      work.drop();
      this.ahead.delete(key);
    }
    for (const { key, steps } of plans)
      if (!this.ahead.has(key)) this.ahead.set(key, new Ahead(steps()));
  }

  async made(key, make) {
    if (!this.trees.has(key)) {
      const tree = await make();
      if (this.trees.size > 8) this.trees.delete(this.trees.keys().next().value);
      this.trees.set(key, tree);
    }
    return this.trees.get(key);
  }

  async recorded() {
    return this.made(this.thread, async () => {
      const columns = await this.data.tree(this.thread);
      return new PathTree(columns, this.regions.name.length);
    });
  }

  async measured() {
    if (this.isCompared) return this.compared();
    const tree = await this.recorded();
    if (this.measure.id === "time") return tree;
    if (this.measure.id === "calls") return tree.measuredBy(tree.calls);
    const values = await metricOf(this.data, this.thread, this.measure, tree.count);
    if (this.measure.adds) return tree.measuredBy(values);
    const levelled = Object.assign(Object.create(PathTree.prototype), tree);
    levelled.level = values;
    return levelled;
  }

  async compared() {
    const columns = await this.data.loaded("compare-tree", loadCompared);
    this.sides = columns.sides;
    return comparedTree(columns, this.measure, this.regions.name.length);
  }

  /** Positions of regions in the order of their names. */
  ranks() {
    if (this.ranked !== this.regions) {
      this.ranked = this.regions;
      const { name } = this.regions;
      const order = name
        .map((_, i) => i)
        .sort((a, b) => (name[a] < name[b] ? -1 : name[a] > name[b] ? 1 : a - b));
      this.rankByName = new Uint32Array(order.length);
      order.forEach((region, i) => (this.rankByName[region] = i));
    }
    return this.rankByName;
  }

  zoomOf(params) {
    if (params.at) return pathOf(this.tree, params.at.split(".").map(Number));
    const path = Number(params.path ?? 0);
    if (params.path !== undefined && !this.isInverted && this.tree === this.base) {
      return Number.isInteger(path) && path >= 0 && path < this.tree.count ? path : 0;
    }
    return params.region !== undefined ? this.zoomOfRegion(this.regionOf(params)) : 0;
  }

  /** The region of a link's region number in the run, -1 = none. */
  regionOf({ region }) {
    if (region === undefined) return -1;
    if (!this.isCompared) return Number(region);
    const { name, place } = this.data.regions;
    const { regions } = this;
    return regions.name.findIndex(
      (each, i) => each === name[region] && regions.place[i] === place[region],
    );
  }

  /** A region that is hardly visible in the whole is zoomed. */
  zoomOfRegion(region) {
    const path = largestOf(this.tree, region);
    return path > 0 && this.tree.value[path] < 0.02 * this.tree.value[0]
      ? this.tree.parent[path]
      : 0;
  }

  /** The link parameters of a path. */
  paramsOf(path) {
    const named = { path: undefined, at: undefined, region: undefined };
    if (path <= 0) return named;
    if (this.tree === this.base) return { ...named, path };
    return { ...named, at: regionsTo(this.tree, path).join(".") };
  }

  search(params) {
    const region = this.regionOf(params);
    this.found = params.find
      ? matchRegions(this.regions, params.find)
      : region >= 0
        ? matchOne(this.regions, region)
        : null;
    // In the tree as recorded or merged: inversion does not change the values.
    this.matches =
      this.found && !this.found.problem ? totalOfMatches(this.counted, this.found.regions) : null;
  }

  name(path) {
    return path === 0 ? "all" : this.regions.name[this.tree.region[path]];
  }

  /** The displayed value of a path: inclusive, or its own. */
  shown(path) {
    return this.isSelf && !this.isInverted ? this.tree.own[path] : this.tree.value[path];
  }

  get whole() {
    return this.tree.value[0];
  }
}
