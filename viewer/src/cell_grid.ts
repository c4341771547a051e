/** Where the cells of a map are. */

import { Vector3 } from "three";
import type { App } from "./app";
import type { CellMap } from "./format";

export interface CellGrid {
  map: CellMap;
  /** z of the ground at each cell relative to the origin, rows of `nx`; absent where heights are of the scene. */
  ground: Float32Array | null;
  /** The place of a column, a row (both in cells, fractions between centres) and a height in metres. */
  at(column: number, row: number, height: number): Vector3;
  /** The column and row, as fractions, below a place. */
  cellOf(x: number, y: number): [number, number];
  /** The lowest and the highest z of a slice. */
  reach(height: number): [number, number];
}

export async function cellGrid(app: App, map: CellMap): Promise<CellGrid> {
  const origin = app.view.origin;
  const ground = map.ground ? repaired(await app.parts.f32(map.ground), origin[2]) : null;
  const [x0, y0] = [map.first[0] - origin[0], map.first[1] - origin[1]];
  const { dx, dy, nx, ny } = map;
  const determinant = dx[0] * dy[1] - dx[1] * dy[0];
  let [lowest, highest] = [-origin[2], -origin[2]];
  if (ground) {
    [lowest, highest] = [Infinity, -Infinity];
    for (const z of ground) {
      lowest = Math.min(lowest, z);
      highest = Math.max(highest, z);
    }
  }
  const groundAt = (column: number, row: number): number => {
    if (!ground) return -origin[2];
    const c = Math.min(nx - 1, Math.max(0, column));
    const r = Math.min(ny - 1, Math.max(0, row));
    const [i, j] = [Math.min(Math.floor(c), Math.max(0, nx - 2)), Math.min(Math.floor(r), Math.max(0, ny - 2))];
    const [u, v] = [c - i, r - j];
    const at = (a: number, b: number): number => ground[Math.min(ny - 1, b) * nx + Math.min(nx - 1, a)] as number;
    const low = at(i, j) * (1 - u) + at(i + 1, j) * u;
    const high = at(i, j + 1) * (1 - u) + at(i + 1, j + 1) * u;
    return low * (1 - v) + high * v;
  };
  return {
    map,
    ground,
    at: (column, row, height) =>
      new Vector3(x0 + column * dx[0] + row * dy[0], y0 + column * dx[1] + row * dy[1], height + groundAt(column, row)),
    cellOf(x, y) {
      const [u, v] = [x - x0, y - y0];
      return [(u * dy[1] - v * dy[0]) / determinant, (v * dx[0] - u * dx[1]) / determinant];
    },
    reach: (height) => [lowest + height, highest + height],
  };
}

/** Relative to the origin, with the lowest ground where none is known. */
function repaired(ground: Float32Array, originZ: number): Float32Array {
  let lowest = Infinity;
  for (const z of ground) if (z < lowest) lowest = z;
  if (!Number.isFinite(lowest)) lowest = 0;
  return ground.map((z) => (Number.isFinite(z) ? z : lowest) - originZ);
}

/** The place between cells at which the slice at a height meets a ray, or null. */
export function meetSlice(
  grid: CellGrid,
  height: number,
  from: Vector3,
  direction: Vector3,
): { distance: number; column: number; row: number } | null {
  const [low, high] = grid.reach(height);
  if (Math.abs(direction.z) < 1e-9) return null;
  const ends = [(low - from.z) / direction.z, (high - from.z) / direction.z].sort((a, b) => a - b) as [number, number];
  const start = Math.max(0, ends[0]);
  if (ends[1] < 0) return null;
  const above = (distance: number): number => {
    const point = from.clone().addScaledVector(direction, distance);
    const [column, row] = grid.cellOf(point.x, point.y);
    return point.z - grid.at(column, row, height).z;
  };
  let [near, far] = [start, ends[1]];
  if (high - low > 1e-6) {
    // Walk along the ray through the heights of the ground, then halve.
    const steps = 256;
    const sign = Math.sign(above(start));
    let previous = start;
    for (let i = 1; i <= steps; i++) {
      const distance = start + ((ends[1] - start) * i) / steps;
      if (Math.sign(above(distance)) !== sign) {
        [near, far] = [previous, distance];
        break;
      }
      previous = distance;
    }
    for (let i = 0; i < 30; i++) {
      const middle = (near + far) / 2;
      if (Math.sign(above(middle)) === sign) near = middle;
      else far = middle;
    }
  }
  const point = from.clone().addScaledVector(direction, far);
  const [column, row] = grid.cellOf(point.x, point.y);
  if (column < -0.5 || row < -0.5 || column >= grid.map.nx - 0.5 || row >= grid.map.ny - 0.5) return null;
  return { distance: far, column: Math.round(column), row: Math.round(row) };
}
