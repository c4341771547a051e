/** What the first picture frames. */

import { Box3, Vector3 } from "three";
import { local } from "./app";
import type { CellMap, Snapshot, View } from "./format";

/** Scenes larger than this many times what happens in them are not shown whole at first. */
const LARGE = 2.5;

/** `places` are receivers and measured points, three numbers each. */
export function firstBox(view: View, bounds: Box3, places: readonly Float32Array[]): Box3 {
  const box = new Box3();
  for (const point of devicePoints(view, view.snapshots[0], places)) box.expandByPoint(point);
  for (const map of view.maps) for (const corner of cornersOf(view, map)) box.expandByPoint(corner);
  if (box.isEmpty()) return bounds;
  const size = box.getSize(new Vector3());
  const whole = bounds.getSize(new Vector3()).length();
  const margin = Math.max(Math.min(80, 0.15 * whole), 0.15 * Math.hypot(size.x, size.y));
  box.expandByVector(new Vector3(margin, margin, 0));
  const isLarge = whole > LARGE * box.getSize(new Vector3()).length();
  return isLarge ? box : bounds;
}

/** Where somebody who walks starts: by a receiver, else below a Tx. */
export function startOfWalk(view: View, snapshot: Snapshot | undefined, rx: Float32Array | undefined, chosen: number | null, target: Vector3): Vector3 {
  if (rx && rx.length > 0) {
    const at = 3 * Math.min(chosen ?? 0, rx.length / 3 - 1);
    return new Vector3(rx[at], rx[at + 1], rx[at + 2]);
  }
  const tx = snapshot?.tx[0];
  return tx ? local(view, tx.at) : target.clone();
}

function devicePoints(view: View, snapshot: Snapshot | undefined, places: readonly Float32Array[]): Vector3[] {
  const points = (snapshot?.tx ?? []).map((tx) => local(view, tx.at));
  for (const some of places) {
    for (let i = 0; i + 2 < some.length; i += 3) points.push(new Vector3(some[i], some[i + 1], some[i + 2]));
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
