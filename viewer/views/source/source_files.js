// The list of files with their share of the time, and the search in it.
import { element } from "../../dom.js";
import { percent } from "../../format.js";
import { formatRoute } from "../../route.js";
import { filteredFiles } from "../../source_model.js";

const SHOWN = 200;

/** {host, mark(number)} */
export function createFileList(app, sources) {
  const whole = sources.files.reduce((sum, file) => sum + file.self, 0) || 1;
  const list = element("ul", { class: "source-files" });
  const more = element("p", { class: "dim" });
  const find = element("input", {
    type: "search",
    "aria-label": "Find a file or function",
    placeholder: "Find a file or function",
    oninput: () => fill(),
  });
  const host = element("div", { class: "source-side" }, find, list, more);
  let marked = -1;

  function fill() {
    const found = filteredFiles(sources.files, app.data.regions, find.value);
    list.replaceChildren(...found.slice(0, SHOWN).map(({ file, number }) => item(file, number)));
    const hidden = found.length - SHOWN + sources.more;
    more.textContent = hidden > 0 ? `and ${hidden} more` : found.length === 0 ? "none" : "";
  }

  function item(file, number) {
    const slash = file.name.lastIndexOf("/");
    const share = file.self / whole;
    const gauge = element("span", { class: "source-gauge", "aria-hidden": "true" });
    gauge.style.width = `${100 * share}%`;
    return element(
      "li",
      {},
      element(
        "a",
        {
          href: formatRoute("source", { file: number }),
          title: file.name,
          "aria-current": number === marked ? "true" : null,
          class: file.blob === undefined ? "source-textless" : null,
        },
        element("bdi", { class: "source-name" }, file.name.slice(slash + 1)),
        element("span", { class: "source-share" }, percent(share)),
        element("bdi", { class: "dim source-folder" }, file.name.slice(0, slash + 1)),
        gauge,
      ),
    );
  }

  function mark(number) {
    marked = number;
    fill();
  }
  fill();
  return { host, mark };
}
