/** Meshes that show cells: slices, isosurfaces, points. */

import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  NearestFilter,
  RedIntegerFormat,
  UnsignedShortType,
} from "three";
import type { CellGrid } from "./cell_grid";
import { isoSurface } from "./iso";
import { volumeValues, type Volume } from "./volume";

/** Enough to follow the ground where cells are many. */
const MAX_STEPS = 300;

/** A slice at height zero; its material finds cells by `uv`. */
export function sliceGeometry(grid: CellGrid): BufferGeometry {
  const { nx, ny } = grid.map;
  const columns = grid.ground ? Math.min(nx, MAX_STEPS) : 1;
  const rows = grid.ground ? Math.min(ny, MAX_STEPS) : 1;
  return sheet(columns, rows, (u, v) => grid.at(u * nx - 0.5, v * ny - 0.5, 0).toArray());
}

/** A vertical slice along an axis through a share (0 to 1) of the other. */
export function verticalGeometry(grid: CellGrid, axis: "x" | "y", share: number): BufferGeometry {
  const { nx, ny, heights } = grid.map;
  const columns = grid.ground ? Math.min(axis === "x" ? nx : ny, MAX_STEPS) : 1;
  const across = Math.round(share * ((axis === "x" ? ny : nx) - 1));
  return sheet(columns, heights.length, (u, v) => {
    const height = heightAt(heights, v * heights.length - 0.5);
    const point = axis === "x" ? grid.at(u * nx - 0.5, across, height) : grid.at(across, u * ny - 0.5, height);
    return point.toArray();
  });
}

/** The codes of a vertical slice, rows upwards. */
export function verticalCodes(
  volume: Volume,
  axis: "x" | "y",
  share: number,
): { codes: Uint16Array<ArrayBuffer>; width: number } {
  const { nx, ny, nz } = volume;
  const width = axis === "x" ? nx : ny;
  const across = Math.round(share * ((axis === "x" ? ny : nx) - 1));
  const codes = new Uint16Array(width * nz);
  for (let k = 0; k < nz; k++) {
    for (let i = 0; i < width; i++) {
      const cell = axis === "x" ? across * nx + i : i * nx + across;
      codes[k * width + i] = volume.codes[k * nx * ny + cell] as number;
    }
  }
  return { codes, width };
}

export function isoGeometry(grid: CellGrid, volume: Volume, threshold: number): BufferGeometry {
  const values = volumeValues(volume, threshold);
  const { vertices, triangles } = isoSurface(values, volume.nx, volume.ny, volume.nz, threshold);
  const positions = new Float32Array(vertices.length);
  for (let i = 0; i < vertices.length; i += 3) {
    const height = heightAt(grid.map.heights, vertices[i + 2] as number);
    const column = (vertices[i] as number) * volume.stride;
    grid.at(column, (vertices[i + 1] as number) * volume.stride, height).toArray(positions, i);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  return geometry;
}

export function pointGeometry(grid: CellGrid, places: Float32Array, codes: Float32Array<ArrayBuffer>): BufferGeometry {
  const positions = new Float32Array(places.length);
  for (let i = 0; i < places.length; i += 3) {
    const height = grid.map.heights[places[i + 2] as number] ?? 0;
    grid.at(places[i] as number, places[i + 1] as number, height).toArray(positions, i);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("code", new BufferAttribute(codes, 1));
  return geometry;
}

/** The height at a fractional layer, carried on beyond the first and the last. */
export function heightAt(heights: readonly number[], layer: number): number {
  if (heights.length === 1) return (heights[0] ?? 0) + layer;
  const index = Math.min(heights.length - 2, Math.max(0, Math.floor(layer)));
  const [low, high] = [heights[index] as number, heights[index + 1] as number];
  return low + (high - low) * (layer - index);
}

/** Codes as a texture, thinned out where they are more than textures may hold. */
export function codeTexture(
  codes: Uint16Array<ArrayBuffer>,
  width: number,
  height: number,
  limit: number,
): DataTexture {
  const stride = Math.max(1, Math.ceil(Math.max(width, height) / limit));
  let [data, w, h] = [codes, width, height];
  if (stride > 1) {
    [w, h] = [Math.ceil(width / stride), Math.ceil(height / stride)];
    data = new Uint16Array(w * h);
    for (let j = 0; j < h; j++)
      for (let i = 0; i < w; i++) data[j * w + i] = codes[j * stride * width + i * stride] as number;
  }
  const texture = new DataTexture(data, w, h, RedIntegerFormat, UnsignedShortType);
  texture.internalFormat = "R16UI";
  texture.magFilter = NearestFilter;
  texture.minFilter = NearestFilter;
  texture.unpackAlignment = 2;
  texture.needsUpdate = true;
  return texture;
}

function sheet(columns: number, rows: number, place: (u: number, v: number) => number[]): BufferGeometry {
  const positions = new Float32Array((columns + 1) * (rows + 1) * 3);
  const uv = new Float32Array((columns + 1) * (rows + 1) * 2);
  const index = new Uint32Array(columns * rows * 6);
  let at = 0;
  for (let j = 0; j <= rows; j++) {
    for (let i = 0; i <= columns; i++) {
      const vertex = j * (columns + 1) + i;
      positions.set(place(i / columns, j / rows), vertex * 3);
      uv.set([i / columns, j / rows], vertex * 2);
      if (i === columns || j === rows) continue;
      const above = vertex + columns + 1;
      index.set([vertex, vertex + 1, above, vertex + 1, above + 1, above], at);
      at += 6;
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("uv", new BufferAttribute(uv, 2));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}
