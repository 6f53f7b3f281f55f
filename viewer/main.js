// The page: tabs, the view selected by the link, keys, light and dark theme.
import { PageData } from "./data.js";
import { element } from "./dom.js";
import { formatRoute, parseRoute } from "./route.js";
import { watchServer } from "./served.js";
import { createTheme } from "./theme.js";
import { views } from "./views.js";

const FAILED = { show() {} }; // replaces a view

/**
 * The argument of views.  A view is {id, title, key, isAvailable(data), create(host, app)};
 * create() fills host and returns {show(params), resize(), key(event)}, of which show() may return
 * a promise and the others may be missing.  key() returns true if it handled the key. A view may
 * have prepare(data): reads what it will need when the page opens.
 */
class App {
  constructor(root) {
    this.data = new PageData(document);
    this.theme = createTheme(() => this.redraw());
    this.available = views.filter((view) => view.isAvailable(this.data));
    this.shown = new Map(); // by id: {host, part}
    this.current = null;
    this.build(root);
    addEventListener("hashchange", () => this.follow());
    addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.part()?.resize?.()).observe(this.main);
    watchServer(this);
    this.follow();
  }

  build(root) {
    this.tabs = this.available.map((view) =>
      element(
        "a",
        { href: `#${view.id}`, "data-view": view.id, title: `${view.title} (key ${view.key})` },
        view.title,
      ),
    );
    this.status = element("div", { class: "status", role: "status", "aria-live": "polite" });
    this.main = element("main", { id: "main", tabindex: "-1" });
    root.replaceChildren(
      element("a", { class: "skip", href: "#main", onclick: (event) => this.skip(event) }, "Skip to the view"),
      element(
        "header",
        {},
        element("h1", {}, element("bdi", {}, this.data.run.program)),
        element("nav", { "aria-label": "Views" }, this.tabs),
        this.theme.button,
      ),
      this.main,
      this.status,
    );
  }

  skip(event) {
    event.preventDefault();
    this.main.focus();
  }

  part() {
    return this.current ? this.shown.get(this.current.view).part : null;
  }

  /** Show what the link specifies. */
  async follow() {
    const route = parseRoute(location.hash);
    const view = this.available.find((each) => each.id === route.view) ?? this.available[0];
    const { part } = this.opened(view);
    for (const [id, { host }] of this.shown) host.hidden = id !== view.id;
    for (const tab of this.tabs) {
      if (tab.dataset.view === view.id) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    this.current = { view: view.id, params: route.params };
    document.body.dataset.ready = "";
    this.prepare();
    try {
      await part.show(route.params);
    } catch (error) {
      this.fail(view, error);
    }
    document.body.dataset.ready = view.id;
  }

  opened(view) {
    if (!this.shown.has(view.id)) {
      const host = element("section", { class: `view view-${view.id}`, "aria-label": view.title });
      this.main.append(host);
      this.shown.set(view.id, { host, part: FAILED });
      try {
        this.shown.get(view.id).part = view.create(host, this);
      } catch (error) {
        this.fail(view, error);
      }
    }
    return this.shown.get(view.id);
  }

  /** Mark a view as unusable from now on. */
  fail(view, error) {
    console.error(error);
    const shown = this.shown.get(view.id);
    shown.part = FAILED;
    shown.host.replaceChildren(failure("This view cannot be shown", error));
  }

  /**
   * Load what other views will need, once; most of it is unpacked outside of the main thread.
   * Damage is reported by the view that shows the data.
   */
  prepare() {
    for (const view of this.available) view.prepare?.(this.data)?.catch(() => {});
    this.prepare = () => {};
  }

  /** Go to a view; adds a history entry. */
  navigate(view, params = {}) {
    const hash = formatRoute(view, params);
    if (hash === location.hash) this.follow();
    else location.hash = hash;
  }

  /**
   * Update the link without a history entry: for changes while typing or dragging.  A link that was
   * set just now, and is not shown yet, keeps what it asks for.
   */
  replaceParams(params) {
    const { view } = this.current;
    const asked = parseRoute(location.hash);
    if (this.available.some((each) => each.id === asked.view) && asked.view !== view) return;
    const kept = asked.view === view ? asked.params : this.current.params;
    this.current.params = { ...kept, ...params };
    history.replaceState(null, "", formatRoute(view, this.current.params));
  }

  /** Change the view's own parameters with a history entry. */
  setParams(params) {
    this.navigate(this.current.view, { ...this.current.params, ...params });
  }

  redraw() {
    this.part()?.resize?.();
  }

  /** Announce to screen readers. */
  announce(text) {
    this.status.textContent = text;
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches("input, select, textarea")) return;
    if (this.part()?.key?.(event)) {
      event.preventDefault();
      return;
    }
    const view = this.available.find((each) => each.key === event.key);
    if (view) this.navigate(view.id);
  }
}

function failure(what, error) {
  return element(
    "p",
    { class: "failure", role: "alert" },
    `${what}: ${error.message}. The file may be damaged; 'kymo view' writes it anew.`,
  );
}

const root = document.getElementById("app");
try {
  window.kymo = new App(root); // for tests and the console
} catch (error) {
  console.error(error);
  root.replaceChildren(failure("This page cannot be shown", error));
}
