// The side panel of the graph: the selected region with its callers and callees, or an explanation.
import { element, nameText, tableHead } from "../../dom.js";
import { about, count, duration, isolated, percent } from "../../format.js";
import { formatRoute } from "../../route.js";
import { heat } from "../../colours.js";

/** view: {app, graph, calls, state, look, flat (entries by region), onGo(region), onFocus(region)}. */
export function sideOf(view) {
  const { region } = view.state;
  const entry = view.flat.get(region);
  return entry ? chosen(view, entry) : legend(view);
}

function chosen(view, entry) {
  const { regions } = view.app.data;
  const { region } = entry;
  const isThere = view.graph.nodes.some((node) => node.region === region);
  const isFocus = view.state.focus === region;
  const links = ["table", "ranks"].filter((id) =>
    view.app.available.some((each) => each.id === id),
  );
  return [
    element("h2", {}, nameText(regions.name[region])),
    element("p", { class: "dim" }, element("bdi", {}, regions.place[region] || "built-in")),
    facts(view, entry),
    isThere ? null : element("p", {}, "It is below the threshold, so the graph does not show it."),
    element(
      "p",
      { class: "acts" },
      element(
        "button",
        { type: "button", onclick: () => view.onFocus(isFocus ? -1 : region) },
        isFocus ? "Show the whole graph" : "Only what reaches it or is reached",
      ),
      element("button", { type: "button", onclick: () => view.onGo(-1) }, "Done"),
      links.map((id) =>
        element("a", { href: formatRoute(id, { region }) }, id === "table" ? "Table" : "Ranks"),
      ),
    ),
    callList(view, "Called by", view.calls.callers(region), "caller", entry),
    callList(view, "Calls", view.calls.callees(region), "callee", entry),
  ];
}

function facts(view, entry) {
  const { sum } = view;
  const rows = [
    ["Total", `${duration(entry.total)} (${percent(sum > 0 ? entry.total / sum : 0)})`],
    ["Self", `${duration(entry.self)} (${percent(sum > 0 ? entry.self / sum : 0)})`],
    [
      view.look.isSampled ? "Samples" : "Calls",
      entry.primitive === entry.calls || view.look.isSampled
        ? count(entry.calls)
        : `${count(entry.calls)}, of these ${count(entry.calls - entry.primitive)} from within itself`,
    ],
  ];
  return element(
    "dl",
    {},
    rows.map(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]).flat(),
  );
}

function callList(view, title, links, end, entry) {
  const { regions } = view.app.data;
  const items = links.map((link) => {
    const other = link[end];
    const isItself = other === entry.region;
    const share = entry.total > 0 ? percent(link.total / entry.total) : "-";
    const text = `${share} · ${duration(link.total)} · ${about(link)}${view.look.isSampled ? "" : " ×"}`;
    if (other < 0)
      return element("li", {}, "a thread begins with it", element("span", { class: "dim" }, text));
    return element(
      "li",
      {},
      element(
        "button",
        { type: "button", class: "go", onclick: () => view.onGo(other) },
        nameText(regions.name[other]),
        isItself ? " ↻ itself" : null,
      ),
      element("span", { class: "dim" }, text),
    );
  });
  return element(
    "section",
    {},
    element("h3", {}, `${title} (${count(links.length)})`),
    items.length > 0 ? element("ul", {}, items) : element("p", { class: "dim" }, "nothing"),
  );
}

function legend(view) {
  const { graph, look } = view;
  const more =
    graph.left > 0
      ? ` ${count(graph.left)} more reach the threshold: raise it to see a graph that can be read.`
      : "";
  return [
    element("h2", {}, "Call graph"),
    element(
      "p",
      {},
      `${count(graph.nodes.length)} of ${count(graph.all)} regions and ${count(graph.edges.length)} calls between them.${more}`,
    ),
    element(
      "p",
      {},
      "In a box: its share of all time with what it calls, its own share, its calls. On an arrow: the share of the call.",
    ),
    look.colour === "module" ? moduleList(look.modules) : scale(look),
    element(
      "p",
      { class: "dim" },
      "Click a box, or go with Tab and the arrow keys along the calls; Enter chooses, Escape leaves. Drag to move, wheel or + and − to zoom, 0 to fit, / to find.",
    ),
  ];
}

function scale(look) {
  const steps = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const box = element(
      "span",
      { class: "step" },
      element("span", { class: "patch" }),
      percent(part).replace(".0", ""),
    );
    box.firstChild.style.background = heat(part, look.isDark);
    return box;
  });
  return element("p", { class: "scale" }, `Colour: ${look.colour} `, steps);
}

function moduleList(modules) {
  const own = [...modules].filter(([, { isShared }]) => !isShared);
  const shared = [...modules.values()].find(({ isShared }) => isShared);
  const items = own.map(([module, { colour }]) => [nameText(module), colour]);
  if (shared) items.push([`${count(modules.size - own.length)} others`, shared.colour]);
  return element(
    "ul",
    { class: "modules" },
    items.map(([text, colour]) => {
      const patch = element("span", { class: "patch" });
      patch.style.background = colour;
      return element("li", {}, patch, text);
    }),
  );
}

/** The description of a node for screen readers. */
export function inWords(view, region) {
  const entry = view.flat.get(region);
  const share = (time) => percent(view.sum > 0 ? time / view.sum : 0);
  const what = view.look.isSampled ? "samples" : "calls";
  return (
    `${isolated(view.app.data.regions.name[region])}: total ${share(entry.total)} (${duration(entry.total)}),` +
    ` self ${share(entry.self)}, ${count(entry.calls)} ${what}`
  );
}

/** The same as a table, for users who cannot see the drawing. */
export function listOf(view) {
  const { regions } = view.app.data;
  const calls = new Map();
  for (const edge of view.graph.edges) {
    if (!calls.has(edge.caller)) calls.set(edge.caller, []);
    calls
      .get(edge.caller)
      .push(element("li", {}, nameText(regions.name[edge.callee]), ` (${percent(edge.share)})`));
  }
  const head = ["Region", "Total", "Self", view.look.isSampled ? "Samples" : "Calls", "Calls to"];
  return element(
    "table",
    { class: "grid" },
    tableHead(head),
    element(
      "tbody",
      {},
      view.graph.nodes.map(({ region, share, selfShare, entry }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, nameText(regions.name[region])),
          element("td", { class: "number" }, percent(share)),
          element("td", { class: "number" }, percent(selfShare)),
          element("td", { class: "number" }, count(entry.calls)),
          element("td", {}, element("ul", {}, calls.get(region) ?? [])),
        ),
      ),
    ),
  );
}
