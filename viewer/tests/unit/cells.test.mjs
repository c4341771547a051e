import assert from "node:assert/strict";
import test from "node:test";
import { cellGrid } from "../../src/cell_grid";
import { classify, greysOf } from "../../src/cell_classes";
import { BUILDING, NOTHING } from "../../src/colours";

// Two rows of two cells; a roof over the left column.
const slices = { path_gain_db: Uint16Array.of(0, 0, 1, 9), best_server: Uint16Array.of(0, 0, 0, 2) };
const layers = Object.keys(slices).map((key, part) => ({
  key,
  kind: key === "best_server" ? "server" : "number",
  slices: [{ part, type: "u16", shape: [2, 2] }],
}));
const map = { first: [0.5, 0.5], dx: [1, 0], dy: [0, 1], nx: 2, ny: 2, heights: [1.5], tx: [], layers, source: "" };
const app = { view: { origin: [0, 0, 0] }, parts: { u16: async ({ part }) => slices[layers[part].key] } };
const roofs = { isCovered: ({ x }) => x < 1, isIndoors: false };

async function classesOf(key, isIndoors = false) {
  const layer = layers.find((one) => one.key === key);
  return classify(app, { ...roofs, isIndoors }, await cellGrid(app, map), layer, 0, slices[key]);
}

test("cells_without_a_value_below_a_roof_are_buildings", async () => {
  const { codes, hasNoPower, hasBuildings } = await classesOf("path_gain_db");
  assert.deepEqual([...codes], [0, 65_535, 0, 9]);
  assert.deepEqual([hasNoPower, hasBuildings], [false, true]);
});

test("rooms_without_power_are_no_buildings", async () => {
  const { codes, hasNoPower } = await classesOf("path_gain_db", true);
  assert.deepEqual([...codes], [0, 65_535, 1, 9]);
  assert.ok(hasNoPower);
});

test("cells_without_a_server_are_without_power_where_gains_say_so", async () => {
  assert.deepEqual([...(await classesOf("best_server", true)).codes], [0, 65_535, 1, 2]);
});

test("greys_have_words_and_colours_of_the_palette", () => {
  const classes = { codes: new Uint16Array(0), hasNoPower: true, hasBuildings: true };
  assert.deepEqual(greysOf(map, classes, true, true), [["no power", NOTHING], ["building", BUILDING]]);
  assert.deepEqual(greysOf({ ...map, limit_db: 150 }, classes, true, false), [["below the limit", NOTHING]]);
  assert.deepEqual(greysOf(map, classes, false, false), []);
});
