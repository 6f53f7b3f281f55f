// Zooming and moving a drawing with mouse, touch and keys.

const LEAST = 0.05;
const MOST = 4;

/** surface: the SVG; layer: the group in it that moves; onChange: called after moving. */
export class PanZoom {
  constructor(surface, layer, onChange) {
    Object.assign(this, { surface, layer, onChange, x: 0, y: 0, scale: 1, wasMoved: false });
    this.fingers = new Map();
    surface.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    surface.addEventListener("pointerdown", (event) => this.onDown(event));
    surface.addEventListener("pointermove", (event) => this.onMove(event));
    for (const type of ["pointerup", "pointercancel"]) {
      surface.addEventListener(type, (event) => this.fingers.delete(event.pointerId));
    }
  }

  set(x, y, scale) {
    this.scale = Math.max(LEAST, Math.min(MOST, scale));
    this.x = x;
    this.y = y;
    this.layer.setAttribute(
      "transform",
      `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${this.scale})`,
    );
    this.onChange();
  }

  /** Zoom around a point of the surface, by default its middle. */
  zoom(factor, px = this.surface.clientWidth / 2, py = this.surface.clientHeight / 2) {
    const scale = Math.max(LEAST, Math.min(MOST, this.scale * factor));
    const ratio = scale / this.scale;
    this.set(px - (px - this.x) * ratio, py - (py - this.y) * ratio, scale);
  }

  /** Fit a drawing of that size; returns false without change if it would be too small. */
  fit(width, height, least = 0) {
    const { clientWidth, clientHeight } = this.surface;
    const scale = Math.min(1.2, clientWidth / width, clientHeight / height);
    if (scale < least) return false;
    this.set((clientWidth - width * scale) / 2, (clientHeight - height * scale) / 2, scale);
    return true;
  }

  /** Move as little as necessary to show a point of the drawing. */
  reveal(x, y, margin = 90) {
    const { clientWidth, clientHeight } = this.surface;
    const px = x * this.scale + this.x;
    const py = y * this.scale + this.y;
    const by = (at, size) => {
      const edge = Math.min(margin, size / 2);
      return at < edge ? edge - at : at > size - edge ? size - edge - at : 0;
    };
    this.set(this.x + by(px, clientWidth), this.y + by(py, clientHeight), this.scale);
  }

  onWheel(event) {
    event.preventDefault();
    const { left, top } = this.surface.getBoundingClientRect();
    this.zoom(
      Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)),
      event.clientX - left,
      event.clientY - top,
    );
  }

  onDown(event) {
    if (event.button !== 0) return;
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.travel = 0;
    this.wasMoved = false;
  }

  onMove(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const others = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.fingers.set(event.pointerId, now);
    if (others.length > 0) this.pinch(others[0], before, now);
    else this.set(this.x + now.x - before.x, this.y + now.y - before.y, this.scale);
    this.travel += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (this.travel > 4 && !this.wasMoved) {
      this.wasMoved = true; // a drag, not a click
      this.surface.setPointerCapture(event.pointerId);
    }
  }

  pinch(other, before, now) {
    const apart = (a, b) => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
    const { left, top } = this.surface.getBoundingClientRect();
    this.zoom(
      apart(other, now) / apart(other, before),
      (other.x + now.x) / 2 - left,
      (other.y + now.y) / 2 - top,
    );
  }
}
