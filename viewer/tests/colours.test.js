import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { KIND_COLOURS, MANY_COLOURS, REST_COLOUR } from "../colours.js";

/** Machado, Oliveira, Fernandes (2009), severity 1, for linear RGB. */
const VISIONS = {
  trichromacy: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [
    0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998,
  ],
  deuteranopia: [
    0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881,
  ],
  tritanopia: [
    1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039,
  ],
};
const APART = 0.12; // in OKLab; 0.02 is what is just noticed

function linear(colour) {
  return [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
}

function times(matrix, vector) {
  return [0, 3, 6].map((row) => vector.reduce((sum, each, i) => sum + matrix[row + i] * each, 0));
}

/** Ottosson, "A perceptual color space for image processing" (2020). */
function oklab(rgb) {
  const cones = times(
    [
      0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566,
      0.0883024619, 0.2817188376, 0.6299787005,
    ],
    rgb,
  ).map(Math.cbrt);
  return times(
    [
      0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099,
      0.0259040371, 0.7827717662, -0.808675766,
    ],
    cones,
  );
}

function seen(colour, vision) {
  const clipped = times(vision, linear(colour)).map((value) => Math.min(1, Math.max(0, value)));
  return oklab(clipped);
}

function nearest(colours, vision) {
  const places = colours.map((colour) => seen(colour, vision));
  let least = Infinity;
  places.forEach((a, i) =>
    places.slice(0, i).forEach((b) => {
      least = Math.min(least, Math.hypot(...a.map((value, k) => value - b[k])));
    }),
  );
  return least;
}

for (const [name, vision] of Object.entries(VISIONS)) {
  test(`kinds and modules are told apart with ${name}`, () => {
    assert.ok(nearest(Object.values(KIND_COLOURS), vision) > APART);
    assert.ok(nearest([...MANY_COLOURS, REST_COLOUR], vision) > APART);
  });

  test(`slower and faster are told apart with ${name}`, () => {
    const source = readFileSync(new URL("../flame/compare.js", import.meta.url), "utf8");
    const colours = ["SLOWER", "FASTER"].map(
      (word) => source.match(new RegExp(`const ${word} = "(#[0-9a-f]{6})"`))[1],
    );
    assert.ok(nearest(colours, vision) > APART);
  });
}

test("what was good for eyes with all cones only is found", () => {
  assert.ok(nearest(["#999999", "#cc79a7"], VISIONS.trichromacy) > 0.1);
  assert.ok(nearest(["#999999", "#cc79a7"], VISIONS.deuteranopia) < 0.02);
});

test("the overview has the colours of the kinds", () => {
  const style = readFileSync(new URL("../views/overview/overview.css", import.meta.url), "utf8");
  for (const [activity, kind] of [
    ["python", "python"],
    ["native", "native"],
    ["system", "other"],
    ["user", "user"],
    ["mpi", "mpi"],
    ["io", "io"],
  ]) {
    const rule = style.match(new RegExp(`\\.activity-${activity} \\{([^}]*)\\}`))[1];
    assert.ok(rule.includes(KIND_COLOURS[kind]), activity);
  }
});
