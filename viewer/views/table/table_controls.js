// The controls above the table: filter, kind, columns, copies.
import { KIND_COLOURS } from "../../colours.js";
import { element } from "../../dom.js";

/** on: {filter(text), kind(word), columns(ids), copy("markdown" | "csv" | "file")}. */
export function createControls(columns, kinds, on) {
  const filter = element("input", {
    type: "search",
    placeholder: "text or /expression/",
    "aria-label": "Filter regions",
    oninput: () => on.filter(filter.value),
    spellcheck: "false",
    onkeydown: (event) => {
      if (event.key !== "Escape" || filter.value === "") return;
      event.preventDefault();
      filter.value = "";
      on.filter("");
    },
  });
  const kind = element(
    "select",
    { "aria-label": "Kind", onchange: () => on.kind(kind.value) },
    element("option", { value: "" }, "all kinds"),
    Object.keys(KIND_COLOURS)
      .filter((each) => kinds.has(each))
      .map((each) => element("option", { value: each }, each)),
  );
  const found = element("p", { class: "found", role: "status" });
  const boxes = new Map();
  const picker = columnPicker(columns, boxes, on);
  const node = element(
    "div",
    { class: "controls" },
    element("label", { class: "filter" }, "Filter ", filter),
    kind,
    picker,
    element(
      "span",
      { class: "copies" },
      copyButton("Copy as Markdown", "markdown", on),
      copyButton("Copy as CSV", "csv", on),
      copyButton("Save CSV", "file", on),
    ),
  );
  return {
    node,
    found,
    filter,
    picker,
    /** Show a state. */
    show(state, problem) {
      if (document.activeElement !== filter) filter.value = state.filter;
      kind.value = state.kind;
      if (problem) filter.setAttribute("aria-invalid", "true");
      else filter.removeAttribute("aria-invalid");
      for (const [id, box] of boxes) box.checked = state.shown.some((column) => column.id === id);
    },
  };
}

function copyButton(text, what, on) {
  return element("button", { type: "button", onclick: () => on.copy(what) }, text);
}

function columnPicker(columns, boxes, on) {
  const chosen = () => columns.filter(({ id }) => boxes.get(id)?.checked).map(({ id }) => id);
  const labels = columns.slice(1).map((column) => {
    const box = element("input", { type: "checkbox", onchange: () => on.columns(chosen()) });
    boxes.set(column.id, box);
    return element(
      "label",
      {},
      box,
      ` ${column.title}`,
      element("span", { class: "dim" }, ` ${column.hint}`),
    );
  });
  const picker = element(
    "details",
    {
      class: "picker",
      onkeydown: (event) => {
        if (event.key !== "Escape" || !picker.open) return;
        picker.open = false;
        picker.querySelector("summary").focus();
      },
    },
    element("summary", {}, "Columns"),
    element(
      "fieldset",
      {},
      element("legend", { class: "unseen" }, "Columns that are shown"),
      labels,
    ),
  );
  return picker;
}
