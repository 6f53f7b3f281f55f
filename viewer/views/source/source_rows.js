// One line of a source: its number, its measurements, its text.
import { heat, heatText } from "../../colours.js";
import { element, nameText } from "../../dom.js";
import { count, duration, isolated, percent } from "../../format.js";
import { intervalText, wilson } from "../../interval.js";
import { formatRoute } from "../../route.js";

const PARTS = [
  ["python", "Python"],
  ["native", "native"],
  ["system", "system"],
  ["lock", "waiting"],
];

/** hasLines: numbers are of lines, else of functions that begin there. */
export function headRow(hasLines, isSampled) {
  const headings = [
    ["Line", "of the file"],
    [
      hasLines || isSampled ? "Samples" : "Calls",
      hasLines ? "in this line" : "of the function that begins here",
    ],
    ["Self", hasLines ? "the line itself and what native code it calls" : "in its own code"],
    ["Total", "with all that is called from it"],
  ];
  return element(
    "tr",
    {},
    headings.map(([text, title]) => element("th", { scope: "col", class: "number", title }, text)),
    element("td"),
    element("th", { scope: "col" }, "Source"),
  );
}

export function lineRow(row, about) {
  if (row.gap) return gapRow(row.gap);
  const { measured, most, link, isMarked, isFound, app } = about;
  const share = measured ? measured.self / most : 0;
  const number = element(
    "td",
    { class: "number source-number" },
    element("a", { href: link, tabindex: "-1" }, String(row.line)),
  );
  if (share > 0) {
    number.style.background = heat(share, app.theme.isDark);
    number.firstChild.style.color = heatText(share, app.theme.isDark);
  }
  return element(
    "tr",
    {
      class: [isMarked ? "marked" : "", isFound ? "found" : ""].join(" ").trim() || null,
      "data-line": row.line,
    },
    number,
    element("td", { class: "number" }, measured?.count > 0 ? count(measured.count) : ""),
    timeCell(measured?.self, about, measured?.split),
    timeCell(measured?.total, about),
    element("td", { class: "source-ways" }, ways(app, measured)),
    element("td", { class: "source-code" }, row.text === null ? names(app, measured) : row.text),
  );
}

function gapRow([first, last]) {
  const text =
    first === last
      ? `line ${first} is not on the page`
      : `lines ${first} to ${last} are not on the page`;
  return element("tr", { class: "source-gap" }, element("td", { colspan: "6" }, `⋯ ${text}`));
}

function timeCell(ns, about, split) {
  if (!(ns > 0)) return element("td", { class: "number" });
  const share = ns / about.whole;
  const sure = about.count > 0 ? `, 95 % sure: ${intervalText(wilson(share, about.count))}` : "";
  return element(
    "td",
    { class: "number", title: `${duration(ns)}${sure}${splitText(split)}` },
    split ? splitBar(split) : null,
    percent(share),
  );
}

function splitText(split) {
  if (!split) return "";
  const parts = PARTS.map(([, text], i) => [text, split[i]]).filter(([, ns]) => ns > 0);
  return parts.map(([text, ns]) => `\n${text}: ${duration(ns)}`).join("");
}

function splitBar(split) {
  const bar = element("span", { class: "source-split-bar", "aria-hidden": "true" });
  PARTS.forEach(([id], i) => {
    if (!(split[i] > 0)) return;
    const part = element("span", { class: `activity-${id}` });
    part.style.flexGrow = String(split[i]);
    bar.append(part);
  });
  return bar;
}

/** Links from the line where a function begins to the function. */
function ways(app, measured) {
  const view = ["flame", "table"].find((id) => app.available.some((each) => each.id === id));
  if (!measured?.functions.length || !view) return null;
  const region = measured.functions[0];
  const name = app.data.regions.name[region];
  return element(
    "a",
    {
      class: "source-function",
      href: formatRoute(view, { region }),
      tabindex: "-1",
      title: name,
      "aria-label": `${isolated(name)} in ${view}`,
    },
    "ƒ",
  );
}

function names(app, measured) {
  return measured?.functions.map((region) => nameText(app.data.regions.name[region]));
}
