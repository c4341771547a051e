/** What is below somebody who walks. */

import { Vector3 } from "three";
import type { SceneMesh } from "./scene_mesh";

export interface SceneFloor {
  /** The height of what is below a place, or null. */
  below(x: number, y: number, z: number): number | null;
  /** A place under the open sky at about this height, as near as can be found. */
  street(near: Vector3): Vector3;
}

const DOWN = new Vector3(0, 0, -1);

export function sceneFloor(mesh: SceneMesh | null): SceneFloor {
  const below = (x: number, y: number, z: number): number | null =>
    mesh?.cast(new Vector3(x, y, z), DOWN)?.point.z ?? null;
  return {
    below,
    street(near) {
      const top = (mesh?.box.max.z ?? near.z) + 10;
      // Inside of a building and below an open sky both count where the floor is near.
      const inside = below(near.x, near.y, near.z + 0.5);
      if (inside !== null && near.z - inside < 4) return new Vector3(near.x, near.y, inside);
      const lowest = mesh?.box.min.z ?? near.z;
      let best = new Vector3(near.x, near.y, inside ?? lowest);
      for (let i = 0; i < 200; i++) {
        const [radius, angle] = [1.5 * Math.sqrt(i) * 2, i * 2.4];
        const [x, y] = [near.x + radius * Math.cos(angle), near.y + radius * Math.sin(angle)];
        const z = below(x, y, top);
        if (z === null) continue;
        if (i === 0 || z < best.z) best = new Vector3(x, y, z);
        if (z < (inside ?? lowest) + 1.5) break;
      }
      return best;
    },
  };
}
