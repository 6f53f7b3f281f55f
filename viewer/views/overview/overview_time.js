// Where the time went: one bar over all threads, and one per thread or process.
import { activityRows, addTimes, partsOf, totalOf } from "../../activity.js";
import { element, nameText, tableHead } from "../../dom.js";
import { duration, percent } from "../../format.js";
import { counted } from "../../overview_texts.js";

const ROWS = 12;

/** null if nothing was measured. */
export function timeSection(app) {
  const activity = app.data.json("activity");
  if (!activity || activity.threads.length === 0) return null;
  const all = addTimes(activity.threads.map((thread) => thread.ns));
  if (totalOf(all) <= 0) return null;
  const parts = partsOf(activity.activities, all);
  const { unit, rows, isWhole } = activityRows(activity, app.data.run, ROWS);
  return element(
    "section",
    { class: "overview-part overview-time", "aria-labelledby": "overview-time" },
    element("h2", { id: "overview-time" }, "Where the time went"),
    element("p", { class: "dim" }, explanation(activity, all, app.data.run)),
    bar(parts, 1, "all threads"),
    legend(parts),
    rows.length > 1 ? barTable(activity, unit, rows) : null,
    isWhole ? null : more(app, unit),
    app.data.run.is_sampled ? null : offHint(parts),
    numbers(activity, rows),
  );
}

function explanation(activity, all, run) {
  // In a merged run a thread stands for those of its name in all processes.
  const found = activity.threads.reduce((sum, each) => sum + (each.threads ?? 1), 0);
  const threads = Math.max(found, run.thread_count);
  const isSampled = run.is_sampled || activity.threads.some((thread) => thread.is_sampled);
  const how = isSampled
    ? "estimated from samples of the stacks"
    : "by the self time of the recorded calls";
  const whose = threads === 1 ? "the thread" : `${counted(threads, "thread")} added up`;
  return `${duration(totalOf(all))} of ${whose}, ${how}${
    threads > 1 ? `; the run itself took ${duration(run.duration * 1e9)}` : ""
  }.`;
}

function shareText(part) {
  return part.share > 0 && part.share < 0.001 ? "<0.1 %" : percent(part.share);
}

/** width: part of 1 of the available width. */
function bar(parts, width, whose) {
  const label = parts.map((part) => `${part.title} ${shareText(part)}`).join(", ");
  const made = element("div", {
    class: "activity-bar",
    role: "img",
    "aria-label": `${whose}: ${label}`,
  });
  made.style.width = `${Math.max(0.5, 100 * width)}%`;
  for (const part of parts) {
    const segment = element(
      "span",
      {
        class: `activity activity-${part.id}`,
        title: `${part.title}: ${duration(part.ns)}, ${shareText(part)}`,
      },
      // The style sheet hides it if it does not fit.
      element("span", { class: "activity-text" }, `${Math.round(100 * part.share)} %`),
    );
    segment.style.flexGrow = String(part.share);
    made.append(segment);
  }
  return made;
}

function legend(parts) {
  return element(
    "ul",
    { class: "activity-legend" },
    parts.map((part) =>
      element(
        "li",
        { "data-activity": part.id },
        element("span", {
          class: `activity activity-swatch activity-${part.id}`,
          "aria-hidden": "true",
        }),
        element("span", {}, part.title),
        " ",
        element("strong", {}, shareText(part)),
      ),
    ),
  );
}

function barTable(activity, unit, rows) {
  const longest = Math.max(...rows.filter((row) => !row.isRest).map((row) => row.total));
  return element(
    "div",
    { class: "activity-rows", role: "list", "aria-label": `Each ${unit}` },
    rows.map((row) =>
      element(
        "div",
        { class: "activity-row", role: "listitem" },
        element(
          "div",
          { class: "activity-label" },
          nameText(row.label),
          row.place ? element("span", { class: "dim" }, " ", nameText(row.place)) : null,
        ),
        element(
          "div",
          { class: "activity-track" },
          bar(partsOf(activity.activities, row.ns), Math.min(1, row.total / longest), row.label),
        ),
        element("div", { class: "activity-total" }, duration(row.total)),
      ),
    ),
  );
}

function more(app, unit) {
  const text = unit === "process" ? "All processes" : "All threads";
  const isThere = app.available.some((view) => view.id === "ranks");
  return isThere
    ? element("p", {}, element("a", { href: "#ranks" }, `${text}: Ranks and threads`))
    : null;
}

/** Calls alone cannot distinguish waiting from working if only the CPU clock does. */
function offHint(parts) {
  if (!parts.some((part) => part.id === "off" && part.share > 0.1)) return null;
  return element(
    "p",
    { class: "dim" },
    "Off the processor: the threads waited in calls that look like work, or no processor was free. Samples show the reason: ",
    element("code", {}, "kymo sample -- PROGRAM"),
  );
}

function numbers(activity, rows) {
  const used = activity.activities
    .map((each, i) => ({ ...each, i }))
    .filter(({ i }) => rows.some((row) => row.ns[i] > 0));
  const headings = ["", ...used.map((each) => each.title), "processor time", "in all"];
  const cells = (row) => [
    ...used.map(({ i }) => (row.ns[i] > 0 ? duration(row.ns[i]) : "")),
    row.cpu > 0 ? duration(row.cpu) : "",
    duration(row.total),
  ];
  return element(
    "details",
    {},
    element("summary", {}, "The same as numbers"),
    element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Times as numbers" },
      element(
        "table",
        { class: "grid" },
        tableHead(headings),
        element(
          "tbody",
          {},
          rows.map((row) =>
            element(
              "tr",
              {},
              element("th", { scope: "row" }, nameText(row.label)),
              cells(row).map((text) => element("td", { class: "number" }, text)),
            ),
          ),
        ),
      ),
    ),
  );
}
