/** Moves the view so that a selected device is not below the card that tells of it. */

import type { App } from "./app";
import type { Cameras } from "./cameras";
import { project } from "./labels";
import type { Markers } from "./markers";

/** Kept between the card and the device, pixels: room for the scale bar that stands on the card on small screens. */
const MARGIN = 76;

export function uncover(app: App, cameras: Cameras, markers: Markers, card: HTMLElement, index: number): void {
  const at = markers.at(index);
  const place = project(app, at);
  if (!place || cameras.mode() === "walk") return;
  const [x, y] = place;
  const frame = app.picture.getBoundingClientRect();
  const box = card.getBoundingClientRect();
  const [right, top] = [box.right - frame.left, box.top - frame.top];
  const [bottom, left] = [box.bottom - frame.top, box.left - frame.left];
  const reach = MARGIN / 3;
  if (x < left - reach || x > right + reach || y < top - reach || y > bottom + reach) return;
  // To the right of the card where there is room, else above or below it.
  const under = frame.height - bottom;
  const free = top > under ? Math.max(top / 2, top - MARGIN) : bottom + Math.min(under / 2, MARGIN);
  if (frame.width - right > 2 * MARGIN) cameras.pan(-(right + MARGIN - x) / frame.height, 0, at);
  else cameras.pan(0, (free - y) / frame.height, at);
}
