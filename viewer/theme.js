// Light and dark theme: the system's, until the user chooses one.
import { element } from "./dom.js";

const CHOICES = ["system", "light", "dark"];

function stored() {
  try {
    return localStorage.getItem("kymo-theme");
  } catch {
    return null; // a page from a file may have no storage
  }
}

function store(choice) {
  try {
    localStorage.setItem("kymo-theme", choice);
  } catch {
    // the choice lasts as long as the page is open
  }
}

/** onChange: called when the colours change. */
export function createTheme(onChange) {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const button = element("button", { class: "theme", type: "button", onclick: () => theme.next() });
  const theme = {
    choice: CHOICES.includes(stored()) ? stored() : "system",
    button,
    get isDark() {
      return this.choice === "system" ? query.matches : this.choice === "dark";
    },
    next() {
      this.choice = CHOICES[(CHOICES.indexOf(this.choice) + 1) % CHOICES.length];
      store(this.choice);
      apply();
      onChange();
    },
  };
  function apply() {
    document.documentElement.dataset.theme = theme.isDark ? "dark" : "light";
    button.textContent = `Colours: ${theme.choice}`;
  }
  query.addEventListener("change", () => {
    apply();
    onChange();
  });
  apply();
  return theme;
}
