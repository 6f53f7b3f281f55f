// A table of which only the visible rows exist.

const SPARE = 12; // rows beyond either edge, so that scrolling shows no gaps

/**
 * scroller: the scrolling element; body: the tbody; make(i): row number i, rowHeight() pixels high.
 * set(count) rebuilds it; scroll positions stay.
 */
export class VirtualRows {
  constructor(scroller, body, { rowHeight, make }) {
    Object.assign(this, { scroller, body, rowHeight, make, count: 0, from: 0, to: 0 });
    this.rows = new Map();
    this.above = spacer();
    this.below = spacer();
    body.append(this.above, this.below);
    scroller.addEventListener("scroll", () => this.draw(), { passive: true });
  }

  set(count) {
    this.count = count;
    this.clear();
    this.draw();
  }

  clear() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
  }

  draw() {
    const height = this.rowHeight();
    const seen = Math.ceil(this.scroller.clientHeight / height);
    const top = Math.floor(this.scroller.scrollTop / height);
    this.from = Math.max(0, Math.min(top, this.count - seen) - SPARE);
    this.to = Math.min(this.count, top + seen + SPARE);
    for (const [i, row] of this.rows) {
      if (i >= this.from && i < this.to) continue;
      row.remove();
      this.rows.delete(i);
    }
    let before = this.above;
    for (let i = this.from; i < this.to; i++) {
      if (!this.rows.has(i)) {
        const row = this.make(i);
        row.setAttribute("aria-rowindex", i + 2);
        before.after(row);
        this.rows.set(i, row);
      }
      before = this.rows.get(i);
    }
    sized(this.above, this.from * height);
    sized(this.below, (this.count - this.to) * height);
  }

  /** Recreate a row. */
  renew(i) {
    const old = this.rows.get(i);
    if (!old) return;
    const row = this.make(i);
    row.setAttribute("aria-rowindex", i + 2);
    old.replaceWith(row);
    this.rows.set(i, row);
  }

  /** Scroll as little as needed to show a row below the header of that height; its element. */
  reveal(i, headerHeight = 0) {
    const height = this.rowHeight();
    const least = (i + 1) * height + headerHeight - this.scroller.clientHeight;
    if (this.scroller.scrollTop > i * height) this.scroller.scrollTop = i * height;
    else if (this.scroller.scrollTop < least) this.scroller.scrollTop = least;
    this.draw();
    return this.rows.get(i);
  }
}

function spacer() {
  const row = document.createElement("tr");
  row.setAttribute("aria-hidden", "true");
  row.className = "spacer";
  return row;
}

function sized(row, height) {
  row.style.height = `${height}px`;
  row.hidden = height === 0;
}
