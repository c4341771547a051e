/** Draws lines a little nearer or farther than they are, so that those on faces are not torn. */

import type { LineBasicMaterial } from "three";

/**
 * `factor` stretches the distance from the camera: below one, lines on faces lie before them; above one, behind.
 * Places in the picture stay as they are.
 */
export function shiftDepth(material: LineBasicMaterial, factor: number): void {
  const shift = `#include <project_vertex>
    if (isOrthographic) mvPosition.z += ${(40 * (1 - factor)).toFixed(6)};
    else mvPosition.xyz *= ${factor.toFixed(6)};
    gl_Position = projectionMatrix * mvPosition;`;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace("#include <project_vertex>", shift);
  };
  material.customProgramCacheKey = () => `depth ${factor}`;
}
