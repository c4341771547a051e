/** Volumes that waves cross with loss, as translucent bodies. */

import { BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshLambertMaterial } from "three";
import type { App } from "./app";

export async function addClutter(app: App): Promise<void> {
  const volumes = app.view.scene?.clutter ?? [];
  if (volumes.length === 0) return;
  const { stage, state, parts } = app;
  const material = new MeshLambertMaterial({
    color: 0x4f9a4a,
    transparent: true,
    opacity: 0.35,
    depthWrite: false,
    side: DoubleSide,
    flatShading: true,
    clippingPlanes: stage.cutPlanes,
  });
  const group = new Group();
  stage.world.add(group);
  const show = (): void => {
    group.visible = state.clutter.get();
    stage.invalidate();
  };
  state.clutter.watch(show);
  state.cut.watch(() => {
    material.needsUpdate = true;
  });
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
