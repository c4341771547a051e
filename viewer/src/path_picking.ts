/** Finds the path under the cursor, among those of the selected receiver. */

import type { App } from "./app";
import { cornerVectors } from "./paths_lines";
import type { Snapshots } from "./snapshot_data";

const REACH = 5;
const MAX_PATHS = 600;

export function addPathPicking(app: App, snapshots: Snapshots, chosen: () => readonly number[]): void {
  const { stage, state } = app;
  let pending = false;
  let found: number | null = null;
  stage.canvas.addEventListener("pointermove", (event) => {
    if (pending || event.buttons !== 0 || chosen().length === 0 || !state.paths.shown.get()) return;
    pending = true;
    const [x, y] = [event.offsetX, event.offsetY];
    requestAnimationFrame(() => {
      pending = false;
      const next = nearest(x, y);
      // Leaves alone what a row of the table has lit.
      if (next !== found) state.paths.highlighted.set(next);
      found = next;
    });
  });

  function nearest(x: number, y: number): number | null {
    const data = snapshots.current.get();
    if (!data?.paths) return null;
    const { width, height } = stage.size();
    const camera = stage.camera.get();
    let best: number | null = null;
    let bestDistance = REACH;
    for (const path of chosen().slice(0, MAX_PATHS)) {
      const corners = cornerVectors(data, path).map((corner) => corner.project(camera));
      for (let i = 0; i + 1 < corners.length; i++) {
        const [a, b] = [corners[i], corners[i + 1]];
        if (!a || !b || a.z > 1 || b.z > 1) continue;
        const distance = toSegment(
          x,
          y,
          ((a.x + 1) * width) / 2,
          ((1 - a.y) * height) / 2,
          ((b.x + 1) * width) / 2,
          ((1 - b.y) * height) / 2,
        );
        if (distance < bestDistance) [best, bestDistance] = [path, distance];
      }
    }
    return best;
  }
}

export function toSegment(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length)) : 0;
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}
