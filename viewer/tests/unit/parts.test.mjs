import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import test from "node:test";
import { readManifest } from "../../src/manifest";
import { codeOfValue, fromBase64, openParts, valueOfCode } from "../../src/parts";

const packed = (array) => new Uint8Array(gzipSync(Buffer.from(array.buffer)));
const sources = [
  Float32Array.of(1.5, -2, NaN, -Infinity),
  Uint32Array.of(1, 2 ** 32 - 1),
  Uint16Array.of(0, 1, 65_535),
  Uint8Array.of(0, 7, 255),
];
const open = (parts = sources.map(packed), sizes = sources.map((array) => array.byteLength)) => {
  const asked = [];
  const list = openParts(async (part) => {
    asked.push(part);
    return parts[part];
  }, sizes);
  return { list, asked };
};

test("all_types_are_decoded", async () => {
  const { list } = open();
  assert.deepEqual(await list.f32({ part: 0, type: "f32", shape: [4] }), sources[0]);
  assert.deepEqual(await list.u32({ part: 1, type: "u32", shape: [1, 2] }), sources[1]);
  assert.deepEqual(await list.u16({ part: 2, type: "u16", shape: [3] }), sources[2]);
  assert.deepEqual(await list.u8({ part: 3, type: "u8", shape: [3] }), sources[3]);
});

test("a_part_is_fetched_once_until_it_is_dropped", async () => {
  const { list, asked } = open();
  const ref = { part: 1, type: "u32", shape: [2] };
  await Promise.all([list.u32(ref), list.u32(ref)]);
  assert.deepEqual(asked, [1]);
  list.drop(ref);
  await list.u32(ref);
  assert.deepEqual(asked, [1, 1]);
});

test("codes_stand_for_none_no_power_and_values", () => {
  const ref = { part: 0, type: "u16", shape: [1], scale: 0.5, offset: -100 };
  assert.ok(Number.isNaN(valueOfCode(0, ref)));
  assert.equal(valueOfCode(1, ref), -Infinity);
  assert.equal(valueOfCode(2, ref), -100);
  assert.equal(valueOfCode(12, ref), -95);
  assert.equal(codeOfValue(-95, ref), 12);
});

test("damage_is_told_in_a_sentence", async () => {
  const broken = open([packed(sources[0]).slice(0, 12)]).list;
  await assert.rejects(
    broken.f32({ part: 0, type: "f32", shape: [4] }),
    /Part 0 of this view is damaged: it does not decompress\./,
  );
  await assert.rejects(open().list.f32({ part: 0, type: "f32", shape: [5] }), /16 bytes instead of 20/);
  await assert.rejects(open().list.f32({ part: 1, type: "u32", shape: [2] }), /holds u32 where f32 is expected/);
  assert.throws(() => fromBase64("*", 3), /Part 3 of this view is damaged: it is not base64\./);
});

test("base64_is_decoded", () => {
  assert.deepEqual([...fromBase64(Buffer.from([1, 2, 250]).toString("base64"), 0)], [1, 2, 250]);
});

test("a_manifest_of_another_version_is_refused", () => {
  assert.throws(
    () => readManifest(JSON.stringify({ format: "keller view", version: 2 })),
    /version 2 .* reads version 1/,
  );
  assert.throws(() => readManifest("{"), /not JSON/);
  assert.throws(() => readManifest("[]"), /something else/);
  assert.throws(() => readManifest(undefined), /holds no view/);
});
