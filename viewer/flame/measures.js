// The measures for the width of boxes: time, calls, and other metrics of the run.
import { ByteReader } from "../data.js";
import { count, duration } from "../format.js";
import { comparedMeasures } from "./compare.js";

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** "12.3 MB". */
export function bytes(number) {
  let value = Math.abs(number);
  let unit = 0;
  for (; value >= 1000 && unit + 1 < BYTE_UNITS.length; unit++) value /= 1000;
  const sign = number < 0 ? "-" : "";
  return unit === 0 ? `${sign}${count(value)} B` : `${sign}${value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

function formatOf(unit) {
  if (unit === "ns") return duration;
  if (unit === "bytes") return bytes;
  return (number) => (unit ? `${count(number)} ${unit}` : count(number));
}

/** "calls", or for a sampled run "samples". */
export function callsWord(data) {
  return data.run.is_sampled ? "samples" : "calls";
}

/** [{id, title, text, format, adds, position}]; position: of the section "metrics". */
export function measuresOf(data) {
  const word = callsWord(data);
  const found = [
    { id: "time", title: data.run.is_of_cpu ? "CPU time" : "Time", format: duration, adds: true },
    { id: "calls", title: word[0].toUpperCase() + word.slice(1), format: count, adds: true },
  ];
  (data.json("metrics") ?? []).forEach((metric, position) => {
    found.push({
      id: metric.name,
      title: metric.name.replaceAll("_", " "),
      text: metric.text,
      format: formatOf(metric.unit),
      adds: metric.adds,
      position,
    });
  });
  if (!data.has("compare")) return found;
  return [
    ...comparedMeasures(word),
    ...found.map((each) => ({ ...each, title: `${each.title}, this run alone` })),
  ];
}

/** Values of one metric by path, the root's 0. */
export function loadMetric(reader, pathCount) {
  const values = new Float64Array(pathCount);
  for (let i = 1; i < pathCount; i++) values[i] = signed(reader.varint());
  return values;
}

/** 0, 1, 2, 3 … are 0, -1, 1, -2 … */
export function signed(number) {
  return number % 2 === 1 ? -(number + 1) / 2 : number / 2;
}

/** A promise of the values of a measure that is in a blob of its own. */
export async function metricOf(data, treeName, measure, pathCount) {
  const name = `tree-${treeName}-m${measure.position}`;
  const values = await data.loaded(name, (reader) => loadMetric(reader, pathCount));
  return values ?? loadMetric(new ByteReader(new Uint8Array(pathCount)), pathCount);
}
