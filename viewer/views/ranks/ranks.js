// Ranks, processes, threads and repeated runs: the share of each in a region.
import { element } from "../../dom.js";
import { count, duration } from "../../format.js";
import { matcher } from "../../matcher.js";
import { detailOf } from "./ranks_detail.js";
import { heatTable } from "./ranks_heat.js";
import { groupingsOf, heatRows, loadParts, several, spreadOf, valuesOf } from "./ranks_data.js";

const ROWS = 16; // of the heat map, until more are requested

export const ranksView = {
  id: "ranks",
  title: "Ranks and threads",
  key: "r",
  isAvailable: (data) => data.has("parts"),
  create: (host, app) => new Ranks(host, app),
};

const CHOICES = {
  metric: {
    self: "self",
    total: "total",
    calls: "calls",
    work: "own work",
    work_total: "work with what it calls",
  },
  sort: { sum: "by sum", lost: "by most − mean", imbalance: "by imbalance" },
  scale: { row: "each region", all: "all regions" },
  order: { place: "in their order", value: "largest first" },
};

class Ranks {
  constructor(host, app) {
    this.app = app;
    this.host = host;
    this.calls = app.data.run.is_sampled ? "Samples" : "Calls";
    this.heat = element("div", { class: "map" });
    this.detail = element("div");
  }

  async load() {
    const { data } = this.app;
    const [groups, shares] = await Promise.all([
      data.blob("parts-groups"),
      data.blob("parts-shares"),
    ]);
    this.parts = loadParts(data.json("parts"), groups, shares);
    this.groupings = groupingsOf(this.parts);
    this.rows = new Map();
    this.build();
  }

  build() {
    const words = Object.fromEntries(this.groupings.map((by) => [by, several(by)]));
    const names = {
      by: "Compare",
      metric: "Time",
      sort: "Regions",
      scale: "Colours of",
      order: "Bars",
    };
    const metric = { ...CHOICES.metric, calls: this.calls.toLowerCase() };
    this.selects = {};
    const choices = Object.entries({ by: words, ...CHOICES, metric }).map(([key, options]) => {
      const select = element(
        "select",
        {
          "aria-label": names[key],
          onchange: () =>
            this.app.setParams({ [key]: select.value, ...(key === "by" ? { group: null } : {}) }),
        },
        Object.entries(options).map(([value, text]) => element("option", { value }, text)),
      );
      this.selects[key] = select;
      return element("label", {}, `${names[key]} `, select);
    });
    this.filter = element("input", {
      type: "search",
      placeholder: "text or /expression/",
      "aria-label": "Filter regions",
      spellcheck: "false",
      oninput: () => {
        this.app.replaceParams({ filter: this.filter.value });
        this.show({ ...this.params, filter: this.filter.value });
      },
    });
    this.host.append(
      element("div", { class: "controls" }, choices, element("label", {}, "Filter ", this.filter)),
      this.heat,
      this.leftOut(),
      this.detail,
      element(
        "p",
        { class: "dim keys" },
        "Keys: / filter; ↑ ↓ from region to region, Enter chooses; [ and ] select the previous and the next group.",
      ),
    );
  }

  leftOut() {
    const { left_out, left_out_total, left_out_self } = this.parts.facts;
    if (left_out === 0) return element("p", { class: "dim" });
    return element(
      "p",
      { class: "dim" },
      `${count(left_out)} more regions, each with a total of at most ${duration(left_out_total * 1e9)}, are not in this page;` +
        ` together ${duration(left_out_self * 1e9)} self. kymo report --imbalance has them all.`,
    );
  }

  stateOf(params) {
    const word = (key, words) => (words.includes(params[key]) ? params[key] : words[0]);
    const number = (text) => (text === undefined || text === "" ? -1 : Number(text));
    const first = this.groupings.includes(this.parts.facts.by)
      ? this.parts.facts.by
      : this.groupings[0];
    return {
      by: this.groupings.includes(params.by) ? params.by : first,
      metric: word("metric", Object.keys(CHOICES.metric)),
      sort: word("sort", Object.keys(CHOICES.sort)),
      scale: word("scale", Object.keys(CHOICES.scale)),
      order: word("order", Object.keys(CHOICES.order)),
      filter: params.filter ?? "",
      top: Math.max(ROWS, number(params.top)),
      region: number(params.region),
      group: number(params.group),
    };
  }

  async show(params) {
    if (!this.groupings) await (this.loading ??= this.load());
    this.params = params;
    this.state = this.stateOf(params);
    const { state } = this;
    for (const [key, select] of Object.entries(this.selects)) select.value = state[key];
    if (document.activeElement !== this.filter) this.filter.value = state.filter;
    const filter = matcher(state.filter);
    this.filter.toggleAttribute("aria-invalid", Boolean(filter.problem));
    const rows = heatRows(this.parts, { ...state, accepts: filter.accepts }, this.app.data.regions);
    if (state.region < 0) state.region = rows[0]?.region ?? this.parts.regions[0];
    this.fill(rows);
  }

  fill(rows) {
    const { state } = this;
    const focused = this.heat.contains(document.activeElement)
      ? document.activeElement.closest("tr")?.dataset.region
      : null;
    this.map = heatTable(this, rows.slice(0, state.top), rows.length);
    this.heat.replaceChildren(this.map.node);
    const isThere = this.parts.shares.has(state.region);
    this.row = isThere ? this.rowOf(state.region) : null;
    this.one = isThere ? detailOf(this, this.row) : null;
    this.detail.replaceChildren(
      this.one?.node ??
        element("p", {}, "That region is too small for the page to know how it is spread."),
    );
    this.resize();
    if (focused) this.heat.querySelector(`tr[data-region="${focused}"] button`)?.focus();
  }

  rowOf(region) {
    const values = valuesOf(this.parts, region, this.state.by, this.state.metric);
    return { region, values, spread: spreadOf(values, this.parts.groups[this.state.by]) };
  }

  resize() {
    this.map?.draw();
    this.one?.draw();
  }

  nameOf(group) {
    return this.parts.groups[this.state.by].names[group] ?? "";
  }

  get format() {
    return this.state.metric === "calls" ? count : duration;
  }

  time(ns) {
    return duration(ns);
  }

  columnsOf(region) {
    const column = (metric) => valuesOf(this.parts, region, this.state.by, metric);
    return { self: column("self"), total: column("total"), calls: column("calls") };
  }

  onGo(region, group = this.state.group) {
    this.app.setParams({ region, group: group < 0 ? null : group });
  }

  onMore() {
    this.app.setParams({ top: this.state.top * 4 });
  }

  key(event) {
    if (event.key === "/") this.filter.focus();
    else if ((event.key === "[" || event.key === "]") && this.row) {
      const { count: groups } = this.row.spread;
      const step = event.key === "]" ? 1 : -1;
      const from = this.state.group < 0 ? (step > 0 ? -1 : groups) : this.state.group;
      this.onGo(this.state.region, Math.max(0, Math.min(groups - 1, from + step)));
    } else return false;
    return true;
  }
}
