// Exports texts to the clipboard or a file.
import { element } from "./dom.js";

/** Copy a text; if the browser does not allow it, show it, selected for copying. */
export async function copyText(text, app, what) {
  try {
    await navigator.clipboard.writeText(text);
    app.announce(`${what} copied.`);
    return true;
  } catch {
    showText(text, what);
    return false;
  }
}

function showText(text, what) {
  const area = element("textarea", { rows: "14", readonly: true, "aria-label": what }, text);
  const box = element(
    "dialog",
    { class: "copying", "aria-label": what },
    element("p", {}, `The browser keeps the clipboard to itself. ${what}: press Ctrl+C.`),
    area,
    element("form", { method: "dialog" }, element("button", {}, "Close")),
  );
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  area.focus();
  area.select();
}

/** Save a blob as a file. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = element("a", { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A file name from the program's name. */
export function fileName(program, extension) {
  const plain = program
    .replace(/^.*\//, "")
    .replace(/[^\w.-]+/g, "_")
    .slice(0, 60);
  return `${plain || "kymo"}.${extension}`;
}
