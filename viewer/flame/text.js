// Texts on boxes: their widths, and shortening them to fit.

/** Measures characters once each; a text is the sum of its characters. */
export class TextFitter {
  constructor(context) {
    this.context = context;
    this.widths = new Map();
    this.font = "";
  }

  setFont(font) {
    this.context.font = font; // a canvas resets it when its size changes
    if (font === this.font) return;
    this.font = font;
    this.widths.clear();
    this.ellipsis = this.widthOf("…");
  }

  widthOf(character) {
    let width = this.widths.get(character);
    if (width === undefined) {
      width = this.context.measureText(character).width;
      this.widths.set(character, width);
    }
    return width;
  }

  /** The text, or its start with an ellipsis, or "" if even that is too short. */
  fit(text, available) {
    let width = 0;
    let cut = 0; // the last position after which the ellipsis fits
    let at = 0;
    for (const character of text) {
      width += this.widthOf(character);
      if (width > available) return cut >= 2 ? `${text.slice(0, cut)}…` : "";
      at += character.length;
      if (width + this.ellipsis <= available) cut = at;
    }
    return text;
  }

  width(text) {
    let width = 0;
    for (const character of text) width += this.widthOf(character);
    return width;
  }
}
