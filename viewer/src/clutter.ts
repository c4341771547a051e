/** Volumes that waves cross with loss, as translucent bodies; hatched over values, whose colours stay. */

import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  FrontSide,
  Group,
  type IUniform,
  Mesh,
  MeshLambertMaterial,
} from "three";
import type { App } from "./app";
import { watchAll } from "./signal";

/** From line to line of the hatching, and how wide a line is, pixels of the page. */
const HATCH_STEP = 11;
const HATCH_WIDTH = 1.6;

export async function addClutter(app: App): Promise<void> {
  const volumes = app.view.scene?.clutter ?? [];
  if (volumes.length === 0) return;
  const { stage, state, parts } = app;
  const hatch: IUniform<number> = { value: 0 };
  const material = clutterMaterial(app, hatch);
  const group = new Group();
  stage.world.add(group);
  const show = (): void => {
    group.visible = state.clutter.get();
    const { maps, surfaces } = app.view;
    const isHatched = (state.map.shown.get() && maps.length > 0) || (state.surfaces.shown.get() && surfaces.length > 0);
    hatch.value = isHatched ? 1 : 0;
    material.opacity = isHatched ? 1 : 0.35;
    material.depthWrite = isHatched;
    // One layer of lines.
    material.side = isHatched ? FrontSide : DoubleSide;
    material.needsUpdate = true;
    stage.invalidate();
  };
  watchAll([state.clutter, state.map.shown, state.surfaces.shown, state.cut], show);
  await Promise.all(
    volumes.map(async (volume) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(await parts.f32(volume.positions), 3));
      geometry.setIndex(new BufferAttribute(await parts.u32(volume.triangles), 1));
      const mesh = new Mesh(geometry, material);
      mesh.renderOrder = 2;
      group.add(mesh);
    }),
  );
  show();
}

function clutterMaterial({ stage }: App, hatch: IUniform<number>): MeshLambertMaterial {
  const material = new MeshLambertMaterial({
    color: 0x4f9a4a,
    transparent: true,
    flatShading: true,
    clippingPlanes: stage.cutPlanes,
  });
  const ratio = { value: 1 };
  stage.beforeDraw(() => {
    ratio.value = stage.renderer.getPixelRatio();
  });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { uHatch: hatch, uRatio: ratio });
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", "uniform float uHatch;\nuniform float uRatio;\nvoid main() {")
      .replace(
        "#include <dithering_fragment>",
        `#include <dithering_fragment>
        float along = mod((gl_FragCoord.x + gl_FragCoord.y) / uRatio, ${HATCH_STEP.toFixed(1)});
        if (uHatch > 0.5 && along > ${HATCH_WIDTH.toFixed(1)}) discard;`,
      );
  };
  return material;
}
