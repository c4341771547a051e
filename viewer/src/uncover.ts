/** Moves the view so that a selected device is not below the card that tells of it. */

import type { App } from "./app";
import type { Cameras } from "./cameras";
import { project } from "./labels";
import type { Markers } from "./markers";

const MARGIN = 60;

export function uncover(app: App, cameras: Cameras, markers: Markers, card: HTMLElement, index: number): void {
  const place = project(app, markers.at(index));
  if (!place || cameras.mode() === "walk") return;
  const frame = app.picture.getBoundingClientRect();
  const box = card.getBoundingClientRect();
  const [right, top] = [box.right - frame.left, box.top - frame.top];
  const [bottom, left] = [box.bottom - frame.top, box.left - frame.left];
  if (place[0] < left || place[0] > right + MARGIN / 3 || place[1] < top || place[1] > bottom) return;
  // To the right of the card where there is room, else above it.
  if (frame.width - right > 2 * MARGIN) cameras.pan(-(right + MARGIN - place[0]) / frame.height, 0);
  else cameras.pan(0, -(place[1] - Math.max(MARGIN, top - MARGIN)) / frame.height);
}
