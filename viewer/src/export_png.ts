/** The picture as PNG, with legends, labels, north arrow and scale bar. */

import type { App } from "./app";
import { ViewError } from "./failure";
import type { Label } from "./labels";
import { project } from "./labels";
import type { Overlays } from "./overlays";
import { theme } from "./theme";

export async function pngOfView(app: App, overlays: Overlays, labels: readonly Label[]): Promise<Blob> {
  const { stage } = app;
  const { width } = stage.size();
  stage.drawFull();
  const ratio = stage.canvas.width / width;
  const canvas = document.createElement("canvas");
  canvas.width = stage.canvas.width;
  canvas.height = stage.canvas.height;
  const context = canvas.getContext("2d");
  if (!context) throw new ViewError("This browser cannot make a picture of the view.");
  // In the same task as drawing: afterwards the renderer may forget the picture.
  context.drawImage(stage.canvas, 0, 0);
  context.scale(ratio, ratio);
  const colours = theme();
  context.font = "600 12px system-ui, sans-serif";
  context.lineWidth = 3;
  context.lineJoin = "round";
  for (const { text, at } of labels) {
    const place = project(app, at);
    if (!place) continue;
    context.strokeStyle = colours.plate;
    context.fillStyle = colours.text;
    context.strokeText(text, place[0] + 10, place[1] - 8);
    context.fillText(text, place[0] + 10, place[1] - 8);
  }
  for (const { element, turn, x, y } of overlays.list()) {
    const [w, h] = [element.width.baseVal.value, element.height.baseVal.value];
    const image = await imageOf(element);
    context.save();
    context.translate(x + w / 2, y + h / 2);
    context.rotate((turn * Math.PI) / 180);
    context.drawImage(image, -w / 2, -h / 2);
    context.restore();
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new ViewError("This browser cannot make a picture of the view.");
  return blob;
}

async function imageOf(element: SVGSVGElement): Promise<HTMLImageElement> {
  const copy = element.cloneNode(true) as SVGSVGElement;
  copy.removeAttribute("style");
  const text = new XMLSerializer().serializeToString(copy);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  return image;
}
