// Creates elements without markup: texts are always texts, so nothing in a name is executed.

/**
 * An element with attributes and children (elements or texts).  Attribute names as in HTML, e.g.
 * "class" and "for"; functions become listeners ("onclick"); null and false are left out.
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false || value === undefined) continue;
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** The head of a table: one cell per text, with the given classes (null = none). */
export function tableHead(texts, classes = []) {
  const cells = texts.map((text, i) => element("th", { scope: "col", class: classes[i] }, text));
  return element("thead", {}, element("tr", {}, cells));
}

/** A name from the program: shown whole, with its own text direction. */
export function nameText(text, title = text) {
  return element("bdi", { class: "name", title }, text);
}
