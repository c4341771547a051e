// A town as large as those that people measure in.
import { mapOf, sceneOf, snapshotOf } from "./synthetic.mjs";
import { partList } from "./synthetic_parts.mjs";

/** A town of about so many triangles, with paths and cells to match: for measuring. */
export function town({ triangles = 38_936, paths = 20_000, cells = 70_000 } = {}) {
  const origin = [0, 0, 0];
  const list = partList();
  const side = Math.ceil(Math.sqrt(triangles / 10));
  const boxes = [];
  for (let i = 0; i < side * side; i++) {
    const [x, y] = [(i % side) * 18, Math.floor(i / side) * 18];
    boxes.push([x, y, x + 12, y + 11, 8 + ((i * 7) % 13), 1 + (i % 2)]);
  }
  const size = side * 18;
  const extent = [-10, -10, size, size];
  const centre = size / 2;
  const txs = [
    [centre, centre, 25],
    [centre + 200, centre - 100, 25],
  ];
  const rxs = Array.from({ length: 400 }, (_, i) => [
    centre - 250 + (i % 20) * 25,
    centre - 250 + Math.floor(i / 20) * 25,
    1.5,
  ]);
  const perLink = Math.round(paths / (txs.length * rxs.length));
  const across = Math.round(Math.sqrt(cells));
  const isInside = (x, y, z) => x % 18 < 12 && y % 18 < 11 && z < 8;
  const manifest = {
    format: "keller view",
    version: 1,
    title: "town",
    program: "keller 0.0.0",
    origin,
    bounds: [
      [-10, -10, 0],
      [size, size, 25],
    ],
    scene: {
      source: "town.ply",
      materials: [
        { name: "ground", colour: [0.62, 0.62, 0.58], about: "" },
        { name: "concrete", colour: [0.78, 0.75, 0.7], about: "" },
        { name: "brick", colour: [0.7, 0.45, 0.38], about: "" },
        { name: "roof", colour: [0.55, 0.36, 0.3], about: "" },
      ],
      ...sceneOf(list, origin, boxes, extent),
      floors: [],
      clutter: [],
    },
    snapshots: [snapshotOf(list, origin, "", txs, rxs, () => perLink)],
    maps: [mapOf(list, [centre - 300, centre - 300], 600 / across, across, across, [1.5], txs, isInside)],
    surfaces: [],
    measured: [],
  };
  manifest.parts = list.sizes;
  return { manifest, packed: list.packed };
}
