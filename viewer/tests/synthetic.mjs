// Makes pages without the program: a small street with everything that a view may hold.
import { partList, quantise } from "./synthetic_parts.mjs";

export const HOSTILE = '<img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>';

/** Boxes and ground as triangles. */
export function sceneOf(list, origin, boxes, extent) {
  const [positions, triangles, material, face, kind] = [[], [], [], [], []];
  const quad = (corners, materialIndex, kindIndex) => {
    const first = positions.length / 3;
    for (const corner of corners) positions.push(corner[0] - origin[0], corner[1] - origin[1], corner[2] - origin[2]);
    triangles.push(first, first + 1, first + 2, first, first + 2, first + 3);
    for (let i = 0; i < 2; i++) {
      material.push(materialIndex);
      kind.push(kindIndex);
      face.push(face.length >> 1);
    }
  };
  const [x0, y0, x1, y1] = extent;
  quad(
    [
      [x0, y0, 0],
      [x1, y0, 0],
      [x1, y1, 0],
      [x0, y1, 0],
    ],
    0,
    1,
  );
  for (const [a, b, c, d, height, wall] of boxes) {
    quad(
      [
        [a, b, 0],
        [c, b, 0],
        [c, b, height],
        [a, b, height],
      ],
      wall,
      0,
    );
    quad(
      [
        [c, b, 0],
        [c, d, 0],
        [c, d, height],
        [c, b, height],
      ],
      wall,
      0,
    );
    quad(
      [
        [c, d, 0],
        [a, d, 0],
        [a, d, height],
        [c, d, height],
      ],
      wall,
      0,
    );
    quad(
      [
        [a, d, 0],
        [a, b, 0],
        [a, b, height],
        [a, d, height],
      ],
      wall,
      0,
    );
    quad(
      [
        [a, b, height],
        [c, b, height],
        [c, d, height],
        [a, d, height],
      ],
      3,
      2,
    );
  }
  return {
    positions: list.add("f32", [positions.length / 3, 3], positions),
    triangles: list.add("u32", [triangles.length / 3, 3], triangles),
    material: list.add("u16", [material.length], material),
    face: list.add("u32", [face.length], face),
    kind: list.add("u8", [kind.length], kind),
  };
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Paths with made-up interaction points on the walls of the street. */
function pathsOf(list, origin, txs, rxs, perLink) {
  const types = ["LOS", "R", "RR", "D", "RT"];
  const rows = {
    tx: [],
    rx: [],
    gain: [],
    delay: [],
    length: [],
    angles: [],
    type: [],
    starts: [0],
    points: [],
    objects: [],
  };
  txs.forEach((tx, t) => {
    rxs.forEach((rx, r) => {
      for (let k = 0; k < perLink(t, r); k++) {
        const type = k % types.length;
        const depth = types[type] === "LOS" ? 0 : types[type].length;
        const points = Array.from({ length: depth }, (_, i) => {
          const share = (i + 1) / (depth + 1);
          const side = (i + k) % 2 ? 8 : -8;
          return [tx[0] + (rx[0] - tx[0]) * share, origin[1] + side, tx[2] + (rx[2] - tx[2]) * share];
        });
        const corners = [tx, ...points, rx];
        const length = corners.slice(1).reduce((sum, corner, i) => sum + distance(corner, corners[i]), 0);
        const angle = (from, to) => [
          Math.acos((to[2] - from[2]) / (distance(from, to) || 1)),
          Math.atan2(to[1] - from[1], to[0] - from[0]),
        ];
        rows.tx.push(t);
        rows.rx.push(r);
        rows.gain.push(-40 - 20 * Math.log10(length) - 6 * depth - k);
        rows.delay.push(length / 299_792_458);
        rows.length.push(length);
        rows.angles.push(...angle(tx, corners[1]), ...angle(rx, corners[corners.length - 2]));
        rows.type.push(type);
        for (const point of points) rows.points.push(point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]);
        for (let i = 0; i < depth; i++) rows.objects.push(i);
        rows.starts.push(rows.points.length / 3);
      }
    });
  });
  const count = rows.tx.length;
  const points = rows.points.length / 3;
  return {
    source: "paths.csv",
    count,
    tx: list.add("u32", [count], rows.tx),
    rx: list.add("u32", [count], rows.rx),
    gain_db: list.add("f32", [count], rows.gain),
    delay_s: list.add("f32", [count], rows.delay),
    length_m: list.add("f32", [count], rows.length),
    angles: list.add("f32", [count, 4], rows.angles),
    types,
    type: list.add("u16", [count], rows.type),
    starts: list.add("u32", [count + 1], rows.starts),
    points: list.add("f32", [points, 3], rows.points),
    objects: list.add("u32", [points], rows.objects),
  };
}

export function snapshotOf(list, origin, label, txs, rxs, perLink) {
  const flat = rxs.flatMap((rx) => rx.map((value, axis) => value - origin[axis]));
  const gains = txs.flatMap((tx) => rxs.map((rx, i) => (i === 3 ? NaN : -40 - 20 * Math.log10(distance(tx, rx)))));
  const spread = gains.map((gain) => Math.abs(gain) * 1.3);
  return {
    label,
    tx: txs.map((at, i) => ({ name: i === 1 ? HOSTILE : "Mast", at, power_dbm: 30 })),
    rx: {
      count: rxs.length,
      positions: list.add("f32", [rxs.length, 3], flat),
      names: rxs.map((_, i) => (i === 5 ? HOSTILE : `Rx ${i}`)),
    },
    paths: pathsOf(list, origin, txs, rxs, perLink),
    links: {
      source: "links.csv",
      columns: [
        {
          key: "path_gain_db",
          label: "Path gain",
          unit: "dB",
          values: list.add("f32", [txs.length, rxs.length], gains),
        },
        {
          key: "delay_spread_ns",
          label: "Delay spread",
          unit: "ns",
          values: list.add("f32", [txs.length, rxs.length], spread),
        },
      ],
    },
  };
}

export function mapOf(list, first, step, nx, ny, heights, txs, isInside) {
  const layers = txs.map((tx, t) => {
    let range = [0, -1e9];
    const slices = heights.map((z) => {
      const values = [];
      for (let j = 0; j < ny; j++) {
        for (let i = 0; i < nx; i++) {
          const [x, y] = [first[0] + i * step, first[1] + j * step];
          if (isInside(x, y, z)) values.push(NaN);
          else if (x > first[0] + nx * step * 0.85 && y > 4) values.push(-Infinity);
          else values.push(-40 - 20 * Math.log10(Math.max(1, distance(tx, [x, y, z]))));
        }
      }
      const { ref, range: own } = quantise(list, [ny, nx], values);
      range = [Math.min(range[0], own[0]), Math.max(range[1], own[1])];
      return ref;
    });
    return { key: "path_gain_db", label: "Path gain", unit: "dB", kind: "number", tx: t, range, slices };
  });
  const servers = heights.map((z) => {
    const codes = [];
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const at = [first[0] + i * step, first[1] + j * step, z];
        codes.push(isInside(...at) ? 0 : distance(txs[0], at) < distance(txs[1] ?? txs[0], at) ? 2 : 3);
      }
    }
    return list.add("u16", [ny, nx], codes, { scale: 1, offset: 0 });
  });
  layers.push({ key: "best_server", label: "Best server", unit: "", kind: "server", range: [0, 1], slices: servers });
  return { source: "map.npz", first, dx: [step, 0], dy: [0, step], nx, ny, heights, tx: ["Mast", HOSTILE], layers };
}

function surfacesOf(list, origin, box, txs) {
  const [positions, triangles, tile, values] = [[], [], [], []];
  const [a, b, , , height] = [box[0], box[1], box[2], box[3], box[4]];
  const step = 2;
  for (let x = a; x < box[2]; x += step) {
    for (let z = 0; z < height; z += step) {
      const first = positions.length / 3;
      for (const [u, w] of [
        [x, z],
        [x + step, z],
        [x + step, z + step],
        [x, z + step],
      ])
        positions.push(u - origin[0], b - origin[1], w - origin[2]);
      const index = tile.length / 2;
      triangles.push(first, first + 1, first + 2, first, first + 2, first + 3);
      tile.push(index, index);
      values.push(-20 * Math.log10(distance(txs[0], [x, b, z])), index % 5 === 0 ? -Infinity : NaN);
    }
  }
  const count = tile.length / 2;
  const { ref, range } = quantise(list, [count, 2], values);
  return {
    source: "surfaces.npz",
    count,
    positions: list.add("f32", [positions.length / 3, 3], positions),
    triangles: list.add("u32", [triangles.length / 3, 3], triangles),
    tile: list.add("u32", [tile.length], tile),
    tx: ["Mast"],
    layers: [{ key: "incident_power_db", label: "Incident power", unit: "dBm", tx: 0, range, values: ref }],
  };
}

/** A street between two rows of houses. */
export function street() {
  const origin = [1000, 2000, 0];
  const list = partList();
  const at = (x, y, z) => [origin[0] + x, origin[1] + y, z];
  const local = [
    [-40, 8, -15, 20, 12, 1],
    [-10, 8, 12, 22, 9, 2],
    [18, 8, 40, 20, 15, 1],
    [-40, -22, -8, -8, 10, 2],
    [0, -20, 40, -8, 13, 1],
  ];
  const boxes = local.map(([a, b, c, d, height, wall]) => [
    origin[0] + a,
    origin[1] + b,
    origin[0] + c,
    origin[1] + d,
    height,
    wall,
  ]);
  const isInside = (x, y, z) => boxes.some(([a, b, c, d, height]) => x > a && x < c && y > b && y < d && z < height);
  const txs = [at(-35, 0, 14), at(36, 3, 10)];
  const rxs = Array.from({ length: 30 }, (_, i) => at(-30 + 2.2 * i, i % 2 ? 2.5 : -2.5, 1.5));
  const perLink = (t, r) => (r === 7 ? 0 : 2 + ((t + r) % 4));
  const offset = (list_) => list_.map(([x, y, z]) => [x + 3, y, z]);
  const extent = [origin[0] - 50, origin[1] - 30, origin[0] + 50, origin[1] + 30];
  const scene = sceneOf(list, origin, boxes, extent);
  const clutter = sceneOf(
    list,
    origin,
    [[origin[0] - 6, origin[1] + 2, origin[0] - 2, origin[1] + 6, 5, 0]],
    [origin[0] - 6, origin[1] + 2, origin[0] - 2, origin[1] + 6],
  );
  const measuredAt = rxs.slice(0, 12).flatMap(([x, y]) => [x - origin[0], y - origin[1] + 1.2, 1.5]);
  const grid = (f) => [0, 1, 2].map((j) => [0, 1, 2].map((i) => f(i / 2, j / 2)));
  const manifest = {
    format: "keller view",
    version: 1,
    title: `street ${HOSTILE}`,
    program: "keller 0.0.0",
    origin,
    bounds: [
      [extent[0], extent[1], 0],
      [extent[2], extent[3], 15],
    ],
    earth: {
      crs: "EPSG:25832",
      x: [extent[0], extent[2]],
      y: [extent[1], extent[3]],
      longitude: grid((u) => 11.57 + 0.001 * u),
      latitude: grid((_, v) => 48.14 + 0.001 * v),
    },
    scene: {
      source: "street.ply",
      materials: [
        { name: "ground", colour: [0.62, 0.62, 0.58], about: "εr 15" },
        { name: HOSTILE, colour: [0.8, 0.72, 0.6], about: HOSTILE },
        { name: "brick", colour: [0.7, 0.45, 0.38], about: "εr 3.9" },
        { name: "roof", colour: [0.55, 0.3, 0.25], about: "" },
      ],
      ...scene,
      floors: [0, 3, 6],
      clutter: [{ name: HOSTILE, positions: clutter.positions, triangles: clutter.triangles }],
    },
    snapshots: [
      snapshotOf(list, origin, "0 s", txs, rxs, perLink),
      snapshotOf(list, origin, HOSTILE, offset(txs), rxs, (t, r) => perLink(t, r) + 1),
    ],
    maps: [mapOf(list, [extent[0] + 0.5, extent[1] + 0.5], 1, 100, 60, [1.5, 6, 11], txs, isInside)],
    surfaces: [surfacesOf(list, origin, boxes[4], txs)],
    measured: [
      {
        source: HOSTILE,
        count: 12,
        positions: list.add("f32", [12, 3], measuredAt),
        names: Array.from({ length: 12 }, (_, i) => (i === 2 ? HOSTILE : `Point ${i}`)),
        columns: [
          {
            key: "measured_db",
            label: HOSTILE,
            unit: "dB",
            kind: "number",
            values: list.add(
              "f32",
              [12],
              Array.from({ length: 12 }, (_, i) => -70 - i),
            ),
          },
          {
            key: "residual_db",
            label: "Residual",
            unit: "dB",
            kind: "residual",
            values: list.add(
              "f32",
              [12],
              Array.from({ length: 12 }, (_, i) => i - 5),
            ),
          },
        ],
      },
    ],
  };
  manifest.parts = list.sizes;
  return { manifest, packed: list.packed };
}
