/** The scene as one mesh with colours at its corners, so that it takes one draw call. */

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Vector3,
} from "three";
import type { App } from "./app";
import { buildBvh, type Bvh } from "./bvh";
import { edgesOf, normalOf } from "./edges";
import { shiftDepth } from "./depth";
import type { Material } from "./format";
import { watchAll } from "./signal";
import { brightness, sunDirection } from "./sun";
import { theme, watchTheme } from "./theme";

export interface SceneMesh {
  /** What a ray meets first of what is shown. */
  cast: Bvh["cast"];
  material(triangle: number): Material | undefined;
  face(triangle: number): number;
  /** How many triangles are shown. */
  shown(): number;
  /** Whether there is a roof or a ceiling straight above a place. */
  isCovered(place: Vector3): boolean;
  box: Box3;
}

const ROOF = 2;
const UP = new Vector3(0, 0, 1);
/** Edges help the eye. Of so many triangles they cost little, first where pictures are slow, then elsewhere. */
const FEW_TRIANGLES = [5_000, 200_000] as const;

export async function addScene(app: App): Promise<SceneMesh | null> {
  const scene = app.view.scene;
  if (!scene) return null;
  const { parts, state, stage } = app;
  const [points, triangles, material, face, kind] = await Promise.all([
    parts.f32(scene.positions),
    parts.u32(scene.triangles),
    parts.u16(scene.material),
    parts.u32(scene.face),
    parts.u8(scene.kind),
  ]);
  const count = triangles.length / 3;
  const positions = new Float32Array(count * 9);
  for (let i = 0; i < triangles.length; i++) {
    const from = (triangles[i] as number) * 3;
    positions.set(points.subarray(from, from + 3), i * 3);
  }
  const normals = normalsUp(points, triangles, kind);
  const colours = new Uint8Array(count * 9);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3, true));
  geometry.setIndex(new BufferAttribute(new Uint32Array(triangles.length), 1));
  const simple = new MeshBasicMaterial({ vertexColors: true, side: DoubleSide });
  const full = new MeshLambertMaterial({ vertexColors: true, side: DoubleSide, flatShading: true });
  for (const one of [simple, full]) {
    one.clippingPlanes = stage.cutPlanes;
  }
  const mesh = new Mesh<BufferGeometry, MeshBasicMaterial | MeshLambertMaterial>(geometry, simple);
  const lineMaterial = new LineBasicMaterial({ transparent: true, opacity: 0.7, clippingPlanes: stage.cutPlanes });
  shiftDepth(lineMaterial, 0.9985);
  const lines = new LineSegments(new BufferGeometry(), lineMaterial);
  const group = new Group();
  group.add(mesh, lines);
  stage.world.add(group);
  let shown = 0;
  if (count <= FEW_TRIANGLES[stage.slow.get() ? 0 : 1]) state.edges.set("feature");

  const isShown = (triangle: number): boolean =>
    !state.hiddenMaterials.get().has(material[triangle] as number) && (state.roofs.get() || kind[triangle] !== ROOF);

  const paint = (): void => {
    const isSimple = state.shading.get() === "simple" || (state.shading.get() === "automatic" && stage.slow.get());
    mesh.material = isSimple ? simple : full;
    const sun = sunDirection(app);
    const normal: [number, number, number] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      normal[0] = normals[i * 3] as number;
      normal[1] = normals[i * 3 + 1] as number;
      normal[2] = normals[i * 3 + 2] as number;
      const light = isSimple ? brightness(normal, sun) : 1;
      const colour = scene.materials[material[i] as number]?.colour ?? [0.7, 0.7, 0.7];
      const [r, g, b] = colour.map((value) => Math.min(255, Math.round(255 * value * light))) as [
        number,
        number,
        number,
      ];
      for (let k = i * 9; k < i * 9 + 9; k += 3) {
        colours[k] = r;
        colours[k + 1] = g;
        colours[k + 2] = b;
      }
    }
    (geometry.getAttribute("color") as BufferAttribute).needsUpdate = true;
    stage.invalidate();
  };
  const select = (): void => {
    const index = geometry.getIndex() as BufferAttribute;
    shown = 0;
    for (let i = 0; i < count; i++) {
      if (!isShown(i)) continue;
      for (let k = 0; k < 3; k++) index.array[shown * 3 + k] = i * 3 + k;
      shown++;
    }
    index.needsUpdate = true;
    geometry.setDrawRange(0, shown * 3);
    drawEdges();
    stage.invalidate();
  };
  const drawEdges = (): void => {
    lines.geometry.dispose();
    lines.geometry = new BufferGeometry();
    lines.visible = state.edges.get() !== "none";
    if (lines.visible) {
      const chosen = triangles.filter((_, i) => isShown(Math.floor(i / 3)));
      const ends = edgesOf(points, chosen, state.edges.get() === "wireframe");
      lines.geometry.setAttribute("position", new BufferAttribute(ends, 3));
    }
    stage.invalidate();
  };
  const fade = (): void => {
    const opacity = state.opacity.get();
    for (const one of [simple, full]) {
      one.transparent = opacity < 1;
      one.opacity = opacity;
      one.depthWrite = opacity >= 1;
      one.needsUpdate = true;
    }
    mesh.visible = opacity > 0;
    stage.invalidate();
  };
  const cut = (): void => {
    const height = state.cut.get();
    stage.setCut(height === null ? null : height - app.view.origin[2]);
    for (const one of [simple, full, lineMaterial]) one.needsUpdate = true;
  };
  const recolour = (): void => {
    lineMaterial.color.set(theme().line);
    stage.invalidate();
  };
  watchAll([state.sunAzimuth, state.sunElevation, state.shading, stage.slow], paint);
  watchAll([state.roofs, state.hiddenMaterials], select);
  state.edges.watch(drawEdges);
  state.opacity.watch(fade);
  state.cut.watch(cut);
  watchTheme(recolour);
  paint();
  select();
  fade();
  recolour();
  geometry.computeBoundingSphere();
  geometry.computeBoundingBox();

  let tree: Bvh | null = null;
  const bvh = (): Bvh => (tree ??= buildBvh(points, triangles));
  return {
    cast(from, direction, accept) {
      return bvh().cast(
        from,
        direction,
        (triangle, z) => z <= stage.cut.value && isShown(triangle) && (accept?.(triangle, z) ?? true),
      );
    },
    material: (triangle) => scene.materials[material[triangle] as number],
    face: (triangle) => face[triangle] as number,
    shown: () => shown,
    isCovered: (place) => bvh().cast(place, UP, (triangle) => kind[triangle] === ROOF) !== null,
    box: geometry.boundingBox ?? new Box3(),
  };
}

/** Normals of triangles; those of ground and roofs look up whichever way their corners run. */
function normalsUp(points: Float32Array, triangles: Uint32Array, kind: Uint8Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let i = 0; i < triangles.length / 3; i++) {
    const normal = normalOf(points, triangles, i);
    const flip = normal[2] < 0 && (kind[i] === 1 || kind[i] === ROOF) ? -1 : 1;
    normals.set([normal[0] * flip, normal[1] * flip, normal[2] * flip], i * 3);
  }
  return normals;
}
