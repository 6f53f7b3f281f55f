// The tiles and their slices: decoded lazily, a few at a time.
import { ByteReader } from "../../data.js";

export const KINDS = { slices: 0, samples: 1, states: 2, marks: 3 };
const STEP_MS = 8; // decoding pauses for a frame after that
const ENTRIES_MAX = 6_000_000; // decoded slices that are cached, about 200 MB
const POOLS_MAX = 24; // unpacked blobs of small tiles that are cached

/** The index as strips: {process, thread, kind, depth, slices, kept, tiles}. */
export function loadIndex(reader) {
  const strips = new Array(reader.varint());
  for (let i = 0; i < strips.length; i++) {
    const strip = {
      process: reader.varint(),
      thread: reader.varint(),
      kind: reader.varint(),
      depth: reader.varint(),
      slices: reader.varint(),
      kept: reader.varint(),
      tiles: new Array(reader.varint()),
    };
    for (let k = 0; k < strip.tiles.length; k++) strip.tiles[k] = loadTileEntry(reader);
    strips[i] = strip;
  }
  return strips;
}

function loadTileEntry(reader) {
  const which = reader.varint();
  const start = reader.varint();
  const end = start + reader.varint();
  const count = reader.varint();
  const [blob, offset, size] = [reader.varint(), reader.varint(), reader.varint()];
  return {
    level: which >> 1,
    isJoined: (which & 1) === 1,
    ...{ start, end, count, blob, offset, size },
    items: null,
    isAsked: false,
    used: 0,
  };
}

/**
 * The slices of a tile as columns, by depth and then in the order of time; runs[i] = {depth,
 * first, end}.  Of joined tiles also count and busy (ns), else these are null.
 */
export function decodeTile(reader, tile) {
  const items = {
    runs: new Array(reader.varint()),
    start: new Float64Array(tile.count),
    end: new Float64Array(tile.count),
    region: new Uint32Array(tile.count),
    count: tile.isJoined ? new Uint32Array(tile.count) : null,
    busy: tile.isJoined ? new Float64Array(tile.count) : null,
  };
  let at = 0;
  for (let i = 0; i < items.runs.length; i++) {
    const depth = reader.varint();
    const first = at;
    const end = first + reader.varint();
    let since = tile.start;
    for (; at < end; at++) {
      const start = since + reader.varint();
      const length = reader.varint();
      items.start[at] = start;
      items.end[at] = since = start + length;
      items.region[at] = reader.varint();
      if (!tile.isJoined) continue;
      const count = reader.varint();
      items.count[at] = Math.min(count, 0xffffffff);
      items.busy[at] = count > 1 ? length - reader.varint() : length;
    }
    items.runs[i] = { depth, first, end };
  }
  return items;
}

/** The coarsest level of a strip that shows the details visible at a pixel of that length. */
export function levelFor(strip, resolutions, nsPerPixel) {
  let found = -1;
  for (let level = 0; level < resolutions.length; level++) {
    if (!((strip.kept >>> level) & 1)) continue;
    if (found >= 0 && resolutions[level] > nsPerPixel) break;
    found = level;
  }
  return found;
}

/** The tiles of a strip's level between two times. */
export function tilesBetween(strip, level, from, to) {
  return strip.tiles.filter(
    (tile) =>
      (tile.isJoined ? tile.level === level : tile.level >= level) &&
      tile.end >= from &&
      tile.start <= to,
  );
}

/** The first slice of a run that ends after a time; they do not overlap. */
export function firstAfter(items, run, time) {
  let low = run.first;
  let high = run.end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items.end[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class TimelineData {
  /** onLoaded(): requested tiles can be drawn now. */
  constructor(data, onLoaded) {
    this.data = data;
    this.onLoaded = onLoaded;
    this.facts = data.json("timeline");
    this.resolutions = this.facts.resolutions;
    this.strips = [];
    this.queue = [];
    this.isLoading = false;
    this.decoded = new Set();
    this.entries = 0;
    this.clock = 0;
    this.pools = new Map();
    this.idle = Promise.resolve();
  }

  async open() {
    this.strips = await this.data.loaded("timeline-index", loadIndex);
    this.byThread = new Map(
      this.strips.map((strip) => [`${strip.process}.${strip.thread}.${strip.kind}`, strip]),
    );
  }

  strip(process, thread, kind) {
    return this.byThread.get(`${process}.${thread}.${kind}`) ?? null;
  }

  /**
   * What to draw of a strip: {level, tiles, isComplete}; missing tiles are requested, and an
   * available level is returned instead.
   */
  visible(strip, from, to, nsPerPixel) {
    this.clock++;
    const wanted = levelFor(strip, this.resolutions, nsPerPixel);
    if (wanted < 0) return { level: -1, tiles: [], isComplete: true };
    const tiles = this.asked(strip, wanted, from, to);
    if (tiles.every((tile) => tile.items)) return { level: wanted, tiles, isComplete: true };
    for (let level = wanted + 1; level < this.resolutions.length; level++) {
      if (!((strip.kept >>> level) & 1)) continue;
      const coarser = tilesBetween(strip, level, from, to);
      if (coarser.every((tile) => tile.items)) return { level, tiles: coarser, isComplete: false };
    }
    return { level: wanted, tiles: tiles.filter((tile) => tile.items), isComplete: false };
  }

  asked(strip, level, from, to) {
    const tiles = tilesBetween(strip, level, from, to);
    for (const tile of tiles) {
      tile.used = this.clock;
      if (!tile.items && !tile.isAsked) {
        tile.isAsked = true;
        this.queue.push(tile);
      }
    }
    if (this.queue.length && !this.isLoading) this.idle = this.loadAll();
    return tiles;
  }

  /** The tiles of a level between two times, all decoded. */
  async complete(strip, level, from, to) {
    const tiles = this.asked(strip, level, from, to);
    while (tiles.some((tile) => !tile.items)) {
      await this.idle;
      this.asked(strip, level, from, to);
    }
    return tiles;
  }

  async loadAll() {
    this.isLoading = true;
    let since = performance.now();
    while (this.queue.length) {
      const tile = this.queue.pop(); // the last request is for what is visible now
      this.keep(tile, decodeTile(await this.reader(tile), tile));
      if (performance.now() - since < STEP_MS) continue;
      this.onLoaded();
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
    this.isLoading = false;
    this.onLoaded();
  }

  async reader(tile) {
    const name = `timeline-${tile.blob}`;
    if (tile.size === 0) return this.data.blob(name);
    if (!this.pools.has(tile.blob)) {
      if (this.pools.size >= POOLS_MAX) this.pools.delete(this.pools.keys().next().value);
      this.pools.set(tile.blob, (await this.data.blob(name)).bytes);
    }
    const bytes = this.pools.get(tile.blob);
    return new ByteReader(bytes.subarray(tile.offset, tile.offset + tile.size));
  }

  keep(tile, items) {
    tile.items = items;
    tile.isAsked = false;
    this.decoded.add(tile);
    this.entries += tile.count;
    if (this.entries <= ENTRIES_MAX) return;
    const oldest = [...this.decoded].sort((a, b) => a.used - b.used);
    for (const each of oldest) {
      if (this.entries <= ENTRIES_MAX * 0.75 || each === tile) break;
      this.decoded.delete(each);
      this.entries -= each.count;
      each.items = null;
    }
  }
}
