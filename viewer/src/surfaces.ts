/** Values on the tiles of walls, roofs and ground: on both sides each its own. */

import { BufferAttribute, BufferGeometry, DoubleSide, Mesh, type Vector3 } from "three";
import type { App } from "./app";
import { buildBvh, type Bvh } from "./bvh";
import type { Reading } from "./cell_map";
import { normalOf } from "./edges";
import type { SurfaceLayer, Surfaces } from "./format";
import { chosenLayer, defaultColours, firstKey, usualRange } from "./layer_choice";
import { valueOfCode } from "./parts";
import { capital, colourScale, format, type ColourScale } from "./scale";
import { signal, watchAll, type Signal } from "./signal";
import { setValueUniforms, valueMaterial, valueUniforms } from "./value_shader";

export interface SurfaceTiles {
  scale: Signal<ColourScale | null>;
  settled(): Promise<void>;
  read(from: Vector3, direction: Vector3): Reading | null;
}

const VERTEX = `
in vec2 codes;
out vec2 vCodes;
out float vZ;
void main() {
  vCodes = codes;
  vZ = position.z;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
uniform float uCut;
in vec2 vCodes;
in float vZ;
void main() {
  float code = floor((gl_FrontFacing ? vCodes.x : vCodes.y) + 0.5);
  // Where nothing arrives, the wall itself is seen.
  if (vZ > uCut || code < 1.5) discard;
  outColour = valueColour(code);
}`;

interface Tiles {
  of: Surfaces;
  points: Float32Array;
  triangles: Uint32Array;
  tile: Uint32Array;
  bvh: Bvh | null;
}

export function addSurfaces(app: App): SurfaceTiles {
  const { view, state, stage, parts } = app;
  const choice = state.surfaces;
  const scale = signal<ColourScale | null>(null);
  const uniforms = { ...valueUniforms(), uCut: stage.cut };
  const material = valueMaterial(uniforms, VERTEX, FRAGMENT);
  material.side = DoubleSide;
  material.polygonOffset = true;
  material.polygonOffsetFactor = -2;
  material.polygonOffsetUnits = -2;
  const mesh = new Mesh(new BufferGeometry(), material);
  mesh.frustumCulled = false;
  mesh.visible = false;
  mesh.renderOrder = 1;
  stage.world.add(mesh);
  let tiles: Tiles | null = null;
  let values: { layer: SurfaceLayer; codes: Uint16Array } | null = null;
  let run = 0;
  let settled: Promise<void> = Promise.resolve();

  const chosen = (): { of: Surfaces; layer: SurfaceLayer } | null => {
    const of = view.surfaces[choice.index.get()];
    const layer = of && chosenLayer(of.layers, choice);
    return of && layer ? { of, layer } : null;
  };
  const loadTiles = async (of: Surfaces): Promise<Tiles> => {
    const [points, triangles, tile] = await Promise.all([
      parts.f32(of.positions),
      parts.u32(of.triangles),
      parts.u32(of.tile),
    ]);
    return { of, points, triangles, tile, bvh: null };
  };
  const update = async (): Promise<void> => {
    const mine = ++run;
    const now = chosen();
    if (!now || !choice.shown.get()) {
      mesh.visible = false;
      scale.set(null);
      stage.invalidate();
      return;
    }
    const { of, layer } = now;
    const loaded = tiles?.of === of ? tiles : await loadTiles(of);
    const codes = await parts.u16(layer.values);
    if (mine !== run) return;
    if (tiles !== loaded) mesh.geometry.setAttribute("position", new BufferAttribute(corners(loaded), 3));
    if (tiles !== loaded || values?.layer !== layer) {
      mesh.geometry.setAttribute("codes", new BufferAttribute(cornerCodes(loaded, codes), 2));
    }
    tiles = loaded;
    values = { layer, codes };
    const name = layer.tx === undefined ? "" : `, ${of.tx[layer.tx] ?? `Tx ${layer.tx}`}`;
    const next = colourScale(layer.label + name, layer.unit, choice.range.get(), choice.colours.get());
    setValueUniforms(uniforms, layer.values, next, choice.threshold.get(), choice.opacity.get());
    material.depthWrite = choice.opacity.get() >= 1;
    mesh.visible = true;
    scale.set(next);
    stage.invalidate();
  };
  const suit = async (): Promise<void> => {
    const now = chosen();
    if (!now) return;
    choice.threshold.set(null);
    choice.colours.set(defaultColours(now.layer));
    const ref = now.layer.values;
    choice.range.set(usualRange(await parts.u16(ref), ref, now.layer.unit) ?? now.layer.range);
  };
  const start = (work: () => Promise<void>): void => {
    settled = work();
    app.attempt(settled);
  };
  watchAll([choice.index, choice.key], () => start(() => suit().then(update)));
  watchAll([choice.shown, choice.tx, choice.threshold, choice.range, choice.colours, choice.opacity], () =>
    start(update),
  );
  if (view.surfaces.length > 0) {
    const first = view.surfaces[0] as Surfaces;
    choice.key.set(firstKey(first.layers, first.tx.length));
  }

  return {
    scale,
    settled: async () => {
      await Promise.resolve();
      await settled;
    },
    read(from, direction) {
      if (!tiles || !values || !mesh.visible) return null;
      const { points, triangles, tile } = tiles;
      const { codes, layer } = values;
      tiles.bvh ??= buildBvh(points, triangles);
      const valueOf = (triangle: number): number => {
        const [x, y, z] = normalOf(points, triangles, triangle);
        const isBack = x * direction.x + y * direction.y + z * direction.z > 0;
        return valueOfCode(codes[(tile[triangle] as number) * 2 + (isBack ? 1 : 0)] as number, layer.values);
      };
      const threshold = choice.threshold.get() ?? -Infinity;
      const hit = tiles.bvh.cast(
        from,
        direction,
        (triangle, z) => z <= stage.cut.value && valueOf(triangle) >= threshold,
      );
      return (
        hit && { distance: hit.distance, text: `${capital(layer.label)} ${format(valueOf(hit.triangle), layer.unit)}` }
      );
    },
  };
}

function corners({ points, triangles }: Tiles): Float32Array<ArrayBuffer> {
  const result = new Float32Array(triangles.length * 3);
  for (let i = 0; i < triangles.length; i++) {
    const from = (triangles[i] as number) * 3;
    result.set(points.subarray(from, from + 3), i * 3);
  }
  return result;
}

/** Front and back codes at each corner of each triangle. */
function cornerCodes({ triangles, tile }: Tiles, codes: Uint16Array): Float32Array<ArrayBuffer> {
  const result = new Float32Array(triangles.length * 2);
  for (let i = 0; i < triangles.length; i++) {
    const of = (tile[Math.floor(i / 3)] as number) * 2;
    result[i * 2] = codes[of] as number;
    result[i * 2 + 1] = codes[of + 1] as number;
  }
  return result;
}
