// The controls above the drawing.  Each choice is a parameter of the link.
import { element } from "../dom.js";
import { count, isolated, percent } from "../format.js";

const THREADS_IN_LIST = 24; // with more, there is a search

function labelled(label, control, ...more) {
  control.id = `flame-${label.toLowerCase().replaceAll(" ", "-")}`;
  return element(
    "span",
    { class: "choice" },
    element("label", { for: control.id }, label),
    control,
    ...more,
  );
}

/** A select with a label; options: [[value, text]]; the first is the default. */
function choice(label, options, onChange) {
  const select = element(
    "select",
    { onchange: () => onChange(select.value === options[0][0] ? undefined : select.value) },
    ...options.map(([value, text]) => element("option", { value }, text)),
  );
  return {
    host: labelled(label, select),
    set: (value) => {
      select.value = options.some(([each]) => each === value) ? value : options[0][0];
    },
  };
}

/** Buttons of which one is selected; options: [[value, text]]; the first is the default. */
function segments(label, options, onChange) {
  const buttons = options.map(([value, text], i) =>
    element(
      "button",
      { type: "button", "data-value": value, onclick: () => onChange(i === 0 ? undefined : value) },
      text,
    ),
  );
  return {
    host: element("div", { class: "segments", role: "group", "aria-label": label }, buttons),
    set: (value) => {
      const chosen = options.some(([each]) => each === value) ? value : options[0][0];
      for (const button of buttons)
        button.setAttribute("aria-pressed", String(button.dataset.value === chosen));
    },
  };
}

/** [["0-1", "worker (1234)"]] of the threads that have a tree. */
export function threadsOf(data) {
  const { processes } = data.run;
  const found = [];
  processes.forEach((process, p) => {
    for (const thread of process.threads) {
      if (!data.has(`tree-${p}-${thread.number}`)) continue;
      const name = thread.name ? `${isolated(thread.name)} ` : "";
      const of = processes.length > 1 ? `process ${process.pid}, ` : "";
      found.push([`${p}-${thread.number}`, `${of}${name}#${thread.number}`]);
    }
  });
  return found;
}

/** A list, or with many threads a search field. */
function threadChoice(threads, onChange) {
  if (threads.length <= THREADS_IN_LIST)
    return choice("Thread", [["all", "all"], ...threads], onChange);
  const list = element(
    "datalist",
    { id: "flame-threads" },
    ...threads.map(([, text]) => element("option", { value: text })),
  );
  const input = element("input", {
    type: "search",
    list: "flame-threads",
    placeholder: `all ${count(threads.length)}`,
    onchange: () => {
      const found = threads.find(([, text]) => text === input.value);
      if (found || input.value === "") onChange(found?.[0]);
    },
  });
  return {
    host: labelled("Thread", input, list),
    set: (value) => {
      input.value = threads.find(([each]) => each === value)?.[1] ?? "";
    },
  };
}

export class FlameControls {
  /** change(params): adds a history entry; find(text); step(1 or -1): the next match. */
  constructor(data, measures, { change, find, step, reset }) {
    const set = (name) => (value) =>
      change({ [name]: value, ...(CLEARS_PATH.includes(name) ? CLEARED : {}) });
    const threads = threadsOf(data);
    this.parts = {
      style: segments(
        "Drawn as",
        [
          ["icicle", "Icicle"],
          ["flame", "Flame"],
          ["sunburst", "Sunburst"],
        ],
        set("style"),
      ),
      mode: segments(
        "Direction",
        [
          ["callees", "Callees"],
          ["callers", "Callers"],
        ],
        set("mode"),
      ),
      metric: choice(
        "Metric",
        measures.map((each) => [each.id, each.title]),
        set("metric"),
      ),
      value: this.valueChoice(set("value")),
      depth: choice(
        "Depth",
        [
          ["all", "all that fit"],
          ["5", "5"],
          ["10", "10"],
          ["20", "20"],
        ],
        set("depth"),
      ),
      cut: choice(
        "Leave out below",
        [
          ["none", "nothing"],
          ["1000", "1/1000"],
          ["100", "1/100"],
        ],
        set("cut"),
      ),
      order: choice(
        "Order",
        [
          ["size", "largest first"],
          ["name", "by name"],
        ],
        set("order"),
      ),
      merge: choice(
        "Recursion",
        [
          ["0", "as called"],
          ["1", "merged"],
        ],
        set("merge"),
      ),
      colour: choice(
        "Colour by",
        [
          ...(data.has("compare") ? [["change", "change"]] : []),
          ["kind", "kind"],
          ["module", "module"],
          ["heat", "heat"],
        ],
        set("colour"),
      ),
    };
    if (threads.length > 1) this.parts.thread = threadChoice(threads, set("thread"));
    this.buildSearch(find, step);
    this.reset = element("button", { type: "button", onclick: reset }, "Reset");
    this.host = this.built();
  }

  /** In the inverted tree own time is the default. */
  valueChoice(onChange) {
    const options = [
      ["total", "total"],
      ["self", "self"],
    ];
    const part = choice("Numbers", options, () => {
      const value = part.host.querySelector("select").value;
      onChange(value === this.usualValue ? undefined : value);
    });
    return { host: part.host, set: (value) => part.set(value ?? this.usualValue) };
  }

  buildSearch(find, step) {
    this.input = element("input", {
      type: "search",
      placeholder: "name or /pattern/",
      "aria-label": "Search regions",
      spellcheck: "false",
      oninput: () => find(this.input.value),
      onkeydown: (event) => {
        if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
        if (event.key === "Escape" && this.input.value !== "") {
          this.input.value = "";
          find("");
        }
      },
    });
    this.before = element(
      "button",
      {
        type: "button",
        "aria-label": "Match before",
        title: "Match before (,)",
        onclick: () => step(-1),
      },
      "‹",
    );
    this.after = element(
      "button",
      {
        type: "button",
        "aria-label": "Next match",
        title: "Next match (.)",
        onclick: () => step(1),
      },
      "›",
    );
    this.status = element("span", { class: "flame-found", role: "status" });
  }

  built() {
    const { style, mode, metric, thread, ...others } = this.parts;
    return element(
      "div",
      { class: "flame-controls" },
      element(
        "div",
        { class: "controls" },
        style.host,
        mode.host,
        metric.host,
        thread?.host,
        element(
          "div",
          { class: "flame-search", role: "search" },
          this.input,
          this.before,
          this.after,
          this.status,
        ),
        this.reset,
      ),
      element(
        "details",
        { class: "flame-more" },
        element("summary", {}, "More choices and keys"),
        element("div", { class: "controls" }, ...Object.values(others).map((part) => part.host)),
        KEYS(),
      ),
    );
  }

  show(model, position) {
    if (this.parts.thread) this.parts.thread.host.hidden = model.isCompared;
    this.usualValue = model.isInverted ? "self" : "total";
    for (const [name, part] of Object.entries(this.parts)) part.set(model.params[name]);
    if (document.activeElement !== this.input) this.input.value = model.params.find ?? "";
    this.showFound(model, position);
  }

  showFound(model, position) {
    const { found, matches, measure } = model;
    const count_ = matches?.paths.length ?? 0;
    this.before.disabled = this.after.disabled = count_ === 0;
    if (!found) this.status.textContent = "";
    else if (found.problem) this.status.textContent = `not a pattern: ${found.problem}`;
    else if (count_ === 0) this.status.textContent = "no match";
    else {
      const at = position >= 0 ? `${count(position + 1)} of ` : "";
      const format = measure.adds ? measure.format : model.time.format;
      const whole = model.counted.value[0];
      this.status.textContent = `${at}${count(count_)} ${count_ === 1 ? "match" : "matches"}: ${format(matches.total)}, ${percent(matches.total / whole)}`;
    }
  }
}

/** These create another tree, in which the old path is meaningless. */
const CLEARS_PATH = ["mode", "metric", "thread", "merge", "value"];
const CLEARED = { path: undefined, at: undefined };

function KEYS() {
  const keys = [
    ["arrows", "from box to box"],
    ["Enter", "zoom"],
    ["Escape, Backspace", "one level out"],
    ["Home", "all"],
    ["/", "search"],
    [". and ,", "next match, match before"],
    ["i", "callers or callees"],
    ["m", "merge recursion"],
  ];
  return element(
    "p",
    { id: "flame-keys", class: "flame-keys dim" },
    ...keys.flatMap(([key, text]) => [element("kbd", {}, key), ` ${text}  `]),
  );
}
