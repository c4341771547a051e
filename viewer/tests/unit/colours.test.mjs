import assert from "node:assert/strict";
import test from "node:test";
import palette from "../../../crates/keller-io/src/reports/palette.json";
import { BUILDING, colourTable, lookUp, NOTHING, SEQUENTIAL, SERVER_COLOURS } from "../../src/colours";
import { colourScale, finiteRange, format, niceStep, place, symmetric, ticks } from "../../src/scale";
import { defaultColours, usualRange } from "../../src/layer_choice";

const luminance = (table, i) => 0.2126 * table[4 * i] + 0.7152 * table[4 * i + 1] + 0.0722 * table[4 * i + 2];

const hex = (rgb) => `#${rgb.map((value) => value.toString(16).padStart(2, "0")).join("")}`;

test("colours_are_those_of_the_palette", () => {
  for (const [name, anchors] of Object.entries(palette.scales)) {
    const table = colourTable(name);
    anchors.forEach((anchor, i) => {
      const at = (255 * i) / (anchors.length - 1);
      if (Number.isInteger(at)) assert.equal(hex([...table.subarray(4 * at, 4 * at + 3)]), anchor, `${name} ${i}`);
    });
  }
  assert.deepEqual([...SERVER_COLOURS].map(hex), palette.servers);
  assert.deepEqual([hex(NOTHING), hex(BUILDING)], [palette.nothing, palette.building]);
});

test("each_quantity_has_its_scale", () => {
  const scale = (key, unit, kind) => defaultColours({ key, unit, kind });
  assert.deepEqual(
    ["path_gain_db", "received_power_dbm", "total_power_dbm", "coherent_gain_db"].map((key) => scale(key, "dB")),
    ["gain", "gain", "gain", "gain"],
  );
  assert.equal(scale("path_loss_db", "dB"), "gain reversed");
  assert.equal(scale("sinr_db", "dB"), "sinr");
  assert.deepEqual(
    [["delay_spread_s", "ns"], ["aoa", "°"], ["num_paths", ""], ["k_factor_db", "dB"]].map((one) => scale(...one)),
    ["delay", "delay", "delay", "delay"],
  );
  assert.equal(scale("error_db", "dB", "residual"), "difference");
  assert.equal(scale("best_server", "", "server"), "servers");
});

test("sequential_maps_get_lighter_and_losses_darker", () => {
  for (const name of SEQUENTIAL) {
    const table = colourTable(name);
    const sign = name === "gain reversed" ? -1 : 1;
    for (let i = 8; i < 256; i += 8)
      assert.ok(sign * (luminance(table, i) - luminance(table, i - 8)) > -1.5, `${name} ${i}`);
  }
});

test("the_diverging_map_is_lightest_at_its_centre", () => {
  const table = colourTable("difference");
  assert.ok(luminance(table, 128) > luminance(table, 60) && luminance(table, 60) > luminance(table, 0));
  assert.ok(luminance(table, 128) > luminance(table, 196) && luminance(table, 196) > luminance(table, 255));
});

test("servers_have_colours_of_their_own", () => {
  assert.equal(new Set(SERVER_COLOURS.map(String)).size, SERVER_COLOURS.length);
});

test("values_beyond_the_scale_take_its_end_colours", () => {
  const table = colourTable("gain");
  const out = new Uint8Array(3);
  lookUp(table, -5, out, 0);
  assert.deepEqual([...out], [...table.subarray(0, 3)]);
  lookUp(table, 7, out, 0);
  assert.deepEqual([...out], [...table.subarray(1020, 1023)]);
});

test("a_scale_places_values_between_its_ends", () => {
  const scale = colourScale("Path gain", "dB", [-120, -60], "gain");
  assert.equal(place(scale, -90), 0.5);
  assert.equal(colourScale("", "", [3, 3], "gain").high, 4);
});

test("ticks_are_round_and_inside", () => {
  assert.deepEqual(ticks(-97, -61, 4), [-90, -80, -70]);
  assert.equal(niceStep(0.3), 0.5);
  assert.equal(niceStep(2), 2);
});

test("ranges_leave_out_what_is_not_finite", () => {
  assert.deepEqual(finiteRange([NaN, -Infinity, 3, -2]), [-2, 3]);
  assert.deepEqual(finiteRange([NaN]), [0, 1]);
  assert.deepEqual(symmetric([-2, 5]), [-5, 5]);
});

test("usual_range_leaves_out_rare_ends", () => {
  const codes = new Uint16Array(1000).map((_, i) => (i < 5 ? 2 : i > 997 ? 60_000 : 1002 + (i % 100)));
  const [low, high] = usualRange(codes, { part: 0, type: "u16", shape: [1000], scale: 1, offset: 0 }, "m");
  assert.ok(low >= 1000 && low <= 1002 && high >= 1097 && high <= 1099, `${low} ${high}`);
  assert.equal(usualRange(Uint16Array.of(0, 1), { part: 0, type: "u16", shape: [2] }, "m"), null);
});

test("decibels_far_below_the_strongest_share_the_darkest_colour", () => {
  const codes = new Uint16Array(1000).map((_, i) => (i < 300 ? 2 : 402 + (i % 50)));
  const [low, high] = usualRange(codes, { part: 0, type: "u16", shape: [1000], scale: 1, offset: -500 }, "dB");
  assert.ok(high > -60 && low === high - 100, `${low} ${high}`);
});

test("numbers_have_units_and_a_true_minus", () => {
  assert.equal(format(-73.25, "dB"), "\u221273.3\u00a0dB");
  assert.equal(format(NaN, "dB"), "none");
  assert.equal(format(-Infinity, "dB"), "no power");
});
