// Saves the graph as a file: a separate drawing, light on white.
import { download, fileName } from "../../copying.js";
import { drawPicture } from "./graph_draw.js";

const PIXELS_MOST = 12000; // per side; browsers refuse larger canvases

export async function saveGraph(kind, graph, layout, look, program) {
  const picture = drawPicture(graph, layout, look);
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}\n`;
  const blob = new Blob([text], { type: "image/svg+xml" });
  if (kind === "svg") return download(blob, fileName(program, "svg"));
  return download(await rastered(blob, layout), fileName(program, "png"));
}

async function rastered(blob, { width, height }) {
  const factor = Math.min(2, PIXELS_MOST / width, PIXELS_MOST / height);
  const url = URL.createObjectURL(blob);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * factor));
    canvas.height = Math.max(1, Math.round(height * factor));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const picture = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!picture) throw new Error("it is too large");
    return picture;
  } finally {
    URL.revokeObjectURL(url);
  }
}
