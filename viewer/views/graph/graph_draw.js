// Draws a laid-out graph as SVG without style sheets, so that it can be saved.
import { heat, heatText, MANY_COLOURS, REST_COLOUR } from "../../colours.js";
import { about, count, percent, shortened } from "../../format.js";
import { moduleOf } from "./graph_model.js";
import { pathThrough } from "./graph_layout.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const FONT = "Arial, Helvetica, sans-serif";
const LINE = 16; // pixels between lines
const NAME_LENGTH = 34;

export function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat());
  return made;
}

let measure = null;

function widthOf(text, font) {
  measure ??= document.createElement("canvas").getContext("2d");
  measure.font = font;
  return measure.measureText(text).width;
}

/** Lines in a node's box. */
function textsOf(node, { regions, isSampled }) {
  const name = shortened(regions.name[node.region].replace(/\s/g, " "), NAME_LENGTH);
  const calls = isSampled ? `${count(node.entry.calls)} samples` : `${count(node.entry.calls)} ×`;
  return [name, `${percent(node.share)}  (${percent(node.selfShare)} self)`, calls];
}

/** Functions for the sizes of nodes and of labels; look: {regions, isSampled}. */
export function sizesFor(look) {
  return [(node) => sizeOf(node, look), (edge) => labelSizeOf(edge, look)];
}

function sizeOf(node, look) {
  const [name, ...others] = textsOf(node, look);
  const widths = [
    widthOf(name, `bold 14px ${FONT}`),
    ...others.map((text) => widthOf(text, `13px ${FONT}`)),
  ];
  return { width: Math.ceil(Math.max(...widths)) + 20, height: 3 * LINE + 12 };
}

function labelText({ share, link }, { isSampled }) {
  return `${percent(share)} · ${about(link)}${isSampled ? "" : " ×"}`;
}

function labelSizeOf(edge, look) {
  return { width: Math.ceil(widthOf(labelText(edge, look), `12px ${FONT}`)) + 8, height: 14 };
}

/** Colours of modules: the largest have one of their own, the others share one. */
export function moduleColours(graph, regions, isDark) {
  const sums = new Map();
  for (const { region, entry } of graph.nodes) {
    const module = moduleOf(regions, region);
    sums.set(module, (sums.get(module) ?? 0) + entry.self);
  }
  const order = [...sums].sort((a, b) => b[1] - a[1]).map(([module]) => module);
  const colourOf = (i) => ({
    colour: tint(MANY_COLOURS[i] ?? REST_COLOUR, isDark),
    isShared: i >= MANY_COLOURS.length,
  });
  return new Map(order.map((module, i) => [module, colourOf(i)]));
}

function tint(colour, isDark) {
  const to = isDark ? 16 : 255;
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return `rgb(${parts.map((value) => Math.round(value + (to - value) * 0.55)).join(",")})`;
}

/** look: {regions, isSampled, isDark, colour, modules}; colours of a node: [fill, ink]. */
function coloursOf(node, look) {
  if (look.colour === "module") {
    return [
      look.modules.get(moduleOf(look.regions, node.region)).colour,
      look.isDark ? "#ffffff" : "#111111",
    ];
  }
  const part = look.colour === "self" ? node.selfShare : node.share;
  return [heat(part, look.isDark), heatText(part, look.isDark)];
}

function drawNode(node, place, look) {
  const [fill, ink] = coloursOf(node, look);
  const [name, ...others] = textsOf(node, look);
  const { x, y, width, height } = place;
  const text = (words, i, more) =>
    svgElement("text", { x, y: y - height / 2 + 8 + LINE * (i + 0.72), fill: ink, ...more }, words);
  return svgElement(
    "g",
    { class: "node", "data-region": node.region },
    svgElement("rect", {
      x: x - width / 2,
      y: y - height / 2,
      width,
      height,
      rx: 6,
      fill,
      stroke: look.isDark ? "#8a94a1" : "#5c6670",
      "stroke-width": 1,
    }),
    text(name, 0, { "font-weight": "bold", "font-size": 14 }),
    others.map((words, i) => text(words, i + 1, { "font-size": 13 })),
  );
}

function drawEdge({ edge, points, x, y }, look) {
  const width = Math.max(0.8, 6 * edge.share);
  const stroke = look.isDark ? "#97a3b1" : "#5c6670";
  const label = svgElement(
    "text",
    {
      x,
      y: y + 4,
      fill: look.isDark ? "#d6dbe1" : "#2c333a",
      "font-size": 12,
      // An outline in the background colour, so that edges do not cross it out.
      "paint-order": "stroke",
      stroke: look.isDark ? "#15181c" : "#ffffff",
      "stroke-width": 6,
      "stroke-linejoin": "round",
    },
    labelText(edge, look),
  );
  return svgElement(
    "g",
    { class: "edge", "data-caller": edge.caller, "data-callee": edge.callee },
    svgElement("path", {
      d: pathThrough(points),
      fill: "none",
      stroke,
      "stroke-width": width.toFixed(2),
      "marker-end": "url(#kymo-arrow)",
    }),
    label,
  );
}

/** The content of an SVG: edges below nodes. */
export function drawGraph(graph, layout, look) {
  const byRegion = new Map(graph.nodes.map((node) => [node.region, node]));
  const arrow = svgElement(
    "marker",
    {
      id: "kymo-arrow",
      viewBox: "0 0 10 10",
      refX: 9,
      refY: 5,
      markerWidth: 9,
      markerHeight: 9,
      markerUnits: "userSpaceOnUse",
      orient: "auto",
    },
    svgElement("path", { d: "M0,0L10,5L0,10z", fill: look.isDark ? "#97a3b1" : "#5c6670" }),
  );
  return svgElement(
    "g",
    { "font-family": FONT, "text-anchor": "middle" },
    svgElement("defs", {}, arrow),
    layout.edges.map((edge) => drawEdge(edge, look)),
    [...layout.places].map(([region, place]) => drawNode(byRegion.get(region), place, look)),
  );
}

/** A standalone picture, light on white. */
export function drawPicture(graph, layout, look) {
  const { width, height } = layout;
  return svgElement(
    "svg",
    {
      xmlns: NAMESPACE,
      width: Math.ceil(width),
      height: Math.ceil(height),
      viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
    },
    svgElement("rect", { width: "100%", height: "100%", fill: "#ffffff" }),
    drawGraph(graph, layout, { ...look, isDark: false }),
  );
}
