import assert from "node:assert/strict";
import test from "node:test";
import { valueOfCode } from "../../src/parts";
import { inPlainUnit, plainUnit, usePlainUnits } from "../../src/units";

test("delays_are_shown_in_nanoseconds_and_angles_in_degrees", () => {
  assert.equal(plainUnit("dB").unit, "dB");
  assert.ok(Math.abs(inPlainUnit(Float32Array.of(5e-8), "s")[0] - 50) < 1e-4);
  assert.ok(Math.abs(inPlainUnit(Float32Array.of(Math.PI), "rad")[0] - 180) < 1e-4);
});

test("codes_of_layers_stand_for_plain_units", () => {
  const ref = { part: 0, type: "u16", shape: [1], scale: 1e-9, offset: 1e-8 };
  const layer = { unit: "s", range: [1e-8, 2e-8], slices: [ref] };
  usePlainUnits({ maps: [{ layers: [layer] }], surfaces: [] });
  assert.equal(layer.unit, "ns");
  assert.ok(Math.abs(valueOfCode(7, ref) - 15) < 1e-9 && Math.abs(layer.range[1] - 20) < 1e-9);
});
