/** What the first picture frames. */

import { Box3, Vector3 } from "three";
import { local } from "./app";
import type { CellMap, Snapshot, View } from "./format";
import type { SnapshotData } from "./snapshot_data";

/** Scenes larger than this many times what happens in them are not shown whole at first. */
const LARGE = 1.25;
const MAX_TRIED = 500;

/** `places` are receivers and measured points, three numbers each. */
export function firstBox(view: View, bounds: Box3, places: readonly Float32Array[]): Box3 {
  const box = new Box3();
  for (const point of devicePoints(view, view.snapshots[0], places)) box.expandByPoint(point);
  for (const map of view.maps) for (const corner of cornersOf(view, map)) box.expandByPoint(corner);
  if (box.isEmpty() || view.surfaces.length > 0) return bounds;
  const size = box.getSize(new Vector3());
  const whole = bounds.getSize(new Vector3()).length();
  const margin = Math.max(Math.min(80, 0.15 * whole), 0.05 * Math.hypot(size.x, size.y));
  box.expandByVector(new Vector3(margin, margin, 0));
  const isLarge = whole > LARGE * box.getSize(new Vector3()).length();
  return isLarge ? box : bounds;
}

/** Where somebody who walks starts: by the chosen receiver, else by the first under the open sky, else below a Tx. */
export function startOfWalk(
  data: SnapshotData | null,
  chosen: number | null,
  isCovered: (place: Vector3) => boolean,
  target: Vector3,
): Vector3 {
  const at = (array: Float32Array, i: number): Vector3 => new Vector3(...array.subarray(3 * i, 3 * i + 3));
  if (!data) return target.clone();
  if (chosen !== null) return at(data.rx, chosen);
  const tried = Math.min(data.rx.length / 3, MAX_TRIED);
  for (let i = 0; i < tried; i++) {
    if (!isCovered(at(data.rx, i))) return at(data.rx, i);
  }
  if (tried > 0) return at(data.rx, 0);
  return data.tx.length > 0 ? at(data.tx, 0) : target.clone();
}

function devicePoints(view: View, snapshot: Snapshot | undefined, places: readonly Float32Array[]): Vector3[] {
  const points = (snapshot?.tx ?? []).map((tx) => local(view, tx.at));
  for (const some of places) {
    for (let i = 0; i + 2 < some.length; i += 3) {
      // Receivers without a place have no numbers.
      if (!Number.isNaN(some[i])) points.push(new Vector3(some[i], some[i + 1], some[i + 2]));
    }
  }
  return points;
}

function cornersOf(view: View, map: CellMap): Vector3[] {
  const height = map.ground ? (view.bounds[0][2] ?? 0) : (map.heights[0] ?? 0);
  return [0, 1, 2, 3].map((i) => {
    const [column, row] = [i & 1 ? map.nx : 0, i & 2 ? map.ny : 0];
    const x = map.first[0] + column * map.dx[0] + row * map.dy[0];
    return local(view, [x, map.first[1] + column * map.dx[1] + row * map.dy[1], height]);
  });
}
