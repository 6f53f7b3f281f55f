// How the run was made, and the recordings' notes about themselves.
import { copyText } from "../copying.js";
import { element } from "../dom.js";
import { count } from "../format.js";
import { matcher } from "../matcher.js";
import { filteredSections, noteSections, notesText } from "../notes_model.js";

const SHOWN = 400; // rows of a section
const CLOSED = new Set(["environment", "modules", "settings"]);

export const notesView = {
  id: "notes",
  title: "Notes",
  key: "n",
  isAvailable: (data) => data.has("notes"),
  create,
};

function create(host, app) {
  const sections = noteSections(app.data.json("notes"), app.data.run);
  const shut = new Set(CLOSED); // closed sections, as the user left them
  const body = element("div");
  const status = element("span", { class: "dim", role: "status" });
  let shown = sections;
  const find = element("input", {
    type: "search",
    placeholder: "Filter: text or /expression/  ( / )",
    "aria-label": "Filter the notes",
    class: "notes-filter",
    oninput: () => {
      app.replaceParams({ filter: find.value });
      draw();
    },
    onkeydown: (event) => {
      if (event.key !== "Escape") return;
      find.value = "";
      app.replaceParams({ filter: "" });
      draw();
    },
  });
  host.append(
    element(
      "div",
      { class: "controls" },
      find,
      element(
        "button",
        { type: "button", onclick: () => copyText(notesText(shown), app, "The notes") },
        "Copy what is shown",
      ),
      status,
    ),
    body,
  );

  function draw() {
    const filter = matcher(find.value);
    shown = filteredSections(sections, (...cells) => filter.accepts(...cells));
    const rows = shown.reduce((sum, section) => sum + section.rows.length, 0);
    status.textContent =
      filter.problem ?? (find.value ? `${count(rows)} ${rows === 1 ? "note" : "notes"}` : "");
    body.replaceChildren(...shown.map((section) => part(section, find.value !== "")));
  }

  function part(section, isFiltered) {
    const hidden = section.rows.length - SHOWN;
    const details = element(
      "details",
      {
        class: "notes-part",
        "data-section": section.id,
        open: isFiltered || !shut.has(section.id),
      },
      element(
        "summary",
        {},
        element("h2", {}, section.title),
        " ",
        element("span", { class: "dim" }, count(section.rows.length)),
      ),
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": section.title },
        table(section),
      ),
      hidden > 0
        ? element("p", { class: "dim" }, `and ${count(hidden)} more: the filter finds them.`)
        : null,
    );
    details.addEventListener("toggle", () => {
      if (find.value !== "") return;
      if (details.open) shut.delete(section.id);
      else shut.add(section.id);
    });
    return details;
  }

  return {
    show(params) {
      find.value = params.filter ?? "";
      draw();
    },
    key(event) {
      if (event.key !== "/") return false;
      find.focus();
      return true;
    },
  };
}

function table({ columns, rows }) {
  return element(
    "table",
    { class: "grid notes-grid" },
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        columns.map((text) => element("th", { scope: "col" }, text)),
      ),
    ),
    element(
      "tbody",
      {},
      rows.slice(0, SHOWN).map((row) =>
        element(
          "tr",
          { class: row.isStrong ? "notes-strong" : null },
          row.cells.map((text, i) =>
            element(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, cell(text)),
          ),
        ),
      ),
    ),
  );
}

function cell(text) {
  return element("bdi", {}, text ?? "");
}
