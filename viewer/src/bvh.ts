/** A tree of boxes over triangles, which answers what a ray hits first. */

import { Vector3 } from "three";

export interface Hit {
  distance: number;
  triangle: number;
  point: Vector3;
}

export interface Bvh {
  /** The nearest triangle that `accept` takes, on either side of it. */
  cast(from: Vector3, direction: Vector3, accept?: (triangle: number, z: number) => boolean): Hit | null;
}

const LEAF_SIZE = 6;

/** `triangles` holds three indices of points in `positions` for each triangle. */
export function buildBvh(positions: Float32Array, triangles: Uint32Array): Bvh {
  const count = triangles.length / 3;
  const order = new Uint32Array(count).map((_, i) => i);
  const centres = new Float32Array(count * 3);
  for (let i = 0; i < count; i++) {
    for (let axis = 0; axis < 3; axis++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum += positions[(triangles[i * 3 + k] as number) * 3 + axis] as number;
      centres[i * 3 + axis] = sum / 3;
    }
  }
  const capacity = Math.max(1, 2 * count);
  const boxes = new Float32Array(capacity * 6);
  // Of a leaf: its first triangle and how many; of a node: its children, the second as a negative number.
  const first = new Int32Array(capacity);
  const second = new Int32Array(capacity);
  let nodes = 0;

  const build = (start: number, end: number): number => {
    const node = nodes++;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const centreLow = [Infinity, Infinity, Infinity];
    const centreHigh = [-Infinity, -Infinity, -Infinity];
    for (let i = start; i < end; i++) {
      const triangle = order[i] as number;
      for (let axis = 0; axis < 3; axis++) {
        const centre = centres[triangle * 3 + axis] as number;
        if (centre < (centreLow[axis] as number)) centreLow[axis] = centre;
        if (centre > (centreHigh[axis] as number)) centreHigh[axis] = centre;
        for (let k = 0; k < 3; k++) {
          const value = positions[(triangles[triangle * 3 + k] as number) * 3 + axis] as number;
          if (value < (low[axis] as number)) low[axis] = value;
          if (value > (high[axis] as number)) high[axis] = value;
        }
      }
    }
    boxes.set([...low, ...high], node * 6);
    if (end - start <= LEAF_SIZE) {
      first[node] = start;
      second[node] = end - start;
      return node;
    }
    const extent = [0, 1, 2].map((axis) => (centreHigh[axis] as number) - (centreLow[axis] as number));
    const axis = extent.indexOf(Math.max(...extent));
    const middle = ((centreLow[axis] as number) + (centreHigh[axis] as number)) / 2;
    let split = partition(order, start, end, (triangle) => (centres[triangle * 3 + axis] as number) < middle);
    if (split === start || split === end) split = (start + end) >> 1;
    first[node] = build(start, split);
    second[node] = -build(split, end);
    return node;
  };
  if (count > 0) build(0, count);

  const stack = new Int32Array(256);
  return {
    cast(from, direction, accept) {
      if (count === 0) return null;
      const o = [from.x, from.y, from.z];
      const inverse = [1 / direction.x, 1 / direction.y, 1 / direction.z];
      let nearest = Infinity;
      let found = -1;
      let depth = 1;
      stack[0] = 0;
      while (depth > 0) {
        const node = stack[--depth] as number;
        if (!meets(boxes, node * 6, o, inverse, nearest)) continue;
        if ((second[node] as number) < 0) {
          stack[depth++] = first[node] as number;
          stack[depth++] = -(second[node] as number);
          continue;
        }
        const start = first[node] as number;
        for (let i = start; i < start + (second[node] as number); i++) {
          const triangle = order[i] as number;
          const distance = crossing(positions, triangles, triangle, from, direction);
          if (distance >= nearest) continue;
          if (accept && !accept(triangle, from.z + distance * direction.z)) continue;
          nearest = distance;
          found = triangle;
        }
      }
      if (found < 0) return null;
      return { distance: nearest, triangle: found, point: from.clone().addScaledVector(direction, nearest) };
    },
  };
}

function partition(order: Uint32Array, start: number, end: number, isLeft: (triangle: number) => boolean): number {
  let split = start;
  for (let i = start; i < end; i++) {
    const triangle = order[i] as number;
    if (!isLeft(triangle)) continue;
    order[i] = order[split] as number;
    order[split++] = triangle;
  }
  return split;
}

function meets(boxes: Float32Array, at: number, o: number[], inverse: number[], limit: number): boolean {
  let near = 0;
  let far = limit;
  for (let axis = 0; axis < 3; axis++) {
    const a = ((boxes[at + axis] as number) - (o[axis] as number)) * (inverse[axis] as number);
    const b = ((boxes[at + 3 + axis] as number) - (o[axis] as number)) * (inverse[axis] as number);
    // A ray inside a plane of a flat box gives NaN here, which must not rule the box out.
    const [enter, leave] = a < b ? [a, b] : [b, a];
    if (enter > near) near = enter;
    if (leave < far) far = leave;
  }
  return near <= far * (1 + 1e-6) + 1e-6;
}

/** The distance to a triangle (Möller and Trumbore 1997); infinite if it is missed. */
function crossing(p: Float32Array, t: Uint32Array, triangle: number, from: Vector3, d: Vector3): number {
  const [a, b, c] = [0, 1, 2].map((k) => (t[triangle * 3 + k] as number) * 3) as [number, number, number];
  const at = (i: number): number => p[i] as number;
  const [e1x, e1y, e1z] = [at(b) - at(a), at(b + 1) - at(a + 1), at(b + 2) - at(a + 2)];
  const [e2x, e2y, e2z] = [at(c) - at(a), at(c + 1) - at(a + 1), at(c + 2) - at(a + 2)];
  const [px, py, pz] = [d.y * e2z - d.z * e2y, d.z * e2x - d.x * e2z, d.x * e2y - d.y * e2x];
  const determinant = e1x * px + e1y * py + e1z * pz;
  if (Math.abs(determinant) < 1e-12) return Infinity;
  const [sx, sy, sz] = [from.x - at(a), from.y - at(a + 1), from.z - at(a + 2)];
  const u = (sx * px + sy * py + sz * pz) / determinant;
  if (u < -1e-6 || u > 1 + 1e-6) return Infinity;
  const [qx, qy, qz] = [sy * e1z - sz * e1y, sz * e1x - sx * e1z, sx * e1y - sy * e1x];
  const v = (d.x * qx + d.y * qy + d.z * qz) / determinant;
  if (v < -1e-6 || u + v > 1 + 1e-6) return Infinity;
  const distance = (e2x * qx + e2y * qy + e2z * qz) / determinant;
  return distance > 1e-6 ? distance : Infinity;
}
