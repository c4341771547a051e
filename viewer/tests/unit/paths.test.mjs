import assert from "node:assert/strict";
import test from "node:test";
import { groupTypes, interactions, kindOfType, visiblePaths } from "../../src/paths_filter";
import { toSegment } from "../../src/path_picking";
import { delayBins } from "../../src/plots/profile";
import { onPlot } from "../../src/plots/angles";

// Two links of three paths and one of one path.
const paths = {
  count: 7,
  types: ["LOS", "R", "RD"],
  tx: Uint32Array.of(0, 0, 0, 0, 0, 0, 1),
  rx: Uint32Array.of(0, 0, 0, 1, 1, 1, 0),
  gainDb: Float32Array.of(-60, -80, -70, -90, -Infinity, -65, -50),
  type: Uint16Array.of(0, 1, 2, 1, 2, 2, 0),
  starts: Uint32Array.of(0, 0, 1, 3, 4, 6, 8, 8),
};
const all = {
  tx: null,
  rx: null,
  hiddenTypes: new Set(),
  maxInteractions: Infinity,
  minGain: -Infinity,
  strongest: null,
};
const chosen = (filter) => [...visiblePaths(paths, { ...all, ...filter })];

test("without_filters_all_paths_are_there_strongest_first", () => {
  assert.deepEqual(chosen({}), [6, 0, 5, 2, 1, 3, 4]);
});

test("filters_choose_by_link_type_depth_and_gain", () => {
  assert.deepEqual(chosen({ tx: 1 }), [6]);
  assert.deepEqual(chosen({ rx: 1 }), [5, 3, 4]);
  assert.deepEqual(chosen({ hiddenTypes: new Set([2]) }), [6, 0, 1, 3]);
  assert.deepEqual(chosen({ maxInteractions: 0 }), [6, 0]);
  assert.deepEqual(chosen({ minGain: -70 }), [6, 0, 5, 2]);
});

test("strongest_counts_for_each_link_after_the_other_filters", () => {
  assert.deepEqual(chosen({ strongest: 1 }), [6, 0, 5]);
  assert.deepEqual(chosen({ strongest: 1, hiddenTypes: new Set([0]) }), [5, 2]);
});

test("interactions_and_kinds_come_from_points_and_letters", () => {
  assert.equal(interactions(paths, 2), 2);
  assert.deepEqual(["LOS", "RR", "RT", "RDT", "SR"].map(kindOfType), [0, 1, 2, 3, 4]);
});

test("types_are_grouped_by_kind_and_counted", () => {
  const groups = groupTypes(["LOS", "R", "RD", "RR", "DR"], Uint16Array.of(0, 3, 1, 3, 2, 4, 4, 4));
  assert.deepEqual(
    groups.map(({ kind, count, types }) => [kind, count, types.map(({ name }) => name).join(" ")]),
    [
      ["LOS", 1, "LOS"],
      ["Reflection", 3, "RR R"],
      ["Diffraction", 4, "DR RD"],
    ],
  );
});

test("bins_add_power", () => {
  const bins = delayBins([10, 12, 31, 40], [-60, -60, -80, -Infinity], 10);
  assert.deepEqual(
    bins.map((bin) => bin.start),
    [10, 30],
  );
  assert.ok(Math.abs(bins[0].powerDb - (-60 + 10 * Math.log10(2))) < 1e-9);
  assert.ok(Math.abs(bins[1].powerDb + 80) < 1e-9);
});

test("the_horizon_is_half_way_and_north_is_up", () => {
  const [x, y] = onPlot(Math.PI / 2, Math.PI / 2, 60);
  assert.ok(Math.abs(x) < 1e-9 && Math.abs(y + 30) < 1e-9);
});

test("distances_to_segments_end_at_their_ends", () => {
  assert.equal(toSegment(0, 3, -5, 0, 5, 0), 3);
  assert.equal(toSegment(8, 4, -5, 0, 5, 0), 5);
  assert.equal(toSegment(3, 4, 0, 0, 0, 0), 5);
});
