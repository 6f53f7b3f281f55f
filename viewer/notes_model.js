// The notes of a run as sections of rows, and their filtering.
import { count } from "./format.js";

/** "1.5 MB" */
export function bytes(number) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  let value = number;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return unit === 0 ? `${value} ${units[0]}` : `${value.toFixed(1)} ${units[unit]}`;
}

function nanoseconds(ns) {
  return ns > 0
    ? `${ns >= 1000 ? `${(ns / 1000).toFixed(1)} us` : `${+ns.toPrecision(3)} ns`}`
    : "";
}

function settingRows(settings) {
  const isChanged = (setting) => setting.default !== undefined && setting.value !== setting.default;
  const ordered = [...settings].sort((a, b) => isChanged(b) - isChanged(a));
  return ordered.map((setting) => ({
    cells: [
      setting.name,
      setting.value || "(empty)",
      isChanged(setting) ? `chosen; default: ${setting.default || "(empty)"}` : "default",
      setting.help ?? "",
    ],
    isStrong: isChanged(setting),
  }));
}

function recordingRows(recordings) {
  return recordings.map((each) => ({
    cells: [
      each.path,
      bytes(each.bytes),
      each.kinds.join(", "),
      each.state + (each.status > 0 ? `, status ${each.status}` : ""),
      each.events > 0 ? count(each.events) : "",
      each.samples > 0 ? count(each.samples) : "",
      each.lost_samples > 0 ? count(each.lost_samples) : "none",
      each.problems > 0 ? count(each.problems) : "none",
      `format ${each.version}${each.kymo ? `, Kymo ${each.kymo}` : ""}`,
    ],
    isStrong: each.problems > 0 || each.lost_samples > 0,
  }));
}

function clockRows(recordings) {
  return recordings.map((each) => ({
    cells: [
      String(each.pid),
      each.clock,
      nanoseconds(each.tick_ns),
      count(each.clock_pairs),
      nanoseconds(each.call_ns) || "not calibrated",
      nanoseconds(each.c_call_ns),
      nanoseconds(each.startup_ns),
    ],
  }));
}

const KINDS = { warning: "the data is suspect", loss: "not recorded", damage: "damaged" };

function warningRows(warnings) {
  return warnings.map((each) => ({
    cells: [KINDS[each.kind] ?? each.kind, each.area, each.text, each.pid ? String(each.pid) : ""],
    isStrong: true,
  }));
}

/** Sections {id, title, columns, rows: [{cells, isStrong}]}; those without rows are left out. */
export function noteSections(notes, run) {
  const pairs = (list) => list.map((cells) => ({ cells }));
  const all = [
    [
      "warnings",
      "Warnings and losses",
      ["What", "Where", "Text", "Process"],
      warningRows(notes.warnings),
    ],
    [
      "run",
      "The run",
      ["What", "Value"],
      pairs([...notes.info, ["page made by", `Kymo ${run.kymo}`]]),
    ],
    [
      "recordings",
      "Recordings",
      [
        "File",
        "Size",
        "Holds",
        "State",
        "Events",
        "Samples",
        "Lost samples",
        "Problems",
        "Written as",
      ],
      recordingRows(notes.recordings),
    ],
    [
      "clocks",
      "Clocks and calibration",
      ["Process", "Clock", "Tick", "Readings", "A call costs", "A C call", "Start-up"],
      clockRows(notes.recordings),
    ],
    ["settings", "Settings", ["Name", "Value", "From", "Meaning"], settingRows(notes.settings)],
    ["environment", "Environment", ["Variable", "Value"], pairs(notes.environment)],
    [
      "varies",
      "Not the same in all processes",
      ["What", "Processes", "Value"],
      (notes.varies ?? []).map((each) => ({ cells: [each.key, count(each.count), each.text] })),
    ],
    [
      "modules",
      "Modules",
      ["File", "Build id"],
      pairs(notes.modules.map(([path, id]) => [path, id ?? ""])),
    ],
    [
      "metrics",
      "Metrics",
      ["Name", "Unit", "Meaning"],
      notes.metrics.map((each) => ({ cells: [each.name, each.unit ?? "", each.help ?? ""] })),
    ],
    [
      "series",
      "Series",
      ["Name", "Unit", "Process"],
      notes.series.map((each) => ({ cells: [each.name, each.unit ?? "", String(each.pid)] })),
    ],
  ];
  return all
    .map(([id, title, columns, rows]) => ({ id, title, columns, rows }))
    .filter(({ rows }) => rows.length > 0);
}

/** The sections with the rows for which accepts(cell, …) is true. */
export function filteredSections(sections, accepts) {
  return sections
    .map((section) => ({ ...section, rows: section.rows.filter((row) => accepts(...row.cells)) }))
    .filter(({ rows }) => rows.length > 0);
}

/** As text: a title, then one line per row, cells separated by tabs. */
export function notesText(sections) {
  const line = (cells) => cells.map((cell) => String(cell ?? "").replace(/\s+/g, " ")).join("\t");
  return sections
    .map(({ title, columns, rows }) => [
      title,
      line(columns),
      ...rows.map((row) => line(row.cells)),
    ])
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}
