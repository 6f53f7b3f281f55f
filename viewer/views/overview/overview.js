// The first view: what ran, the findings, where the time went, and the accuracy.
import { element } from "../../dom.js";
import { findingLink } from "../../finding_links.js";
import {
  advices,
  costLine,
  estimateLine,
  headline,
  importLine,
  lossLines,
  subline,
} from "../../overview_texts.js";
import { timeSection } from "./overview_time.js";
import { regionsSection } from "./overview_regions.js";

export const overviewView = {
  id: "overview",
  title: "Overview",
  key: "o",
  isAvailable: () => true,
  create,
};

function create(host, app) {
  const notes = app.data.json("notes") ?? { info: [] };
  host.append(
    head(app, notes),
    ...[advice(app), findings(app), timeSection(app), regionsSection(app), trust(app)].filter(
      Boolean,
    ),
  );
  return { show() {} };
}

/** A part of the overview with its title. */
function part(id, title, ...children) {
  return element(
    "section",
    { class: `overview-part overview-${id}`, "aria-labelledby": `overview-${id}` },
    element("h2", { id: `overview-${id}` }, title),
    ...children,
  );
}

function head(app, notes) {
  const { run } = app.data;
  const command = run.processes[0]?.command;
  const { program, rest } = headline(run);
  return element(
    "div",
    { class: "overview-head" },
    element("p", { class: "overview-lead" }, element("bdi", {}, program), rest),
    element("p", { class: "dim" }, subline(run, new Map(notes.info))),
    command
      ? element("p", { class: "overview-command" }, element("code", { dir: "auto" }, command))
      : null,
  );
}

function advice(app) {
  const found = advices(app.data.run, app.data.json("activity"));
  if (found.length === 0) return null;
  return element(
    "div",
    { class: "overview-advice", role: "note" },
    found.map(({ text, hint }) => element("p", {}, element("strong", {}, text), " ", hint ?? "")),
  );
}

function findings(app) {
  const found = app.data.json("findings");
  if (!found) return null;
  const isThere = (id) => app.available.some((view) => view.id === id);
  const items = found.map((finding) => {
    const link = findingLink(finding, isThere);
    const text = codeParts(finding.text);
    return element(
      "li",
      { "data-kind": finding.kind },
      link ? element("a", { href: link }, text) : text,
    );
  });
  return part(
    "findings",
    "What stands out",
    items.length > 0
      ? element("ol", { class: "overview-list" }, items)
      : element("p", {}, "Nothing does: no single place, wait or imbalance dominates this run."),
  );
}

/** Names in `backticks` as code. */
function codeParts(text) {
  return text
    .split("`")
    .map((piece, i) => (i % 2 === 1 ? element("code", {}, element("bdi", {}, piece)) : piece));
}

function trust(app) {
  const { run } = app.data;
  const losses = lossLines(run);
  return part(
    "trust",
    "How far to trust it",
    run.imported_from ? element("p", {}, element("bdi", {}, importLine(run))) : null,
    element("p", {}, costLine(run)),
    estimateLine(run) ? element("p", {}, estimateLine(run)) : null,
    run.samples ? element("p", {}, `Samples: ${run.samples}.`) : null,
    losses.length > 0
      ? element(
          "ul",
          { class: "overview-losses" },
          losses.map((text) => element("li", {}, element("bdi", {}, text))),
        )
      : element("p", {}, "Nothing was lost."),
    element(
      "p",
      {},
      element("a", { href: "#notes" }, "Settings, environment and recordings: Notes"),
    ),
  );
}
