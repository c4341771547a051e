/** All heights of a map layer at once, thinned out where they are too many. */

import type { App } from "./app";
import { valueOfCode } from "./parts";
import type { ArrayRef, CellLayer, CellMap } from "./format";

export interface Volume {
  nx: number;
  ny: number;
  nz: number;
  /** One of so many columns and rows is here. */
  stride: number;
  ref: ArrayRef;
  /** `[nz, ny, nx]` */
  codes: Uint16Array<ArrayBuffer>;
}

const MAX_CELLS = 2_000_000;

export async function loadVolume(app: App, map: CellMap, layer: CellLayer): Promise<Volume> {
  const nz = map.heights.length;
  const stride = Math.max(1, Math.ceil(Math.sqrt((map.nx * map.ny * nz) / MAX_CELLS)));
  const nx = Math.ceil(map.nx / stride);
  const ny = Math.ceil(map.ny / stride);
  const codes = new Uint16Array(nx * ny * nz);
  const ref = layer.slices[0] as ArrayRef;
  for (let k = 0; k < nz; k++) {
    const slice = layer.slices[k] as ArrayRef;
    const source = await app.parts.u16(slice);
    const same = slice.offset === ref.offset && slice.scale === ref.scale;
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const code = source[j * stride * map.nx + i * stride] as number;
        codes[(k * ny + j) * nx + i] = same ? code : recode(code, slice, ref);
      }
    }
    if (nz > 1) app.parts.drop(slice);
  }
  return { nx, ny, nz, stride, ref, codes };
}

/** Slices may be quantised each by themselves; a volume has one rule. */
function recode(code: number, from: ArrayRef, to: ArrayRef): number {
  if (code < 2) return code;
  const value = valueOfCode(code, from);
  return Math.min(65_535, Math.max(2, Math.round(2 + (value - (to.offset ?? 0)) / (to.scale || 1))));
}

/** Values for an isosurface: what has no value or no power counts as far below the threshold. */
export function volumeValues(volume: Volume, threshold: number): Float32Array {
  const values = new Float32Array(volume.codes.length);
  const step = Math.max(Math.abs(threshold) * 0.1, 10 * Math.abs(volume.ref.scale ?? 1));
  for (let i = 0; i < values.length; i++) {
    const value = valueOfCode(volume.codes[i] as number, volume.ref);
    values[i] = Number.isFinite(value) ? value : threshold - step;
  }
  return values;
}

/** Cells at or above the threshold as column, row, layer, and their codes; at most `limit` of them. */
export function cellsAbove(
  volume: Volume,
  threshold: number | null,
  limit: number,
): { places: Float32Array; codes: Float32Array<ArrayBuffer> } {
  const isAbove = (code: number): boolean =>
    code >= 2 && (threshold === null || valueOfCode(code, volume.ref) >= threshold);
  let total = 0;
  for (const code of volume.codes) if (isAbove(code)) total++;
  const every = Math.max(1, Math.ceil(total / limit));
  const count = Math.floor((total + every - 1) / every);
  const places = new Float32Array(count * 3);
  const codes = new Float32Array(count);
  let seen = 0;
  let at = 0;
  for (let cell = 0; cell < volume.codes.length && at < count; cell++) {
    const code = volume.codes[cell] as number;
    if (!isAbove(code) || seen++ % every !== 0) continue;
    const plane = volume.nx * volume.ny;
    places[at * 3] = (cell % volume.nx) * volume.stride;
    places[at * 3 + 1] = Math.floor((cell % plane) / volume.nx) * volume.stride;
    places[at * 3 + 2] = Math.floor(cell / plane);
    codes[at++] = code;
  }
  return { places, codes };
}
