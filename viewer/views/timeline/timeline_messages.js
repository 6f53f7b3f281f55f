// Messages between threads, in the order of sending.

const PARTS = 256;

export function loadMessages(reader, end) {
  const count = reader.varint();
  const columns = {
    sent: new Float64Array(count),
    received: new Float64Array(count),
    fromProcess: new Uint32Array(count),
    fromThread: new Uint32Array(count),
    toProcess: new Uint32Array(count),
    toThread: new Uint32Array(count),
    region: new Uint32Array(count),
  };
  let since = 0;
  for (let i = 0; i < count; i++) {
    columns.sent[i] = since += reader.varint();
    columns.fromProcess[i] = reader.varint();
    columns.fromThread[i] = reader.varint();
    const distance = reader.varint();
    columns.received[i] = since + (distance % 2 ? -(distance - 1) / 2 : distance / 2);
    columns.toProcess[i] = reader.varint();
    columns.toThread[i] = reader.varint();
    columns.region[i] = reader.varint();
  }
  return new Messages(
    columns,
    Array.from({ length: PARTS }, () => reader.varint()),
    end,
  );
}

class Messages {
  constructor(columns, parts, end) {
    Object.assign(this, columns);
    this.parts = parts;
    this.end = end;
    this.longest = 0;
    for (let i = 0; i < this.sent.length; i++)
      this.longest = Math.max(this.longest, Math.abs(this.received[i] - this.sent[i]));
  }

  /** Indexes of those in transit between two times. */
  between(from, to) {
    const found = [];
    for (let i = this.firstSince(from - this.longest); i < this.sent.length; i++) {
      if (this.sent[i] > to + this.longest) break;
      const [first, last] = [this.sent[i], this.received[i]].sort((a, b) => a - b);
      if (last >= from && first <= to) found.push(i);
    }
    return found;
  }

  firstSince(time) {
    let low = 0;
    let high = this.sent.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sent[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many the page lacks in the parts of the run in between. */
  leftOut(from, to) {
    const length = Math.floor(this.end / PARTS) + 1;
    let sum = 0;
    for (let i = Math.max(0, Math.floor(from / length)); i < PARTS && i * length <= to; i++)
      sum += this.parts[i];
    return sum;
  }
}
