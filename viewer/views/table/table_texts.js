// The table as Markdown and as CSV: the displayed rows and columns.

/** Numbers for people. */
export function markdownOf(columns, entries) {
  const lines = [columns.map((column) => escaped(column.title))];
  lines.push(columns.map((column) => (column.isText ? "---" : "---:")));
  for (const entry of entries) lines.push(columns.map((column) => escaped(column.text(entry))));
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function escaped(text) {
  return text.replace(/[\\|*_`[\]<>#]/g, "\\$&").replace(/\s+/g, " ");
}

/** Numbers in full, times in seconds, shares in percent. */
export function csvOf(columns, entries) {
  const lines = [columns.map((column) => quoted(column.id))];
  for (const entry of entries) lines.push(columns.map((column) => cell(column, entry)));
  return lines.map((cells) => `${cells.join(",")}\n`).join("");
}

function cell(column, entry) {
  const value = column.value(entry);
  if (column.unit === "text") return quoted(value);
  if (!Number.isFinite(value)) return "";
  if (column.unit === "ns") return String(Number((value * 1e-9).toPrecision(15)));
  return String(column.unit === "part" ? Number((100 * value).toPrecision(12)) : value);
}

function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
