/** Light of sun and sky: as lights for full shading, and baked into colours for simple shading. */

import { DirectionalLight, HemisphereLight, type Vector3 } from "three";
import type { App } from "./app";
import { directionOf } from "./cameras";
import { watchAll } from "./signal";

const SKY = 0.68;
const SUN = 0.42;

/** Adds the lights and keeps them where the sun stands. */
export function addLights(app: App): void {
  const { stage, state } = app;
  // Lambert shading divides by pi.
  const sky = new HemisphereLight(0xffffff, 0xb9b2a6, SKY * Math.PI);
  sky.position.set(0, 0, 1);
  const sun = new DirectionalLight(0xfffaf0, SUN * Math.PI);
  const update = (): void => {
    sun.position.copy(sunDirection(app));
    stage.invalidate();
  };
  watchAll([state.sunAzimuth, state.sunElevation], update);
  update();
  stage.world.add(sky, sun);
}

export function sunDirection(app: App): Vector3 {
  return directionOf(app.state.sunAzimuth.get(), app.state.sunElevation.get());
}

/** How bright a face with this normal is. */
export function brightness(normal: readonly [number, number, number], sun: Vector3): number {
  const towards = Math.max(0, normal[0] * sun.x + normal[1] * sun.y + normal[2] * sun.z);
  const sky = SKY * (0.86 + 0.14 * normal[2]);
  return Math.min(1.15, sky + SUN * towards);
}
