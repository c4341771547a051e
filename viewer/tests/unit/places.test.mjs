import assert from "node:assert/strict";
import test from "node:test";
import { Vector3 } from "three";
import { buildBvh } from "../../src/bvh";
import { cellGrid, meetSlice } from "../../src/cell_grid";
import { heightAt } from "../../src/cell_shapes";
import { fileName } from "../../src/download";
import { formatLonLat, lonLat } from "../../src/earth";
import { edgesOf } from "../../src/edges";
import { scaleBarLength } from "../../src/scale_bar";

const earth = {
  crs: "EPSG:25832",
  x: [0, 200],
  y: [0, 100],
  longitude: [
    [10, 11, 12],
    [10, 11, 12],
  ],
  latitude: [
    [50, 50, 50],
    [51, 51, 51],
  ],
};

test("places_on_earth_are_interpolated", () => {
  assert.deepEqual(lonLat(earth, 50, 25), [10.5, 50.25]);
  assert.deepEqual(lonLat(earth, 200, 100), [12, 51]);
  assert.equal(lonLat(earth, 1000, 0), null);
  assert.equal(formatLonLat([-11.5, 48.25]), "48.250000° N, 11.500000° W");
});

test("scale_bars_are_round_and_fit", () => {
  for (const metres of [0.0007, 0.01, 0.13, 1, 7.7, 123]) {
    const { length } = scaleBarLength(metres, 140);
    assert.ok(length <= metres * 140 * (1 + 1e-9) && length > metres * 140 * 0.39, String(metres));
  }
  assert.deepEqual(scaleBarLength(1, 140), { length: 100, text: "100 m" });
  assert.equal(scaleBarLength(50, 140).text, "5 km");
  assert.equal(scaleBarLength(0.002, 140).text, "20 cm");
});

test("file_names_hold_no_markup", () => {
  assert.equal(fileName("<img src=x>/../street", "png"), "img-src-x-..-street.png");
  assert.equal(fileName("", "svg"), "keller.svg");
});

// A unit cube of twelve triangles.
const cube = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1);
const faces = Uint32Array.of(
  0,
  2,
  1,
  0,
  3,
  2,
  4,
  5,
  6,
  4,
  6,
  7,
  0,
  1,
  5,
  0,
  5,
  4,
  1,
  2,
  6,
  1,
  6,
  5,
  2,
  3,
  7,
  2,
  7,
  6,
  3,
  0,
  4,
  3,
  4,
  7,
);

test("a_cube_has_twelve_feature_edges_and_eighteen_in_all", () => {
  assert.equal(edgesOf(cube, faces, false).length / 6, 12);
  assert.equal(edgesOf(cube, faces, true).length / 6, 18);
});

test("rays_meet_the_nearest_triangle", () => {
  const bvh = buildBvh(cube, faces);
  const hit = bvh.cast(new Vector3(0.3, 0.4, 5), new Vector3(0, 0, -1));
  assert.ok(Math.abs(hit.distance - 4) < 1e-6);
  const lower = bvh.cast(new Vector3(0.3, 0.4, 5), new Vector3(0, 0, -1), (_, z) => z < 0.5);
  assert.ok(Math.abs(lower.distance - 5) < 1e-6);
  assert.equal(bvh.cast(new Vector3(3, 0.4, 5), new Vector3(0, 0, -1)), null);
});

test("many_triangles_agree_with_each_by_itself", () => {
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const points = new Float32Array(900 * 3).map(() => random() * 10);
  const triangles = new Uint32Array(900).map((_, i) => i);
  const bvh = buildBvh(points, triangles);
  const single = Array.from({ length: 300 }, (_, i) => buildBvh(points, triangles.slice(3 * i, 3 * i + 3)));
  for (let k = 0; k < 50; k++) {
    const from = new Vector3(random() * 10, random() * 10, -5);
    const direction = new Vector3(random() - 0.5, random() - 0.5, 1).normalize();
    const expected = Math.min(...single.map((one) => one.cast(from, direction)?.distance ?? Infinity));
    assert.equal(bvh.cast(from, direction)?.distance ?? Infinity, expected);
  }
});

const map = {
  first: [100.5, 200.5],
  dx: [1, 0],
  dy: [0, 1],
  nx: 10,
  ny: 5,
  heights: [1.5],
  tx: [],
  layers: [],
  source: "",
};
const app = (ground) => ({ view: { origin: [100, 200, 0] }, parts: { f32: async () => ground } });

test("a_ray_down_meets_its_cell", async () => {
  const grid = await cellGrid(app(), map);
  const hit = meetSlice(grid, 1.5, new Vector3(3.2, 2.9, 20), new Vector3(0, 0, -1));
  assert.deepEqual([hit.column, hit.row, hit.distance], [3, 2, 18.5]);
  assert.equal(meetSlice(grid, 1.5, new Vector3(-1, 2, 20), new Vector3(0, 0, -1)), null);
});

test("slices_follow_the_ground", async () => {
  // The ground rises by a metre each column and is unknown in one cell.
  const ground = new Float32Array(50).map((_, i) => (i === 0 ? NaN : i % 10));
  const grid = await cellGrid(app(ground), { ...map, ground: { part: 0, type: "f32", shape: [5, 10] } });
  const hit = meetSlice(grid, 1.5, new Vector3(6.5, 2.5, 20), new Vector3(0, 0, -1));
  assert.equal(hit.column, 6);
  assert.ok(Math.abs(hit.distance - 12.5) < 1e-3);
});

test("heights_between_layers_are_interpolated", () => {
  assert.equal(heightAt([1, 3, 7], 1.5), 5);
  assert.equal(heightAt([1, 3, 7], -0.5), 0);
  assert.equal(heightAt([1, 3, 7], 2.5), 9);
});
