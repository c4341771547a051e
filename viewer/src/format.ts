/**
 * What a view holds, as `keller view` writes it (`crates/keller-io/src/reports/view/`).
 *
 * The manifest is JSON; arrays lie in numbered parts beside it: gzip of little-endian numbers. In a page of its own the
 * manifest is the element `#view`, and part `n` is the base64 text of the element `#part-n`. From `keller view --serve`
 * the page has only the manifest, and part `n` is `part/n` beside the page, still compressed.
 *
 * Coordinates in the manifest are metres of the scene: x east, y north, z up. Coordinates in parts are float32 and
 * relative to `origin`.
 */

/** The version of the format that this viewer reads. */
export const VERSION = 1;

/** Numbers in a part. */
export interface ArrayRef {
  part: number;
  type: "f32" | "u32" | "u16" | "u8";
  shape: number[];
  /**
   * Of `u16` alone: the codes stand for values. Code 0 is no value (where no receiver can be, or nothing is defined), 1 is
   * minus infinity (where no path leads), and any other code c is `offset + scale * (c - 2)`.
   */
  scale?: number;
  offset?: number;
}

export type Point = [number, number, number];

export interface View {
  format: "keller view";
  version: number;
  /** What the page is called: names of files. Text of strangers, as all names below: never markup. */
  title: string;
  /** The program and its version. */
  program: string;
  /** What coordinates in parts are relative to. */
  origin: Point;
  /** The lowest and the highest corner of all that is shown. */
  bounds: [Point, Point];
  /** Where on earth the scene lies, if that is known. */
  earth?: Earth;
  /** The uncompressed size of each part in bytes. */
  parts: number[];
  scene?: Scene;
  /** Never empty; several where devices move or several runs are compared. */
  snapshots: Snapshot[];
  maps: CellMap[];
  surfaces: Surfaces[];
  measured: Measured[];
}

/** Longitudes and latitudes (degrees, WGS 84) on an even grid of the plane, rows from south to north. */
export interface Earth {
  crs: string;
  /** First and last column and row, metres of the scene. */
  x: [number, number];
  y: [number, number];
  longitude: number[][];
  latitude: number[][];
}

export interface Scene {
  source: string;
  materials: Material[];
  /** f32 `[vertices, 3]` */
  positions: ArrayRef;
  /** u32 `[triangles, 3]` */
  triangles: ArrayRef;
  /** u16 `[triangles]`, index of the material */
  material: ArrayRef;
  /** u32 `[triangles]`, id of the face, as `objects` of tables have it */
  face: ArrayRef;
  /** u8 `[triangles]`: 0 anything else, 1 ground, 2 roof (or the ceiling of a top floor) */
  kind: ArrayRef;
  /** Heights of floors of buildings, metres, ascending; empty if they are not known. */
  floors: number[];
  /** Volumes that waves cross with loss, such as trees. */
  clutter: Clutter[];
}

export interface Material {
  name: string;
  /** sRGB, 0 to 1 */
  colour: [number, number, number];
  /** What it is made of, for people; may be empty. */
  about: string;
}

export interface Clutter {
  name: string;
  /** f32 `[vertices, 3]`, of a closed surface */
  positions: ArrayRef;
  /** u32 `[triangles, 3]` */
  triangles: ArrayRef;
}

export interface Snapshot {
  label: string;
  tx: Tx[];
  rx: Receivers;
  paths?: Paths;
  /** Quantities of links. */
  links?: Links;
}

export interface Tx {
  name: string;
  at: Point;
  power_dbm: number;
  /** Where its antenna points, if it has a direction: degrees from +x towards +y, and degrees below the horizon. */
  direction_deg?: [number, number];
}

export interface Receivers {
  count: number;
  /** f32 `[count, 3]` */
  positions: ArrayRef;
  /** Absent where all are called by their index. */
  names?: string[];
}

/** Paths, sorted by Tx, Rx and length. */
export interface Paths {
  source: string;
  count: number;
  /** u32 `[count]` */
  tx: ArrayRef;
  /** u32 `[count]` */
  rx: ArrayRef;
  /** f32 `[count]`, dB, with antennas; minus infinity without power */
  gain_db: ArrayRef;
  /** f32 `[count]`, s */
  delay_s: ArrayRef;
  /** f32 `[count]`, m */
  length_m: ArrayRef;
  /** f32 `[count, 4]`, rad: zenith and azimuth of departure, zenith and azimuth of arrival */
  angles: ArrayRef;
  /** The kinds of paths that occur: "LOS", or a letter from Tx to Rx for each interaction (R, D, T, S). */
  types: string[];
  /** u16 `[count]`, index into `types` */
  type: ArrayRef;
  /** u32 `[count + 1]`, where the points of each path begin */
  starts: ArrayRef;
  /** f32 `[points, 3]`, the interaction points of all paths, without the ends */
  points: ArrayRef;
  /** i32 as u32 `[points]`, the face (or the edge of a diffraction) of each point */
  objects: ArrayRef;
}

/** Quantities of every link of a Tx and an Rx. */
export interface Links {
  source: string;
  columns: LinkColumn[];
}

export interface LinkColumn {
  key: string;
  label: string;
  unit: string;
  /** f32 `[num_tx, num_rx]`, NaN where undefined */
  values: ArrayRef;
}

/** A coverage of cells in a plane, in several planes, or in a volume. */
export interface CellMap {
  source: string;
  /** The centre of the first cell, and the steps to the next cell along both axes, metres of the scene. */
  first: [number, number];
  dx: [number, number];
  dy: [number, number];
  nx: number;
  ny: number;
  /** Ascending, metres: z of the scene, or above the ground. */
  heights: number[];
  /** f32 `[ny, nx]`: z of the ground (metres of the scene), if heights are above it. */
  ground?: ArrayRef;
  /** Path loss beyond which gains count as no power, dB, if there is such a limit. */
  limit_db?: number;
  tx: string[];
  layers: CellLayer[];
}

export interface CellLayer {
  key: string;
  label: string;
  unit: string;
  /** `server`: indices of Tx. */
  kind: "number" | "server";
  /** The Tx that it is of; absent where it is of all together. */
  tx?: number;
  /** Smallest and largest finite value. */
  range: [number, number];
  /** u16 `[ny, nx]` for each height, x running fastest */
  slices: ArrayRef[];
}

/** A coverage of walls, roofs and ground. */
export interface Surfaces {
  source: string;
  count: number;
  /** f32 `[vertices, 3]` */
  positions: ArrayRef;
  /** u32 `[triangles, 3]`, counter-clockwise as seen from the front of the tile */
  triangles: ArrayRef;
  /** u32 `[triangles]` */
  tile: ArrayRef;
  tx: string[];
  layers: SurfaceLayer[];
}

export interface SurfaceLayer {
  key: string;
  label: string;
  unit: string;
  tx?: number;
  range: [number, number];
  /** u16 `[count, 2]`, front and back of each tile */
  values: ArrayRef;
}

/** Measured points beside predictions, or any table with places. */
export interface Measured {
  source: string;
  count: number;
  /** f32 `[count, 3]` */
  positions: ArrayRef;
  names?: string[];
  columns: MeasuredColumn[];
}

export interface MeasuredColumn {
  key: string;
  label: string;
  unit: string;
  /** `residual`: around zero, so its colours diverge. */
  kind: "number" | "residual";
  /** f32 `[count]` */
  values: ArrayRef;
}
