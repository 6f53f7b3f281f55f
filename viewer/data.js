// The data of the page: sections are read lazily (docs/page.md).

/** Reads consecutive numbers of seven bits a byte. */
export class ByteReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get isAtEnd() {
    return this.at >= this.bytes.length;
  }

  /** The next number; exact up to 2^53. */
  varint() {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 0x80) return byte;
    let number = byte & 0x7f;
    let factor = 0x80;
    do {
      byte = bytes[this.at++];
      number += (byte & 0x7f) * factor;
      factor *= 0x80;
    } while (byte >= 0x80);
    return number;
  }

  /** Read numbers into a column, starting at index from. */
  column(into, from = 0) {
    const bytes = this.bytes;
    for (let i = from; i < into.length; i++) {
      const byte = bytes[this.at];
      if (byte < 0x80) {
        into[i] = byte;
        this.at++;
      } else into[i] = this.varint();
    }
    return into;
  }
}

/** Bytes of base64 text. */
export function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class PageData {
  constructor(document) {
    this.document = document;
    this.parsed = new Map();
    this.run = this.json("run");
    this.regions = this.json("regions");
  }

  has(name) {
    return this.document.getElementById(`kymo-${name}`) !== null;
  }

  /** A JSON section; null = missing. */
  json(name) {
    if (!this.parsed.has(name)) {
      const element = this.document.getElementById(`kymo-${name}`);
      this.parsed.set(name, element ? JSON.parse(element.textContent) : null);
    }
    return this.parsed.get(name);
  }

  /** A promise of a ByteReader over a blob; of null if it is missing.  Not cached. */
  async blob(name) {
    const element = this.document.getElementById(`kymo-${name}`);
    if (!element) return null;
    const bytes = bytesOf(element.textContent);
    return new ByteReader(element.dataset.coding === "gzip" ? await unpacked(bytes) : bytes);
  }

  /** A promise of load(reader) for a blob, cached. */
  loaded(name, load) {
    const key = `loaded ${name}`;
    if (!this.parsed.has(key)) {
      this.parsed.set(
        key,
        this.blob(name).then((reader) => (reader ? load(reader) : null)),
      );
    }
    return this.parsed.get(key);
  }

  /** isRest: time in no region, outside any or measuring. */
  async flat() {
    const flat = await this.loaded("flat", loadFlat);
    for (const entry of flat ?? []) entry.isRest = this.regions.kind[entry.region] === 0;
    await this.errors();
    return flat;
  }

  async links() {
    const links = await this.loaded("links", loadLinks);
    await this.errors();
    return links;
  }

  /** Add the errors of estimates to the entries and links. */
  errors() {
    this.withErrors ??= this.readErrors();
    return this.withErrors;
  }

  async readErrors() {
    if (!this.has("errors")) return;
    const [flat, links] = await Promise.all([
      this.loaded("flat", loadFlat),
      this.loaded("links", loadLinks),
    ]);
    await this.loaded("errors", (reader) => loadErrors(reader, flat, links));
  }

  /** name: "all", or "P-T" of one thread. */
  tree(name = "all") {
    return this.loaded(`tree-${name}`, loadTree);
  }
}

/**
 * One entry per region: {region, calls, primitive, closed, self, total, min, max, visits,
 * deviation}, times in ns.  visits: of all calls, recursive ones included.
 */
export function loadFlat(reader) {
  const entries = new Array(reader.varint());
  for (let i = 0; i < entries.length; i++) {
    entries[i] = {
      region: reader.varint(),
      calls: reader.varint(),
      primitive: reader.varint(),
      closed: reader.varint(),
      self: reader.varint(),
      total: reader.varint(),
      min: reader.varint(),
      max: reader.varint(),
      visits: reader.varint(),
      deviation: reader.varint(),
    };
  }
  return entries;
}

/** selfOff and totalOff: ns, 0 = exact; callsLow and callsHigh of links. */
export function loadErrors(reader, flat, links) {
  for (const entry of flat) {
    entry.selfOff = reader.varint();
    entry.totalOff = reader.varint();
    entry.isPrimitiveEstimated = reader.varint() > 0;
  }
  for (const link of links) {
    link.callsLow = reader.varint();
    link.callsHigh = reader.varint();
    link.totalOff = reader.varint();
  }
  return true;
}

/** One entry per call from a region to another; caller -1 = none. */
export function loadLinks(reader) {
  const links = new Array(reader.varint());
  for (let i = 0; i < links.length; i++) {
    links[i] = {
      caller: reader.varint() - 1,
      callee: reader.varint(),
      calls: reader.varint(),
      self: reader.varint(),
      total: reader.varint(),
    };
  }
  return links;
}

/**
 * Call paths as columns, depth first; path 0 is the root, whose region is unused. end[i]: one after
 * the last path below i.  Children of i are i + 1, end[i + 1], ...
 */
export function loadTree(reader) {
  const count = reader.varint() + 1;
  const rootSelf = reader.varint();
  const tree = {
    count,
    parent: new Int32Array(count),
    depth: new Uint16Array(count),
    end: new Uint32Array(count),
    region: new Uint32Array(count),
    calls: new Float64Array(count),
    self: new Float64Array(count),
    total: new Float64Array(count),
  };
  const { parent, depth, end, region, calls, self, total } = tree;
  parent[0] = -1;
  for (let i = 1, last = 0; i < count; i++) {
    for (let up = reader.varint(); up > 0; up--) last = parent[last];
    parent[i] = last;
    depth[i] = Math.min(depth[last] + 1, 65535);
    last = i;
  }
  reader.column(region, 1);
  reader.column(calls, 1);
  self[0] = rootSelf;
  reader.column(self, 1);
  for (let i = count - 1; i >= 0; i--) {
    total[i] += self[i];
    if (end[i] === 0) end[i] = i + 1;
    if (i > 0) {
      total[parent[i]] += total[i];
      if (end[parent[i]] < end[i]) end[parent[i]] = end[i];
    }
  }
  return tree;
}

/** Children of a path, the largest first. */
export function childrenOf(tree, path) {
  const found = [];
  for (let i = path + 1; i < tree.end[path]; i = tree.end[i]) found.push(i);
  return found;
}
