/** Edges of a mesh: those where faces meet at an angle or end, or all of them. */

/** Faces that meet at less than this are one surface to the eye. */
const FLAT_COSINE = Math.cos((20 * Math.PI) / 180);

/**
 * The ends of edges, six numbers each. `triangles` are the triangles to look at, as indices of points; points at one
 * place (to a millimetre) count as one.
 */
export function edgesOf(positions: Float32Array, triangles: Uint32Array, all: boolean): Float32Array<ArrayBuffer> {
  const ids = weld(positions);
  const numPoints = positions.length / 3;
  const count = triangles.length / 3;
  const table = new Map<number, number>();
  const other = new Int32Array(count * 3).fill(-1);
  const kept = new Uint8Array(count * 3).fill(1);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      const a = ids[triangles[i * 3 + k] as number] as number;
      const b = ids[triangles[i * 3 + ((k + 1) % 3)] as number] as number;
      const slot = i * 3 + k;
      if (a === b) {
        kept[slot] = 0;
        continue;
      }
      const key = Math.min(a, b) * numPoints + Math.max(a, b);
      const before = table.get(key);
      if (before === undefined) {
        table.set(key, slot);
        continue;
      }
      kept[slot] = 0;
      // Two faces meet: the first decides. A third face makes it an edge again.
      if (other[before] === -1) {
        other[before] = i;
        if (!all && isFlat(positions, triangles, Math.floor(before / 3), i)) kept[before] = 0;
      } else {
        kept[before] = 1;
      }
    }
  }
  const total = kept.reduce((sum, value) => sum + value, 0);
  const result = new Float32Array(total * 6);
  let at = 0;
  for (let slot = 0; slot < kept.length; slot++) {
    if (!kept[slot]) continue;
    const i = Math.floor(slot / 3);
    for (const k of [slot % 3, (slot + 1) % 3]) {
      const from = (triangles[i * 3 + k] as number) * 3;
      result.set(positions.subarray(from, from + 3), at);
      at += 3;
    }
  }
  return result;
}

/** For each point the first point at the same place. */
function weld(positions: Float32Array): Uint32Array {
  const count = positions.length / 3;
  let size = 16;
  while (size < count * 2) size *= 2;
  const slots = new Int32Array(size).fill(-1);
  const ids = new Uint32Array(count);
  const rounded = new Int32Array(count * 3);
  for (let i = 0; i < rounded.length; i++) rounded[i] = Math.round((positions[i] as number) * 1000);
  for (let i = 0; i < count; i++) {
    const [x, y, z] = [rounded[i * 3] as number, rounded[i * 3 + 1] as number, rounded[i * 3 + 2] as number];
    let slot = (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) & (size - 1);
    for (;;) {
      const held = slots[slot] as number;
      if (held < 0) {
        slots[slot] = i;
        ids[i] = i;
        break;
      }
      if (rounded[held * 3] === x && rounded[held * 3 + 1] === y && rounded[held * 3 + 2] === z) {
        ids[i] = held;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return ids;
}

/** Whether two triangles lie in one plane nearly; which side is their front does not matter. */
function isFlat(positions: Float32Array, triangles: Uint32Array, a: number, b: number): boolean {
  const m = normalOf(positions, triangles, a);
  const n = normalOf(positions, triangles, b);
  return Math.abs(m[0] * n[0] + m[1] * n[1] + m[2] * n[2]) > FLAT_COSINE;
}

export function normalOf(positions: Float32Array, triangles: Uint32Array, triangle: number): [number, number, number] {
  const [a, b, c] = [0, 1, 2].map((k) => (triangles[triangle * 3 + k] as number) * 3) as [number, number, number];
  const at = (i: number): number => positions[i] as number;
  const [ux, uy, uz] = [at(b) - at(a), at(b + 1) - at(a + 1), at(b + 2) - at(a + 2)];
  const [vx, vy, vz] = [at(c) - at(a), at(c + 1) - at(a + 1), at(c + 2) - at(a + 2)];
  const normal: [number, number, number] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.hypot(...normal) || 1;
  return [normal[0] / length, normal[1] / length, normal[2] / length];
}
