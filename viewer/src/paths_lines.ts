/** All visible paths as one set of lines, and the highlighted one on top. */

import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, NoBlending, Vector3 } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { App } from "./app";
import { lookUp, serverColour } from "./colours";
import { shiftDepth } from "./depth";
import { interactions, kindOfType, PATH_KINDS, visiblePaths } from "./paths_filter";
import { colourScale, finiteRange, place, type ColourScale } from "./scale";
import { signal, watchAll, type Signal } from "./signal";
import type { PathArrays, SnapshotData, Snapshots } from "./snapshot_data";

export interface PathLines {
  /** Indices of the paths that are drawn, strongest first. */
  visible: Signal<Uint32Array>;
  /** How many pass the filters; more than are drawn if they are too many. */
  passing(): number;
  scale: Signal<ColourScale | null>;
}

/** More segments than this hide each other and take too much memory. */
const MAX_SEGMENTS = 400_000;
/** So few segments are drawn wide, in a pale casing, so that they stand out from a map in the same colours. */
const MAX_WIDE_SEGMENTS = 100;
/** While the camera moves on a slow machine, this many of the strongest paths' segments are drawn. */
const MAX_MOVING_SEGMENTS = 4_000;

export function addPaths(app: App, snapshots: Snapshots): PathLines {
  const { stage, state } = app;
  const choice = state.paths;
  const material = new LineBasicMaterial({
    vertexColors: true,
    // In the order of drawing, so that strong paths hide weak ones even where these are nearer; and after maps.
    depthWrite: false,
    transparent: true,
    blending: NoBlending,
    clippingPlanes: stage.cutPlanes,
  });
  // Seen from behind a wall, a reflection at its front does not shine through.
  shiftDepth(material, 1.0004);
  const lines = new LineSegments(new BufferGeometry(), material);
  lines.frustumCulled = false;
  lines.renderOrder = 3;
  const casing = new LineMaterial({ color: 0xffffff, linewidth: 4.5, depthWrite: false, transparent: true });
  const coloured = new LineMaterial({ vertexColors: true, linewidth: 2.5, depthWrite: false, transparent: true });
  const few = [casing, coloured].map((one, i) => {
    one.clippingPlanes = stage.cutPlanes;
    const object = new LineSegments2(new LineSegmentsGeometry(), one);
    object.frustumCulled = false;
    object.visible = false;
    object.renderOrder = 3 + 0.1 * i;
    return object;
  });
  const wide = new LineMaterial({ color: 0xffd400, linewidth: 4, depthTest: false, transparent: true });
  const core = new LineMaterial({ color: 0x101010, linewidth: 6.5, depthTest: false, transparent: true });
  const highlight = [core, wide].map((one, i) => {
    const object = new LineSegments2(new LineSegmentsGeometry(), one);
    object.frustumCulled = false;
    object.visible = false;
    object.renderOrder = 8 + i;
    return object;
  });
  // Files of vectors draw these themselves.
  for (const object of [lines, ...few, ...highlight]) object.userData["vector"] = true;
  stage.world.add(lines, ...few, ...highlight);
  const visible = signal<Uint32Array>(new Uint32Array(0));
  const scale = signal<ColourScale | null>(null);
  let passing = 0;
  let segments = 0;

  const update = (): void => {
    const data = snapshots.current.get();
    lines.geometry.dispose();
    lines.geometry = new BufferGeometry();
    segments = 0;
    if (!data?.paths || !choice.shown.get()) {
      passing = 0;
      visible.set(new Uint32Array(0));
      scale.set(null);
      for (const object of [lines, ...few]) object.visible = false;
      stage.invalidate();
      return;
    }
    const paths = data.paths;
    const passed = visiblePaths(paths, {
      tx: choice.tx.get(),
      rx: choice.onlySelected.get() ? state.rx.get() : null,
      hiddenTypes: choice.hiddenTypes.get(),
      maxInteractions: choice.maxInteractions.get(),
      minGain: choice.minGain.get(),
      strongest: choice.strongest.get(),
    });
    passing = passed.length;
    let drawn = 0;
    while (drawn < passed.length && segments < MAX_SEGMENTS)
      segments += interactions(paths, passed[drawn++] as number) + 1;
    const shown = passed.subarray(0, drawn);
    const colours = pathColours(paths, choice.colourBy.get());
    const positions = new Float32Array(segments * 6);
    const bytes = new Uint8Array(segments * 6);
    const rgb = new Uint8Array(3);
    // The weakest come first, so that the strongest lie on top.
    let at = segments * 6;
    for (const path of shown) {
      const corners = cornerPoints(data, path);
      at -= (corners.length - 3) * 2;
      writeSegments(corners, positions, at);
      colours.write(path, rgb);
      for (let k = 0; k < (corners.length - 3) * 2; k++) bytes[at + k] = rgb[k % 3] as number;
    }
    lines.geometry.setAttribute("position", new BufferAttribute(positions, 3));
    lines.geometry.setAttribute("color", new BufferAttribute(bytes, 3, true));
    const isWide = segments <= MAX_WIDE_SEGMENTS;
    lines.visible = segments > 0 && !isWide;
    for (const object of few) {
      object.visible = segments > 0 && isWide;
      if (!object.visible) continue;
      object.geometry.dispose();
      object.geometry = new LineSegmentsGeometry();
      object.geometry.setPositions(positions);
      object.geometry.setColors(Float32Array.from(bytes, (byte) => byte / 255));
    }
    visible.set(shown);
    scale.set(shown.length > 0 ? colours.scale : null);
    stage.invalidate();
  };
  const light = (): void => {
    const data = snapshots.current.get();
    const path = choice.highlighted.get();
    for (const object of highlight) {
      object.visible = path !== null && data?.paths !== null && data !== null;
      if (!object.visible || path === null || !data) continue;
      const corners = cornerPoints(data, path);
      const ends = new Float32Array((corners.length - 3) * 2);
      writeSegments(corners, ends, 0);
      object.geometry.dispose();
      object.geometry = new LineSegmentsGeometry();
      object.geometry.setPositions(ends);
    }
    stage.invalidate();
  };
  stage.beforeDraw(() => {
    const limit = stage.moving.get() && stage.slow.get() ? Math.round(MAX_MOVING_SEGMENTS * stage.detail()) : Infinity;
    lines.geometry.setDrawRange(Math.max(0, segments - limit) * 2, Infinity);
  });
  stage.onResize((width, height) => {
    for (const one of [casing, coloured, wide, core]) one.resolution.set(width, height);
  });
  for (const one of [casing, coloured, wide, core]) one.resolution.set(stage.size().width, stage.size().height);
  snapshots.current.watch(update);
  watchAll(
    [
      choice.shown,
      choice.onlySelected,
      choice.tx,
      choice.hiddenTypes,
      choice.maxInteractions,
      choice.minGain,
      choice.strongest,
      choice.colourBy,
      state.rx,
    ],
    update,
  );
  choice.highlighted.watch(light);
  state.cut.watch(() => {
    material.needsUpdate = true;
  });
  return { visible, passing: () => passing, scale };
}

/** Tx, interaction points and Rx of a path, three numbers each. */
export function cornerPoints(data: SnapshotData, path: number): Float32Array {
  const paths = data.paths as PathArrays;
  const [from, to] = [paths.starts[path] as number, paths.starts[path + 1] as number];
  const result = new Float32Array((to - from + 2) * 3);
  const tx = (paths.tx[path] as number) * 3;
  const rx = (paths.rx[path] as number) * 3;
  result.set(data.tx.subarray(tx, tx + 3), 0);
  result.set(paths.points.subarray(from * 3, to * 3), 3);
  result.set(data.rx.subarray(rx, rx + 3), result.length - 3);
  return result;
}

export function cornerVectors(data: SnapshotData, path: number): Vector3[] {
  const corners = cornerPoints(data, path);
  return Array.from({ length: corners.length / 3 }, (_, i) => new Vector3(...corners.subarray(i * 3, i * 3 + 3)));
}

function writeSegments(corners: Float32Array, out: Float32Array, at: number): void {
  for (let i = 0; i + 3 < corners.length; i += 3) out.set(corners.subarray(i, i + 6), at + i * 2);
}

export interface PathColours {
  scale: ColourScale;
  /** Whether the value lies below the scale, so that the lowest colour stands for more than it. */
  isBelow(path: number): boolean;
  write(path: number, out: Uint8Array): void;
}

export function pathColours(paths: PathArrays, by: "gain" | "delay" | "kind"): PathColours {
  if (by === "kind") {
    const scale = { ...colourScale("Kind of path", "", [0, 255], "servers"), servers: PATH_KINDS };
    const kinds = paths.types.map(kindOfType);
    return {
      scale,
      isBelow: () => false,
      write: (path, out) => out.set(serverColour(kinds[paths.type[path] as number] ?? 1)),
    };
  }
  const isGain = by === "gain";
  const factor = isGain ? 1 : 1e9;
  const values = isGain ? paths.gainDb : paths.delay;
  const [low, high] = finiteRange(values);
  // Weak paths are many and matter little: 60 dB are enough to tell the others apart.
  const range = [isGain ? Math.max(low, high - 60) : low * factor, high * factor] as const;
  const scale = colourScale(
    isGain ? "Gain of paths" : "Delay of paths",
    isGain ? "dB" : "ns",
    range,
    isGain ? "gain" : "delay",
  );
  scale.hasBelow = low * factor < scale.low;
  return {
    scale,
    isBelow: (path) => (values[path] as number) * factor < scale.low,
    write(path, out) {
      const value = (values[path] as number) * factor;
      lookUp(scale.table, Number.isFinite(value) ? place(scale, value) : 0, out, 0);
    },
  };
}
