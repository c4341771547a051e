/**
 * Isosurfaces by surface nets (Gibson 1998): one vertex in each cube of eight samples that the surface crosses, at the
 * mean of the crossings of its edges, and one quad around each crossed edge. The surface is closed: what is outside of
 * the samples counts as below.
 */

export interface IsoSurface {
  /** Places in samples: column, row, layer. */
  vertices: Float32Array;
  /** Three indices each, counter-clockwise as seen from where values are lower. */
  triangles: Uint32Array;
}

/** The surface around the samples of at least `level`; `values` are `[nz, ny, nx]`. */
export function isoSurface(values: Float32Array, nx: number, ny: number, nz: number, level: number): IsoSurface {
  // Cubes reach one sample beyond the grid on all sides: cube (i, j, k) begins at sample (i-1, j-1, k-1).
  const [cx, cy, cz] = [nx + 1, ny + 1, nz + 1];
  const sample = (i: number, j: number, k: number): number =>
    i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz ? -Infinity : (values[(k * ny + j) * nx + i] as number);
  const vertices: number[] = [];
  const triangles: number[] = [];
  // Vertices of cubes in this layer of cubes and in the one below.
  let below = new Int32Array(cx * cy);
  let here = new Int32Array(cx * cy);
  const corners = new Float64Array(8);

  for (let k = 0; k < cz; k++) {
    here.fill(-1);
    for (let j = 0; j < cy; j++) {
      for (let i = 0; i < cx; i++) {
        let inside = 0;
        for (let c = 0; c < 8; c++) {
          const value = sample(i - 1 + (c & 1), j - 1 + ((c >> 1) & 1), k - 1 + (c >> 2)) - level;
          corners[c] = value;
          if (value >= 0) inside |= 1 << c;
        }
        if (inside === 0 || inside === 255) continue;
        here[j * cx + i] = vertices.length / 3;
        const [x, y, z] = meanCrossing(corners, inside);
        vertices.push(i - 1 + x, j - 1 + y, k - 1 + z);
        // Edges from the corner that this cube shares with its neighbours towards lower indices.
        const low = inside & 1;
        const at = (di: number, dj: number, dk: number): number =>
          (dk ? below : here)[(j - dj) * cx + (i - di)] as number;
        if (((inside >> 1) & 1) !== low && j > 0 && k > 0)
          quad(triangles, at(0, 0, 0), at(0, 1, 0), at(0, 1, 1), at(0, 0, 1), low === 1);
        if (((inside >> 2) & 1) !== low && i > 0 && k > 0)
          quad(triangles, at(0, 0, 0), at(0, 0, 1), at(1, 0, 1), at(1, 0, 0), low === 1);
        if (((inside >> 4) & 1) !== low && i > 0 && j > 0)
          quad(triangles, at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0), low === 1);
      }
    }
    [below, here] = [here, below];
  }
  return { vertices: Float32Array.from(vertices), triangles: Uint32Array.from(triangles) };
}

/** The mean of the places, between 0 and 1, at which the surface crosses the edges of a cube. */
function meanCrossing(corners: Float64Array, inside: number): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  let count = 0;
  for (let a = 0; a < 8; a++) {
    for (let axis = 0; axis < 3; axis++) {
      const b = a | (1 << axis);
      if (b === a || ((inside >> a) & 1) === ((inside >> b) & 1)) continue;
      const [low, high] = [corners[a] as number, corners[b] as number];
      // Where one end is outside of the samples, the surface lies half a sample beyond them.
      const part = Number.isFinite(low) && Number.isFinite(high) ? low / (low - high) : 0.5;
      for (let other = 0; other < 3; other++)
        sum[other] = (sum[other] as number) + (other === axis ? part : (a >> other) & 1);
      count++;
    }
  }
  return [sum[0] / count, sum[1] / count, sum[2] / count];
}

function quad(triangles: number[], a: number, b: number, c: number, d: number, keep: boolean): void {
  if (keep) triangles.push(a, b, c, a, c, d);
  else triangles.push(a, c, b, a, d, c);
}
