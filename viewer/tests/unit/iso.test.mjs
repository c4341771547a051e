import assert from "node:assert/strict";
import test from "node:test";
import { isoSurface } from "../../src/iso";
import { cellsAbove, volumeValues } from "../../src/volume";

const SIZE = 24;
const CENTRE = (SIZE - 1) / 2;

function sphere() {
  const values = new Float32Array(SIZE ** 3);
  for (let i = 0; i < values.length; i++) {
    const [x, y, z] = [i % SIZE, Math.floor(i / SIZE) % SIZE, Math.floor(i / SIZE ** 2)];
    values[i] = -Math.hypot(x - CENTRE, y - CENTRE, z - CENTRE);
  }
  return values;
}

/** Each edge of a closed surface is met by as many triangles in one direction as in the other. */
function isClosed({ triangles }) {
  const balance = new Map();
  for (let i = 0; i < triangles.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangles[i + k], triangles[i + ((k + 1) % 3)]];
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      balance.set(key, (balance.get(key) ?? 0) + (a < b ? 1 : -1));
    }
  }
  return [...balance.values()].every((value) => value === 0);
}

function volumeOf({ vertices, triangles }) {
  let sum = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => vertices.subarray(3 * triangles[i + k], 3 * triangles[i + k] + 3));
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

test("a_sphere_is_closed_round_and_faces_outwards", () => {
  const surface = isoSurface(sphere(), SIZE, SIZE, SIZE, -8);
  assert.ok(surface.triangles.length > 1000);
  assert.ok(isClosed(surface));
  for (let i = 0; i < surface.vertices.length; i += 3) {
    const radius = Math.hypot(...surface.vertices.subarray(i, i + 3).map((value) => value - CENTRE));
    assert.ok(Math.abs(radius - 8) < 0.15, String(radius));
  }
  // Positive where corners run counter-clockwise as seen from outside.
  assert.ok(Math.abs(volumeOf(surface) / ((4 / 3) * Math.PI * 512) - 1) < 0.03);
});

test("a_surface_that_leaves_the_samples_is_closed_there", () => {
  const surface = isoSurface(sphere(), SIZE, SIZE, SIZE, -15);
  assert.ok(isClosed(surface));
  assert.ok(Math.abs(volumeOf(surface)) <= SIZE ** 3 + 1e-6);
});

test("nothing_above_the_level_gives_no_surface", () => {
  assert.equal(isoSurface(sphere(), SIZE, SIZE, SIZE, 1).triangles.length, 0);
});

test("cells_without_value_or_power_are_below", () => {
  const volume = {
    nx: 2,
    ny: 2,
    nz: 1,
    stride: 3,
    ref: { part: 0, type: "u16", shape: [2, 2], scale: 1, offset: -90 },
    codes: Uint16Array.of(0, 1, 2, 22),
  };
  const values = volumeValues(volume, -80);
  assert.deepEqual(
    [...values].map((value) => value >= -80),
    [false, false, false, true],
  );
  const { places, codes } = cellsAbove(volume, null, 100);
  assert.deepEqual([...places], [0, 3, 0, 3, 3, 0]);
  assert.deepEqual([...codes], [2, 22]);
  assert.equal(cellsAbove(volume, -80, 100).codes.length, 1);
  assert.equal(cellsAbove(volume, null, 1).codes.length, 1);
});
