/** What the first picture frames. */

import { Box3, Vector3 } from "three";
import { local } from "./app";
import type { CellMap, Snapshot, View } from "./format";
import type { SnapshotData } from "./snapshot_data";

/** So much of a coverage's region is seen around it. */
const REGION_MARGIN = 0.02;
/** Paths go around devices: so much of their box is seen around it, and at least so many metres. */
const DEVICE_MARGIN = 0.08;
const MIN_MARGIN = 12;
const MAX_TRIED = 500;

/**
 * The region of interest: that of the coverages, else the devices, with the buildings in it; else everything. `places`
 * are receivers and measured points, `corners` those of the scene, three numbers each.
 */
export function firstBox(view: View, bounds: Box3, places: readonly Float32Array[], corners: Float32Array): Box3 {
  if (view.surfaces.length > 0) return bounds;
  const box = new Box3();
  for (const map of view.maps) for (const corner of cornersOf(view, map)) box.expandByPoint(corner);
  const isRegion = !box.isEmpty();
  if (!isRegion) for (const point of devicePoints(view, view.snapshots[0], places)) box.expandByPoint(point);
  if (box.isEmpty()) return bounds;
  const size = box.getSize(new Vector3());
  const width = Math.hypot(size.x, size.y);
  const margin = isRegion ? REGION_MARGIN * width : Math.max(DEVICE_MARGIN * width, MIN_MARGIN);
  box.expandByVector(new Vector3(margin, margin, 0));
  for (const axis of ["x", "y"] as const) {
    // Beyond the scene is nothing to see; all devices are within its bounds.
    box.min[axis] = Math.max(box.min[axis], bounds.min[axis]);
    box.max[axis] = Math.min(box.max[axis], bounds.max[axis]);
  }
  return withHeights(box, corners);
}

/** The box with the heights of all corners of the scene above and below it. */
function withHeights(box: Box3, corners: Float32Array): Box3 {
  const { min, max } = box.clone();
  for (let i = 0; i + 2 < corners.length; i += 3) {
    const [x, y, z] = corners.subarray(i, i + 3) as unknown as [number, number, number];
    if (x < min.x || x > max.x || y < min.y || y > max.y) continue;
    box.min.z = Math.min(box.min.z, z);
    box.max.z = Math.max(box.max.z, z);
  }
  return box;
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
    // Cells reach half a step beyond their centres.
    const [column, row] = [(i & 1 ? map.nx : 0) - 0.5, (i & 2 ? map.ny : 0) - 0.5];
    const x = map.first[0] + column * map.dx[0] + row * map.dy[0];
    return local(view, [x, map.first[1] + column * map.dx[1] + row * map.dy[1], height]);
  });
}
