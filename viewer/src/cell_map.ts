/** The chosen map in the picture, in the chosen shape. */

import {
  BufferGeometry,
  Color,
  DataTexture,
  DoubleSide,
  Mesh,
  MeshLambertMaterial,
  Points,
  type ShaderMaterial,
  type Vector3,
} from "three";
import type { App } from "./app";
import { cellGrid, meetSlice, type CellGrid } from "./cell_grid";
import { codeTexture, isoGeometry, pointGeometry, sliceGeometry, verticalCodes, verticalGeometry } from "./cell_shapes";
import { classify, greysOf, noPowerWords, type CellClasses, type Roofs } from "./cell_classes";
import { css, type Rgb } from "./colours";
import type { ArrayRef, CellLayer, CellMap } from "./format";
import { chosenLayer, defaultColours, firstKey, usualRange } from "./layer_choice";
import { valueOfCode } from "./parts";
import { capital, colourScale, format, place, type ColourScale } from "./scale";
import { signal, watchAll, type Signal } from "./signal";
import { valueMaterial, valueUniforms, setValueUniforms } from "./value_shader";
import { cellsAbove, loadVolume, type Volume } from "./volume";

export interface Reading {
  distance: number;
  text: string;
}

/** A slice at a height as it is drawn. */
interface Slice {
  codes: Uint16Array;
  ref: ArrayRef;
  height: number;
  map: CellMap;
  layer: CellLayer;
}

export interface CellMaps {
  scale: Signal<ColourScale | null>;
  layer(): CellLayer | undefined;
  /** Resolves when the choice is in the picture. */
  settled(): Promise<void>;
  read(from: Vector3, direction: Vector3): Reading | null;
}

const VERTEX = `
out vec2 vUv;
void main() {
  vUv = uv;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
precision highp usampler2D;
uniform usampler2D uCodes;
in vec2 vUv;
void main() {
  ivec2 size = textureSize(uCodes, 0);
  ivec2 cell = min(ivec2(vUv * vec2(size)), size - 1);
  outColour = valueColour(float(texelFetch(uCodes, cell, 0).r));
}`;

const POINT_VERTEX = `
in float code;
uniform float uCut;
uniform float uCell;
out float vCode;
void main() {
  vCode = code;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = clamp(uCell * projectionMatrix[1][1] / gl_Position.w, 1.5, 12.0);
  if (position.z > uCut) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const POINT_FRAGMENT = `
in float vCode;
void main() {
  outColour = valueColour(vCode);
}`;

const MAX_POINTS = 500_000;
/** Slices that stay decoded, so that going back and forth between heights is fast. */
const KEPT_SLICES = 3;

/** Where in the range of colours an isosurface lies at first. */
const INSIDE = 0.6;

export function addCellMaps(app: App, roofs: Roofs): CellMaps {
  const { view, state, stage, parts } = app;
  const choice = state.map;
  const scale = signal<ColourScale | null>(null);
  const uniforms = { ...valueUniforms(), uCodes: { value: new DataTexture() }, uCut: stage.cut, uCell: { value: 1 } };
  const sheetMaterial = valueMaterial(uniforms, VERTEX, FRAGMENT);
  sheetMaterial.side = DoubleSide;
  const pointMaterial = valueMaterial(uniforms, POINT_VERTEX, POINT_FRAGMENT);
  const isoMaterial = new MeshLambertMaterial({ side: DoubleSide, flatShading: true, clippingPlanes: stage.cutPlanes });
  const sheet = new Mesh<BufferGeometry, ShaderMaterial>(new BufferGeometry(), sheetMaterial);
  const iso = new Mesh(new BufferGeometry(), isoMaterial);
  const points = new Points(new BufferGeometry(), pointMaterial);
  for (const object of [sheet, iso, points]) {
    object.frustumCulled = false;
    object.visible = false;
    object.renderOrder = 1;
    stage.world.add(object);
  }
  let grid: CellGrid | null = null;
  let sheetOf = "";
  let volume: { layer: CellLayer; data: Volume } | null = null;
  let slice: Slice | null = null;
  let classes: CellClasses | null = null;
  let classesOf: Uint16Array | null = null;
  const kept: ArrayRef[] = [];
  let run = 0;
  let settled: Promise<void> = Promise.resolve();

  const chosen = (): { map: CellMap; layer: CellLayer } | null => {
    const map = view.maps[choice.index.get()];
    const layer = map && chosenLayer(map.layers, choice);
    return map && layer ? { map, layer } : null;
  };
  const gridOf = async (map: CellMap): Promise<CellGrid> => {
    if (grid?.map !== map) grid = await cellGrid(app, map);
    return grid;
  };
  const keep = (ref: ArrayRef): void => {
    const at = kept.findIndex((one) => one.part === ref.part);
    if (at >= 0) kept.splice(at, 1);
    kept.push(ref);
    while (kept.length > KEPT_SLICES) parts.drop(kept.shift() as ArrayRef);
  };
  const volumeOf = async (map: CellMap, layer: CellLayer): Promise<Volume> => {
    if (volume?.layer !== layer) volume = { layer, data: await loadVolume(app, map, layer) };
    return volume.data;
  };
  const showCodes = (codes: Uint16Array<ArrayBuffer>, width: number, height: number): void => {
    uniforms.uCodes.value.dispose();
    uniforms.uCodes.value = codeTexture(codes, width, height, stage.renderer.capabilities.maxTextureSize);
  };
  const setGeometry = (object: Mesh | Points, geometry: BufferGeometry): void => {
    object.geometry.dispose();
    object.geometry = geometry;
  };

  const update = async (): Promise<void> => {
    const mine = ++run;
    const isStale = (): boolean => mine !== run;
    const now = chosen();
    if (!now || !choice.shown.get()) {
      for (const object of [sheet, iso, points]) object.visible = false;
      scale.set(null);
      slice = null;
      stage.invalidate();
      return;
    }
    const { map, layer } = now;
    const cells = await gridOf(map);
    const index = Math.min(choice.height.get(), map.heights.length - 1);
    const shape = map.heights.length > 1 ? choice.shape.get() : "height";
    let ref = layer.slices[index] as ArrayRef;
    let next: Slice | null = null;
    if (shape === "height") {
      const codes = await parts.u16(ref);
      keep(ref);
      if (isStale()) return;
      if (classesOf !== codes || !classes) {
        const found = await classify(app, roofs, cells, layer, index, codes);
        if (isStale()) return;
        [classes, classesOf] = [found, codes];
      }
      next = { codes, ref, height: map.heights[index] as number, map, layer };
      showCodes(classes.codes, map.nx, map.ny);
      const key = `${choice.index.get()}`;
      if (sheetOf !== key) setGeometry(sheet, sliceGeometry(cells));
      sheetOf = key;
      sheet.position.z = next.height;
    } else {
      const data = await volumeOf(map, layer);
      if (isStale()) return;
      ref = data.ref;
      const threshold = choice.threshold.get();
      if (shape === "isosurface") {
        setGeometry(iso, isoGeometry(cells, data, threshold ?? layer.range[0]));
      } else if (shape === "points") {
        const above = cellsAbove(data, threshold, MAX_POINTS);
        setGeometry(points, pointGeometry(cells, above.places, above.codes));
        uniforms.uCell.value = Math.hypot(...map.dx) * data.stride * stage.size().height * 0.5;
      } else {
        const { codes, width } = verticalCodes(data, shape, choice.across.get());
        classes = { codes, hasNoPower: codes.includes(1), hasBuildings: false };
        classesOf = null;
        showCodes(codes, width, data.nz);
        setGeometry(sheet, verticalGeometry(cells, shape, choice.across.get()));
        sheetOf = "";
        sheet.position.z = 0;
      }
    }
    slice = next;
    sheet.visible = shape === "height" || shape === "x" || shape === "y";
    iso.visible = shape === "isosurface";
    points.visible = shape === "points";
    paint(layer, ref);
  };
  const paint = (layer: CellLayer, ref: ArrayRef): void => {
    const map = view.maps[choice.index.get()] as CellMap;
    const of = layer.tx === undefined ? "" : `, ${map.tx[layer.tx] ?? `Tx ${layer.tx}`}`;
    const next = colourScale(layer.label + of, layer.unit, choice.range.get(), choice.colours.get());
    if (layer.kind === "server") next.servers = map.tx;
    const threshold = choice.threshold.get();
    // Closed roofs hide the cells below them.
    const isOpen = !state.roofs.get() || state.cut.get() !== null || state.opacity.get() < 1;
    if (classes && sheet.visible) next.greys = greysOf(map, classes, threshold === null, isOpen);
    uniforms.uClasses.value = slice !== null;
    setValueUniforms(uniforms, ref, next, threshold, choice.opacity.get());
    sheetMaterial.depthWrite = choice.opacity.get() >= 1;
    isoMaterial.color = new Color(css(colourAt(next, threshold ?? layer.range[0])));
    isoMaterial.opacity = choice.opacity.get();
    isoMaterial.transparent = isoMaterial.opacity < 1;
    isoMaterial.needsUpdate = true;
    scale.set(next);
    stage.invalidate();
  };
  /** A new quantity gets the range and colours that suit it. */
  const suit = async (): Promise<void> => {
    const now = chosen();
    if (!now) return;
    const { map, layer } = now;
    choice.threshold.set(null);
    choice.colours.set(defaultColours(layer));
    if (layer.kind === "server") {
      choice.range.set([0, 255]);
      return;
    }
    const ref = layer.slices[Math.min(choice.height.get(), map.heights.length - 1)] as ArrayRef;
    choice.range.set(usualRange(await parts.u16(ref), ref, layer.unit) ?? layer.range);
  };
  const start = (work: () => Promise<void>): void => {
    settled = work();
    app.attempt(settled);
  };
  watchAll([choice.index, choice.key], () => start(() => suit().then(update)));
  watchAll(
    [
      choice.shown,
      choice.tx,
      choice.height,
      choice.shape,
      choice.across,
      choice.threshold,
      choice.range,
      choice.colours,
      choice.opacity,
      state.roofs,
      state.cut,
      state.opacity,
    ],
    () => start(update),
  );
  // Around all values, an isosurface or a cloud would hide what is in it.
  choice.shape.watch((shape) => {
    const [low, high] = choice.range.get();
    const isSolid = shape === "isosurface" || shape === "points";
    if (isSolid && choice.threshold.get() === null && chosen()?.layer.kind === "number") {
      choice.threshold.set(low + INSIDE * (high - low));
    }
  });
  state.cut.watch(() => {
    isoMaterial.needsUpdate = true;
  });
  if (view.maps.length > 0) {
    choice.tx.set(null);
    const first = view.maps[0] as CellMap;
    choice.key.set(firstKey(first.layers, first.tx.length));
  }
  return {
    scale,
    layer: () => chosen()?.layer,
    settled: async () => {
      await Promise.resolve();
      await settled;
    },
    read(from, direction) {
      if (!slice || !sheet.visible || !grid) return null;
      // Of what is drawn, which follows the choice as soon as it is loaded.
      const { layer, map } = slice;
      const hit = meetSlice(grid, slice.height, from, direction);
      if (!hit) return null;
      const value = valueOfCode(slice.codes[hit.row * map.nx + hit.column] as number, slice.ref);
      if (Number.isNaN(value) || value < (choice.threshold.get() ?? -Infinity)) return null;
      const text = readingText(map, layer, value);
      return { distance: hit.distance, text: `${capital(layer.label)} ${text}` };
    },
  };
}

function readingText(map: CellMap, layer: CellLayer, value: number): string {
  if (layer.kind === "server") return map.tx[Math.round(value)] ?? "none";
  return value === -Infinity ? noPowerWords(map) : format(value, layer.unit);
}

function colourAt(scale: ColourScale, value: number): Rgb {
  const index = 4 * Math.round(255 * Math.min(1, Math.max(0, place(scale, value))));
  return [scale.table[index], scale.table[index + 1], scale.table[index + 2]] as unknown as Rgb;
}
