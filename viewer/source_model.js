// The rows of a source file: its lines with their measurements.

const LONGEST = 4000; // displayed characters of a line

/**
 * Measurements by line: Map of line to {count, self, total, split, functions}; split: times in
 * Python, native code, system, waiting, of lines in samples; functions: regions that begin there.
 * flat: Map of region to its entry.
 */
export function measuredLines(file, flat) {
  const lines = new Map();
  for (const [line, region] of file.functions) {
    const entry = flat.get(region);
    const known = lines.get(line) ?? { count: 0, self: 0, total: 0, split: null, functions: [] };
    known.functions.push(region);
    if (entry) {
      known.count += entry.calls;
      known.self += entry.self;
      known.total += entry.total;
    }
    lines.set(line, known);
  }
  // With samples a line's numbers are its own, not those of the function that begins there.
  if (file.lines.length > 0)
    for (const known of lines.values()) Object.assign(known, { count: 0, self: 0, total: 0 });
  for (const [line, , count, self, total, ...split] of file.lines) {
    const functions = lines.get(line)?.functions ?? [];
    lines.set(line, { count, self, total, split, functions });
  }
  return lines;
}

function cut(text) {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST)} … (${text.length - LONGEST} more characters)`;
}

/**
 * Rows of the file: {line, text} and, for left-out lines, {gap: [first, last]}.  text: the
 * concatenated parts; null: there is none, and only measured lines have rows.
 */
export function sourceRows(file, text, measured) {
  if (text === null)
    return [...measured.keys()]
      .filter((line) => line > 0)
      .sort((a, b) => a - b)
      .map((line) => ({ line, text: null }));
  const rows = [];
  const lines = text.split("\n");
  let at = 0;
  let next = 1;
  for (const [first, last] of file.parts) {
    if (first > next) rows.push({ gap: [next, first - 1] });
    for (let line = first; line <= last; line++)
      rows.push({ line, text: cut(lines[at++] ?? "").replace(/\r$/, "") });
    next = last + 1;
  }
  if (next <= file.line_count) rows.push({ gap: [next, file.line_count] });
  return rows;
}

/** The row of a line, or of its gap; -1 = none. */
export function rowOfLine(rows, line) {
  return rows.findIndex((row) =>
    row.gap ? row.gap[0] <= line && line <= row.gap[1] : row.line === line,
  );
}

/** Lines with the largest self time first. */
export function hottestLines(measured, count) {
  return [...measured.entries()]
    .filter(([line, { self }]) => line > 0 && self > 0)
    .sort((a, b) => b[1].self - a[1].self || a[0] - b[0])
    .slice(0, count)
    .map(([line]) => line);
}

/** Rows whose text contains the search text, in any case. */
export function foundRows(rows, wanted) {
  if (!wanted) return [];
  const lower = wanted.toLowerCase();
  return rows.flatMap((row, i) => (row.text?.toLowerCase().includes(lower) ? [i] : []));
}

/** Files that have the text in their name or the name of a function, with their numbers. */
export function filteredFiles(files, regions, wanted) {
  const lower = wanted.toLowerCase();
  const has = (text) => text.toLowerCase().includes(lower);
  return files
    .map((file, number) => ({ file, number }))
    .filter(
      ({ file }) =>
        !lower || has(file.name) || file.functions.some(([, region]) => has(regions.name[region])),
    );
}

/** The file and line of a link: {file, line}; file -1 = none. */
export function placeOf(params, files, regions) {
  const line = Number(params.line) || 0;
  if (params.file !== undefined) {
    const file = Number(params.file);
    return { file: files[file] ? file : -1, line };
  }
  if (params.region === undefined) return { file: files.length > 0 ? 0 : -1, line };
  const region = Number(params.region);
  for (let i = 0; i < files.length; i++) {
    const found = files[i].functions.find((each) => each[1] === region);
    if (found) return { file: i, line: line || found[0] };
  }
  const name = regions.texts[regions.file[region] ?? 0];
  return { file: name ? files.findIndex((each) => each.name === name) : -1, line };
}

const KEEP = "To keep sources with a run, record it with --keep-sources.";

/** The origin of the text, or why there is none. */
export function stateNote(file) {
  const hasText = file.blob !== undefined;
  switch (file.state) {
    case "kept":
    case "here":
      if (!hasText) return "Left out, for the page would become too large. Its lines are below.";
      if (file.is_younger)
        return "Kept with the run, but it changed after the run had begun: lines may differ.";
      return file.state === "kept"
        ? "As it was when the run ended: kept with the run."
        : "As it is on the machine that made this page; it is older than the run.";
    case "changed":
      return `It has changed since the run began: its lines are no longer those that were measured. ${KEEP}`;
    case "missing":
      return `It was not found where this page was made. ${KEEP}`;
    case "unnamed":
      return "It never was a file: the program made this code while it ran.";
    case "foreign":
      return "It is not shown: it is no text of a known programming language.";
    case "withheld":
      return "It was not read: others can have written this run, and name any file in it. Ask for it with --sources.";
    case "private":
      return "It is not shown: others can have written this run, and not everybody may read the file.";
    case "large":
      return "It is not shown: it is larger than 4 MB.";
    default:
      return "Sources were left out when this page was made (--no-sources).";
  }
}
