/** Names over the picture that follow places of the scene. */

import { Vector3 } from "three";
import type { App } from "./app";

export interface Label {
  text: string;
  at: Vector3;
}

export interface Labels {
  set(labels: readonly Label[]): void;
  show(shown: boolean): void;
  /** Those that are shown. */
  list(): readonly Label[];
}

/** More names than this cannot be read anyway. */
const MAX_LABELS = 80;

export function createLabels(app: App): Labels {
  const { stage, picture } = app;
  const layer = document.createElement("div");
  layer.className = "labels";
  // The same names are in the panel, in reading order.
  layer.setAttribute("aria-hidden", "true");
  picture.append(layer);
  let labels: readonly Label[] = [];
  let elements: HTMLElement[] = [];
  stage.beforeDraw(() => {
    if (layer.hidden) return;
    elements.forEach((element, i) => {
      const place = project(app, (labels[i] as Label).at);
      element.hidden = !place;
      if (place) element.style.transform = `translate(${place[0].toFixed(1)}px, ${place[1].toFixed(1)}px)`;
    });
  });
  return {
    set(next) {
      labels = next.slice(0, MAX_LABELS);
      elements = labels.map(({ text }) => {
        const element = document.createElement("span");
        element.className = "label";
        element.textContent = text;
        return element;
      });
      layer.replaceChildren(...elements);
      stage.invalidate();
    },
    show(shown) {
      layer.hidden = !shown;
      stage.invalidate();
    },
    list: () => (layer.hidden ? [] : labels),
  };
}

/** Where a place is in the picture, in pixels; null if it is outside or cut away. */
export function project(app: App, point: Vector3): [number, number] | null {
  const camera = app.stage.camera.get();
  const { width, height } = app.stage.size();
  // A receiver without a place has no numbers.
  if (Number.isNaN(point.z) || point.z > app.stage.cut.value) return null;
  camera.updateMatrixWorld();
  const p = point.clone().project(camera);
  if (Math.abs(p.x) > 1.05 || Math.abs(p.y) > 1.05 || Math.abs(p.z) > 1) return null;
  return [((p.x + 1) * width) / 2, ((1 - p.y) * height) / 2];
}
