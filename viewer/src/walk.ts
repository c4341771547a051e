/** Walks through the scene at the height of eyes above what is below. */

import { MathUtils, Vector3 } from "three";
import type { App } from "./app";
import { directionOf, type Cameras } from "./cameras";
import type { SceneMesh } from "./scene_mesh";
import { sceneFloor } from "./walk_floor";

export interface Walk {
  /** Puts the feet at a height, as when choosing a floor. */
  stand(z: number): void;
  /** Puts the camera back to where it was before the walk. */
  leave(): void;
  enter(): void;
}

export const EYE_HEIGHT = 1.7;
const SPEED = 4;
const FAST = 4;
const TURN_SPEED = 70;

const KEYS: Record<string, [number, number, number]> = {
  // Ahead, right, turn.
  KeyW: [1, 0, 0],
  ArrowUp: [1, 0, 0],
  KeyS: [-1, 0, 0],
  ArrowDown: [-1, 0, 0],
  KeyA: [0, -1, 0],
  KeyD: [0, 1, 0],
  ArrowLeft: [0, 0, 1],
  ArrowRight: [0, 0, -1],
};

export function addWalk(app: App, cameras: Cameras, mesh: SceneMesh | null, start: () => Vector3): Walk {
  const { stage, state } = app;
  const camera = cameras.perspective;
  const held = new Set<string>();
  const floor = sceneFloor(mesh);
  let azimuth = 0;
  let elevation = 0;
  let last = 0;
  let lastDrag: [number, number] | null = null;
  let before = camera.position.clone();

  const isWalking = (): boolean => state.camera.get() === "walk";
  const look = (): void => {
    camera.lookAt(camera.position.clone().add(directionOf(azimuth, elevation)));
    stage.move();
  };
  const settle = (): void => {
    const feet = camera.position.z - EYE_HEIGHT;
    const below = floor.below(camera.position.x, camera.position.y, feet + 1);
    if (below !== null) camera.position.z = below + EYE_HEIGHT;
  };
  const step = (now: number): void => {
    if (!isWalking() || held.size === 0) {
      last = 0;
      return;
    }
    const seconds = last ? Math.min(0.1, (now - last) / 1000) : 0.016;
    last = now;
    const speed = SPEED * (held.has("ShiftLeft") || held.has("ShiftRight") ? FAST : 1);
    for (const code of held) {
      const [ahead, right, turn] = KEYS[code] ?? [0, 0, 0];
      azimuth += turn * TURN_SPEED * seconds;
      camera.position.addScaledVector(directionOf(azimuth, 0), ahead * speed * seconds);
      camera.position.addScaledVector(directionOf(azimuth - 90, 0), right * speed * seconds);
    }
    settle();
    look();
    requestAnimationFrame(step);
  };
  stage.canvas.addEventListener("keydown", (event) => {
    if (!isWalking() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.code in KEYS) && !event.code.startsWith("Shift")) return;
    if (event.code in KEYS) event.preventDefault();
    const wasIdle = held.size === 0;
    held.add(event.code);
    if (wasIdle) requestAnimationFrame(step);
  });
  stage.canvas.addEventListener("keyup", (event) => held.delete(event.code));
  stage.canvas.addEventListener("blur", () => held.clear());
  stage.canvas.addEventListener("pointerdown", (event) => {
    if (!isWalking()) return;
    lastDrag = [event.clientX, event.clientY];
    stage.canvas.setPointerCapture(event.pointerId);
  });
  stage.canvas.addEventListener("pointermove", (event) => {
    if (!isWalking() || !lastDrag) return;
    azimuth += (event.clientX - lastDrag[0]) * 0.2;
    elevation = MathUtils.clamp(elevation + (event.clientY - lastDrag[1]) * 0.2, -85, 85);
    lastDrag = [event.clientX, event.clientY];
    look();
  });
  for (const name of ["pointerup", "pointercancel"] as const) {
    stage.canvas.addEventListener(name, () => {
      lastDrag = null;
    });
  }
  return {
    enter() {
      held.clear();
      before = camera.position.clone();
      const ahead = cameras.target().clone().sub(camera.position);
      azimuth = MathUtils.radToDeg(Math.atan2(ahead.y, ahead.x));
      elevation = 0;
      const ground = floor.street(start());
      camera.position.copy(ground);
      camera.position.z += EYE_HEIGHT;
      // Keys of the picture move from here on.
      stage.canvas.focus({ preventScroll: true });
      app.announce("Walking: W, A, S, D or the arrow keys move.");
      look();
    },
    leave() {
      held.clear();
      camera.position.copy(before);
    },
    stand(z) {
      if (!isWalking()) return;
      camera.position.z = z + EYE_HEIGHT;
      look();
    },
  };
}
