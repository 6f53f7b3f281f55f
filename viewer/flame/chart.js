// The drawing of the view: boxes or rings on a canvas, with mouse and keyboard input.
import { element } from "../dom.js";
import { percent } from "../format.js";
import { contentHeight, drawRows, rowAt, rowsHeight, rowTop } from "./boxes.js";
import { changeText } from "./compare.js";
import { boxAt, boxOf, layout } from "./layout.js";
import { arcPath, circumference, drawSunburst, polarAt, ringsOf } from "./sunburst.js";
import { TextFitter } from "./text.js";
import { Tip } from "./tip.js";

const BUDGET_MS = 12; // for building more of a tree before the existing part is drawn
const REST_MS = 16; // pause in between, for drawing and input

export class FlameChart {
  /** onZoom(path): a box was clicked; onCursor(path): the keyboard cursor moved to it. */
  constructor({ onZoom, onCursor, isDark }) {
    Object.assign(this, { onZoom, onCursor, isDark });
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.overlay = element("canvas", { "aria-hidden": "true", class: "overlay" });
    this.stage = element("div", { class: "flame-stage" }, this.canvas, this.overlay);
    this.space = element("div", { class: "flame-space" });
    this.host = element(
      "div",
      {
        class: "flame-chart",
        tabindex: "0",
        role: "application",
        "aria-roledescription": "chart of call paths",
        "aria-describedby": "flame-keys",
      },
      this.stage,
      this.space,
    );
    this.fitter = new TextFitter(this.canvas.getContext("2d"));
    this.tip = new Tip();
    this.hovered = this.cursor = null;
    this.listen();
  }

  listen() {
    this.host.addEventListener("scroll", () => this.draw(), { passive: true });
    this.host.addEventListener("pointermove", (event) => this.onPointer(event));
    this.host.addEventListener("pointerleave", () => this.hover(null));
    this.host.addEventListener("click", (event) => this.onClick(event));
    this.host.addEventListener("blur", () => this.mark());
    this.host.addEventListener("focus", () => this.mark());
  }

  /** Show a model; painter: of paint.js. */
  show(model, painter) {
    const isNew =
      this.model?.tree !== model.tree || this.zoom !== model.zoom || this.style !== model.style;
    Object.assign(this, { model, painter, zoom: model.zoom, style: model.style });
    if (isNew) {
      this.hover(null);
      this.cursor = null;
    }
    this.place();
    if (isNew) this.host.scrollTop = model.style === "flame" ? this.host.scrollHeight : 0;
    this.draw();
  }

  /** Lay out for the available size. */
  place() {
    clearTimeout(this.later);
    const { model } = this;
    const usual = parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.875;
    this.width = Math.max(80, this.host.clientWidth);
    this.height = Math.max(80, this.host.clientHeight);
    const width = model.style === "sunburst" ? circumference(this.width, this.height) : this.width;
    model.tree.deadline = performance.now() + BUDGET_MS;
    model.tree.isPending = false;
    this.boxes = layout(model.tree, model.zoom, {
      width,
      depth: model.depth,
      share: model.share,
      rank: model.rank,
    });
    if (model.tree.isPending) this.later = setTimeout(() => this.refine(), REST_MS);
    const rows = this.boxes.rows.length - 1;
    // With few rows, they and their texts are larger.
    const least = Math.round(usual * 1.6);
    this.rowHeight = Math.max(
      least,
      Math.min(Math.round(1.5 * least), Math.floor(this.height / rows)),
    );
    this.fontSize =
      model.style === "sunburst"
        ? usual
        : Math.min(1.2 * usual, Math.max(usual, this.rowHeight / 1.9));
    this.space.style.height =
      this.style === "sunburst"
        ? "0"
        : `${Math.max(0, rowsHeight(this.boxes, this.rowHeight) - this.height)}px`;
    sized(this.canvas, this.width, this.height);
    sized(this.overlay, this.width, this.height);
  }

  refine() {
    this.place();
    this.draw();
  }

  scene(canvas) {
    const { model, fitter, fontSize } = this;
    const style = getComputedStyle(this.host);
    const context = canvas.getContext("2d");
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    fitter.setFont(`${fontSize}px ${style.fontFamily}`);
    context.textBaseline = "middle";
    const text = style.getPropertyValue("--text");
    return {
      context,
      fitter,
      fontSize,
      boxes: this.boxes,
      tree: model.tree,
      width: this.width,
      height: this.height,
      scrollTop: this.style === "sunburst" ? 0 : this.host.scrollTop,
      rowHeight: this.rowHeight,
      isUpward: this.style === "flame",
      rings:
        this.style === "sunburst" ? ringsOf(this.width, this.height, this.boxes.rows.length) : null,
      painter: this.painter,
      rootPaint: { fill: style.getPropertyValue("--line"), text },
      found: model.matches ? model.found.regions : null,
      label: (path) =>
        (this.painter.sign && path !== 0 ? this.painter.sign(path) : "") + model.name(path),
      value: (path) =>
        model.tree.level ? model.measure.format(model.tree.level[path]) : this.valueText(path),
      detail: (path) => this.detailText(path),
      colours: {
        rest: style.getPropertyValue("--line"),
        mark: style.getPropertyValue("--accent"),
        text,
      },
    };
  }

  /** The text at the right end of a wide box. */
  detailText(path) {
    const { model } = this;
    const { pair } = model.tree;
    if (model.isCompared) return changeText(pair.was[path], pair.is[path]);
    return `${this.valueText(path)}  ${percent(model.shown(path) / model.whole)}`;
  }

  valueText(path) {
    const { model } = this;
    const format = model.measure.adds ? model.measure.format : model.time.format;
    return format(model.shown(path));
  }

  draw() {
    const scene = this.scene(this.canvas);
    scene.context.clearRect(0, 0, this.width, this.height);
    if (scene.rings) drawSunburst(scene);
    else drawRows(scene);
    this.mark();
  }

  /** Draw the box below the pointer, and the keyboard cursor. */
  mark() {
    if (!this.boxes) return;
    const scene = this.scene(this.overlay);
    scene.context.clearRect(0, 0, this.width, this.height);
    const text = scene.colours.text;
    if (this.hovered !== null) this.outline(scene, this.hovered, 2, text);
    if (this.cursor !== null && document.activeElement === this.host)
      this.outline(scene, this.cursor, 3, scene.colours.mark);
  }

  outline(scene, path, wide, colour) {
    const found = boxOf(this.boxes, path);
    if (!found) return;
    const { context } = scene;
    context.lineWidth = wide;
    context.strokeStyle = colour;
    if (scene.rings) {
      arcPath(scene, found.row, found.box);
      context.stroke();
      return;
    }
    const width = Math.max(this.boxes.width[found.box] - 1, 2);
    context.strokeRect(
      this.boxes.x[found.box] + 0.5,
      rowTop(scene, found.row) + 0.5,
      width - 1,
      this.rowHeight - 2,
    );
  }

  /** The path at window coordinates, -1 - path for its small ones; null = none. */
  pathAt(clientX, clientY) {
    const frame = this.canvas.getBoundingClientRect();
    const [x, y] = [clientX - frame.left, clientY - frame.top];
    const scene = this.scene(this.overlay);
    const place = scene.rings
      ? polarAt(scene, x, y)
      : { row: rowAt(scene, y + scene.scrollTop), x };
    const box = boxAt(this.boxes, place.row, place.x);
    return box < 0 ? null : this.boxes.path[box];
  }

  onPointer(event) {
    if (!this.boxes) return;
    const path = this.pathAt(event.clientX, event.clientY);
    this.hover(path);
    if (path !== null) this.tip.show(this.model, path, { x: event.clientX, y: event.clientY });
  }

  hover(path) {
    if (path === null) this.tip.hide();
    this.host.classList.toggle("is-on-box", path !== null);
    if (this.hovered === path) return;
    this.hovered = path;
    this.mark();
  }

  onClick(event) {
    const path = this.pathAt(event.clientX, event.clientY);
    if (path === null) return;
    const parent = this.model.tree.parent[this.model.zoom];
    const target = path < 0 ? -1 - path : path;
    this.onZoom(target === this.model.zoom && parent >= 0 ? parent : target);
  }

  /** Arrow keys move in the direction of the drawing; true if the key was handled. */
  key(event) {
    const target = this.keyTarget(event.key);
    if (target === undefined) return false;
    if (target !== null) this.moveTo(target);
    return true;
  }

  keyTarget(key) {
    const { tree, zoom } = this.model;
    const at = this.cursor ?? zoom;
    const isUp = this.style === "flame";
    if (key === (isUp ? "ArrowUp" : "ArrowDown")) return this.neighbour(at, 1);
    if (key === (isUp ? "ArrowDown" : "ArrowUp")) return at === zoom ? null : tree.parent[at];
    if (key === "ArrowLeft" || key === "ArrowRight")
      return this.beside(at, key === "ArrowLeft" ? -1 : 1);
    return undefined;
  }

  /** The first drawn child. */
  neighbour(path) {
    const found = boxOf(this.boxes, path);
    if (!found) return null;
    const { rows, x, path: paths } = this.boxes;
    if (found.row + 2 >= rows.length) return null;
    const box = boxAt(this.boxes, found.row + 1, x[found.box] + 1e-6);
    return box >= 0 && paths[box] >= 0 && this.model.tree.parent[paths[box]] === path
      ? paths[box]
      : null;
  }

  beside(path, step) {
    const found = boxOf(this.boxes, path);
    if (!found) return null;
    const { rows, path: paths } = this.boxes;
    const to = rows[found.row + 1];
    for (let box = found.box + step; box >= rows[found.row] && box < to; box += step)
      if (paths[box] >= 0) return paths[box];
    return null;
  }

  moveTo(path) {
    this.cursor = path;
    const found = boxOf(this.boxes, path);
    if (found && this.style !== "sunburst") this.reveal(found.row);
    this.mark();
    this.onCursor(path);
  }

  reveal(row) {
    const scene = { ...this.scene(this.overlay), scrollTop: 0 };
    const top = rowTop(scene, row);
    const most = contentHeight(scene) - this.height;
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    else if (top + this.rowHeight > this.host.scrollTop + this.height)
      this.host.scrollTop = Math.min(most, top + this.rowHeight - this.height);
  }
}

function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}
