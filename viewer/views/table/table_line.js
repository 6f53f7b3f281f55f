// Lines of the table as elements.
import { KIND_COLOURS, kindOf } from "../../colours.js";
import { element, nameText } from "../../dom.js";
import { count } from "../../format.js";
import { formatRoute } from "../../route.js";

/**
 * Makes a line.  view: {app, columns (shown), isOpen(region), isFocus(i), onToggle(region),
 * onGo(region)}.
 */
export function makeLine(view, line, i) {
  if (line.type === "region") return regionLine(view, line.entry, i);
  if (line.type === "where") return whereLine(view, line.entry, i);
  if (line.type === "heading") return headingLine(view, line);
  return callLine(view, line, i);
}

function focusable(view, i) {
  return { tabindex: view.isFocus(i) ? "0" : "-1", "data-line": i };
}

export function kindDot(regions, region) {
  const dot = element("span", { class: "dot", "aria-hidden": "true" });
  dot.style.background = KIND_COLOURS[kindOf(regions, region)];
  return dot;
}

function regionLine(view, entry, i) {
  const { regions } = view.app.data;
  const isOpen = view.isOpen(entry.region);
  const name = regions.name[entry.region];
  const button = element(
    "button",
    {
      ...focusable(view, i),
      type: "button",
      class: "open",
      "aria-expanded": String(isOpen),
      title: name,
      onclick: () => view.onToggle(entry.region),
    },
    element("span", { class: "arrow", "aria-hidden": "true" }, isOpen ? "▾" : "▸"),
    kindDot(regions, entry.region),
    nameText(name),
  );
  return element(
    "tr",
    { class: isOpen ? "region is-open" : "region", "data-region": entry.region },
    element("th", { scope: "row" }, button),
    view.columns.slice(1).map((column) => cell(column, column.text(entry), column.value(entry))),
  );
}

/** A cell; of shares, with a bar behind the number. */
function cell(column, text, value) {
  if (column.isText) return element("td", { class: "text", title: text }, element("bdi", {}, text));
  if (!column.isShare) return element("td", { class: "number" }, text);
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = `${Math.min(100, 100 * value).toFixed(2)}%`;
  return element("td", { class: "number share" }, bar, element("span", {}, text));
}

/** The location of the open region, and links to other views of it. */
function whereLine(view, entry, i) {
  const { regions } = view.app.data;
  const { region } = entry;
  const module = regions.texts[regions.module[region]] ?? "";
  const place = [regions.place[region], module, kindOf(regions, region)].filter((text) => text);
  const others = view.app.available.filter((other) =>
    ["graph", "ranks", "source"].includes(other.id),
  );
  return element(
    "tr",
    { class: "where" },
    element(
      "td",
      { colspan: view.columns.length },
      element(
        "div",
        { class: "pinned" },
        element("span", { class: "full" }, nameText(regions.name[region]), " "),
        element("span", { class: "dim" }, element("bdi", {}, place.join(" · "))),
        others.map((other, k) =>
          element(
            "a",
            { ...(k === 0 ? focusable(view, i) : {}), href: formatRoute(other.id, { region }) },
            other.title,
          ),
        ),
      ),
    ),
  );
}

function headingLine(view, line) {
  const text = `${line.text} (${count(line.count)})`;
  return element(
    "tr",
    { class: "heading" },
    element(
      "td",
      { colspan: view.columns.length },
      element(
        "div",
        { class: "pinned" },
        element("strong", {}, text),
        element("span", { class: "dim" }, ` ${line.note}`),
      ),
    ),
  );
}

function callLine(view, line, i) {
  return element(
    "tr",
    { class: `call ${line.type}${line.isLast ? " is-last" : ""}` },
    element("th", { scope: "row" }, callName(view, line, i)),
    view.columns.slice(1).map((column) => callCell(view, column, line)),
  );
}

function callName(view, line, i) {
  const { regions } = view.app.data;
  if (line.type === "own") return element("span", { class: "own" }, "its own lines");
  if (line.region < 0) return element("span", { class: "own" }, "none: a thread begins with it");
  const sign = { caller: "↑", callee: "↓" }[line.type];
  const name = regions.name[line.region];
  return element(
    "button",
    {
      ...focusable(view, i),
      type: "button",
      class: "go",
      title: name,
      onclick: () => view.onGo(line.region),
    },
    element("span", { class: "arrow", "aria-hidden": "true" }, line.isItself ? "↻" : sign),
    kindDot(regions, line.region),
    nameText(name),
    line.isItself ? element("span", { class: "dim" }, " (itself)") : null,
  );
}

function callCell(view, column, line) {
  if (line.region >= 0 && column.isText) return cell(column, column.text({ region: line.region }));
  if (
    !column.link ||
    (line.type === "own" && ["calls", "totalper", "selfper"].includes(column.id))
  ) {
    return element("td");
  }
  const value = column.link(line.link, line.entry, line.type === "caller");
  const text = column.linkText ? column.linkText(line.link) : column.format(value);
  return cell(column, text, value);
}
