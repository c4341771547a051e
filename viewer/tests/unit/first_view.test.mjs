import assert from "node:assert/strict";
import test from "node:test";
import { Box3, PerspectiveCamera, Vector3 } from "three";
import { directionOf, fit } from "../../src/cameras";
import { firstBox } from "../../src/first_view";
import { firstKey } from "../../src/layer_choice";
import { siteLabels } from "../../src/sectors";

/** How far to the sides and up the corners of a box reach in the picture, one being its edge. */
function reach(box, back, aspect) {
  const camera = new PerspectiveCamera(45, aspect, 0.1, 1e5);
  camera.up.set(0, 0, 1);
  const { target, distance } = fit(box, back, camera);
  camera.position.copy(target).addScaledVector(back, distance);
  camera.lookAt(target);
  camera.updateMatrixWorld();
  const corners = Array.from({ length: 8 }, (_, i) =>
    new Vector3(
      i & 1 ? box.max.x : box.min.x,
      i & 2 ? box.max.y : box.min.y,
      i & 4 ? box.max.z : box.min.z,
    ).project(camera),
  );
  const ends = (axis) => [Math.min(...corners.map((one) => one[axis])), Math.max(...corners.map((one) => one[axis]))];
  return { x: ends("x"), y: ends("y") };
}

test("a_box_fills_the_picture_from_edge_to_edge", () => {
  const box = new Box3(new Vector3(100, -20, 0), new Vector3(340, 120, 30));
  for (const aspect of [990 / 720, 390 / 844]) {
    for (const [azimuth, elevation] of [
      [-135, 45],
      [90, 30],
      [-90, 89.9],
    ]) {
      const { x, y } = reach(box, directionOf(azimuth, elevation), aspect);
      const isFull = ([low, high]) => Math.abs(low + 1) < 1e-6 && Math.abs(high - 1) < 1e-6;
      assert.ok(isFull(x) || isFull(y), JSON.stringify({ x, y }));
      for (const end of [...x, ...y]) assert.ok(Math.abs(end) < 1 + 1e-6, JSON.stringify({ x, y }));
    }
  }
});

const bounds = new Box3(new Vector3(-1000, -1000, 0), new Vector3(1000, 1000, 90));
const map = { first: [-95, -45], dx: [10, 0], dy: [0, 10], nx: 20, ny: 10, heights: [1.5] };
const view = (maps) => ({
  origin: [0, 0, 0],
  bounds: [bounds.min.toArray(), bounds.max.toArray()],
  surfaces: [],
  maps,
  snapshots: [{ tx: [{ at: [700, 0, 30] }] }],
});
// A house in the region, and a tower far away.
const corners = Float32Array.of(0, 0, 14, 900, 900, 90);

test("the_region_of_a_coverage_is_seen_first_and_not_the_ground", () => {
  const { min, max } = firstBox(view([map]), bounds, [], corners);
  assert.ok(min.x > -110 && min.x <= -100 && max.x >= 100 && max.x < 110, `${min.x} ${max.x}`);
  assert.ok(min.y > -60 && min.y <= -50 && max.y >= 50 && max.y < 60, `${min.y} ${max.y}`);
  assert.equal(max.z, 14);
});

test("without_a_coverage_the_devices_are_seen_first", () => {
  const { min, max } = firstBox(view([]), bounds, [Float32Array.of(500, 100, 1.5, NaN, NaN, NaN)], corners);
  assert.ok(min.x > 450 && min.x < 500 && max.x > 700 && max.x < 750, `${min.x} ${max.x}`);
  assert.ok(min.y < 0 && max.y > 100 && max.y < 150);
  assert.equal(firstBox({ ...view([]), snapshots: [] }, bounds, [], corners), bounds);
});

test("several_tx_are_seen_together_first", () => {
  const layers = ["path_gain_db", "received_power_dbm", "best_server"].map((key) => ({ key }));
  assert.equal(firstKey(layers, 1), "path_gain_db");
  assert.equal(firstKey(layers, 3), "best_server");
  assert.equal(firstKey(layers.slice(0, 2), 3), "received_power_dbm");
  assert.equal(firstKey([], 2), "");
});

test("sectors_of_a_site_share_a_label", () => {
  const tx = (name, x, direction_deg) => ({ name, x, direction_deg });
  const all = [tx("north-1", 0, [0, 5]), tx("lamp", 50), tx("north-2", 0.5, [120, 5]), tx("A", 90), tx("B", 90)];
  const labels = siteLabels({ tx: all }, (i) => new Vector3(all[i].x, 0, 10));
  assert.deepEqual(
    labels.map(({ text }) => text),
    ["north (2 sectors)", "lamp", "A, B"],
  );
});
