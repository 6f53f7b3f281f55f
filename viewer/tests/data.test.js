import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteReader, bytesOf, childrenOf, loadTree } from "../data.js";

function varints(numbers) {
  const bytes = [];
  for (let number of numbers) {
    while (number >= 128) {
      bytes.push((number % 128) + 128);
      number = Math.floor(number / 128);
    }
    bytes.push(number);
  }
  return new ByteReader(Uint8Array.from(bytes));
}

test("numbers are exact up to 2^53", () => {
  const numbers = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, 2 ** 53 - 1];
  const reader = varints(numbers);
  assert.deepEqual(numbers.map(() => reader.varint()), numbers);
  assert.ok(reader.isAtEnd);
});

test("base64 of any bytes", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  assert.deepEqual(bytesOf(Buffer.from(bytes).toString("base64")), bytes);
});

// root 0 (self 1) with 1 (10) and 4 (5); 1 with 2 (20) and 3 (30).
const COLUMNS = [4, 1, 0, 0, 1, 2, 7, 8, 9, 8, 1, 2, 3, 4, 10, 20, 30, 5];

test("a tree has its parents, ends and totals", () => {
  const tree = loadTree(varints(COLUMNS));
  assert.deepEqual([...tree.parent], [-1, 0, 1, 1, 0]);
  assert.deepEqual([...tree.end], [5, 4, 3, 4, 5]);
  assert.deepEqual([...tree.depth], [0, 1, 2, 2, 1]);
  assert.deepEqual([...tree.region], [0, 7, 8, 9, 8]);
  assert.deepEqual([...tree.total], [66, 60, 20, 30, 5]);
  assert.deepEqual(childrenOf(tree, 0), [1, 4]);
  assert.deepEqual(childrenOf(tree, 1), [2, 3]);
  assert.deepEqual(childrenOf(tree, 4), []);
});

test("a tree of nothing", () => {
  const tree = loadTree(varints([0, 0]));
  assert.equal(tree.count, 1);
  assert.deepEqual([...tree.end], [1]);
});
