/** Longitude and latitude of places of the scene. */

import type { Earth } from "./format";

/** Degrees, WGS 84, by bilinear interpolation; null outside of the grid (but for a little beyond its edge). */
export function lonLat(earth: Earth, x: number, y: number): [number, number] | null {
  const rows = earth.longitude.length;
  const columns = earth.longitude[0]?.length ?? 0;
  if (rows < 2 || columns < 2) return null;
  const u = ((x - earth.x[0]) / (earth.x[1] - earth.x[0])) * (columns - 1);
  const v = ((y - earth.y[0]) / (earth.y[1] - earth.y[0])) * (rows - 1);
  if (!(u >= -1 && v >= -1 && u <= columns && v <= rows)) return null;
  return [interpolate(earth.longitude, u, v), interpolate(earth.latitude, u, v)];
}

function interpolate(grid: number[][], u: number, v: number): number {
  const j = Math.min(grid.length - 2, Math.max(0, Math.floor(v)));
  const [low, high] = [grid[j] as number[], grid[j + 1] as number[]];
  const i = Math.min(low.length - 2, Math.max(0, Math.floor(u)));
  const along = (row: number[]): number => (row[i] as number) * (1 - (u - i)) + (row[i + 1] as number) * (u - i);
  return along(low) * (1 - (v - j)) + along(high) * (v - j);
}

export function formatLonLat([longitude, latitude]: readonly [number, number]): string {
  const part = (value: number, letters: string): string =>
    `${Math.abs(value).toFixed(6)}° ${letters[value < 0 ? 1 : 0]}`;
  return `${part(latitude, "NS")}, ${part(longitude, "EW")}`;
}
