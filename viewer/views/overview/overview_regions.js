// The regions with the largest self time, each with links to other views.
import { element, nameText } from "../../dom.js";
import { isolated, percent, withError } from "../../format.js";
import { intervalText, wilson } from "../../interval.js";
import { formatRoute } from "../../route.js";

const SHOWN = 10;
const WAYS = [
  ["flame", "flame"],
  ["table", "table"],
  ["graph", "graph"],
  ["source", "source"],
];

export function regionsSection(app) {
  if (!app.data.has("flat")) return null;
  const body = element("tbody");
  const section = element(
    "section",
    { class: "overview-part overview-regions", "aria-labelledby": "overview-regions" },
    element("h2", { id: "overview-regions" }, "Top regions"),
    element("p", { class: "dim" }, basisText(app.data.run)),
    element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Top regions" },
      element(
        "table",
        { class: "overview-top" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["Region", "", "Self", "", "Total", "See it in"].map((text, i) =>
              element(
                text ? "th" : "td",
                text ? { scope: "col", class: i === 2 || i === 4 ? "number" : null } : {},
                text,
              ),
            ),
          ),
        ),
        body,
      ),
    ),
  );
  section.hidden = true;
  app.data.flat().then((flat) => {
    const self = flat.reduce((sum, entry) => sum + entry.self, 0);
    const top = topOf(flat);
    section.hidden = top.length === 0 || self <= 0;
    body.replaceChildren(...top.map((entry) => row(app, entry, self)));
  });
  return section;
}

/** The ranking, and for samples the base of the shares. */
export function basisText(run) {
  const time = run.is_of_cpu ? "CPU time" : "time";
  const shares = run.shares ? ` Shares are ${run.shares}.` : "";
  return `By the ${time} in their own code; total is with all they call.${shares}`;
}

/** The regions with the largest self time, followed by the time in none. */
export function topOf(flat) {
  const bySelf = flat.filter(({ isRest }) => !isRest);
  bySelf.sort((a, b) => b.self - a.self || b.total - a.total);
  return [...bySelf.slice(0, SHOWN), ...flat.filter(({ isRest }) => isRest)];
}

function row(app, entry, self) {
  const { regions } = app.data;
  const place = regions.place[entry.region];
  const count = app.data.json("activity")?.effective_count ?? 0;
  const share = entry.self / self;
  return element(
    "tr",
    {},
    element(
      "th",
      { scope: "row" },
      nameText(regions.name[entry.region]),
      place ? element("span", { class: "dim overview-place" }, nameText(place)) : null,
    ),
    ...quantity(entry.self, share, count, entry.selfOff),
    ...quantity(entry.total, entry.total / self, 0, entry.totalOff),
    element("td", { class: "overview-ways" }, ways(app, entry)),
  );
}

function quantity(ns, share, count, off) {
  const fill = element("span", { class: "overview-fill" });
  fill.style.width = `${Math.min(100, 100 * share)}%`;
  return [
    element(
      "td",
      { class: "overview-measure" },
      element("span", { class: "overview-gauge", "aria-hidden": "true" }, fill),
    ),
    element(
      "td",
      { class: "number" },
      element("strong", {}, percent(share)),
      " ",
      element("span", { class: "dim" }, withError(ns, off)),
      count > 0
        ? element(
            "span",
            { class: "dim overview-sure", title: "95 % sure" },
            intervalText(wilson(share, count)),
          )
        : null,
    ),
  ];
}

const WAYS_TO_REST = ["flame", "table"];

function ways(app, { region, isRest }) {
  const name = app.data.regions.name[region];
  const isThere = (id) =>
    app.available.some((view) => view.id === id) && (!isRest || WAYS_TO_REST.includes(id));
  return WAYS.filter(([id]) => isThere(id)).map(([id, text]) =>
    element(
      "a",
      { href: formatRoute(id, { region }), "aria-label": `${isolated(name)} in ${text}` },
      text,
    ),
  );
}
