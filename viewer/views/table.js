// Every region with its numbers.
import { element, nameText } from "../dom.js";
import { count, duration } from "../format.js";

export const tableView = {
  id: "table",
  title: "Table",
  key: "t",
  isAvailable: (data) => data.has("flat"),
  create,
};

function create(host, app) {
  const body = element("tbody");
  host.append(
    element("div", { class: "scroll", tabindex: "0" }, element(
      "table",
      { class: "grid" },
      element("thead", {}, element("tr", {}, ...["Region", "Calls", "Self", "Total"].map((text) => element("th", {}, text)))),
      body,
    )),
  );
  return {
    async show() {
      const flat = await app.data.flat();
      const sorted = [...flat].sort((a, b) => b.self - a.self);
      body.replaceChildren(
        ...sorted.map((entry) =>
          element(
            "tr",
            {},
            element("td", {}, nameText(app.data.regions.name[entry.region])),
            element("td", { class: "number" }, count(entry.calls)),
            element("td", { class: "number" }, duration(entry.self)),
            element("td", { class: "number" }, duration(entry.total)),
          ),
        ),
      );
    },
  };
}
