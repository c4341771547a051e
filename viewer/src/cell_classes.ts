/** What the cells of a slice that have no value are: without power, in a building, or no cells at all. */

import type { Vector3 } from "three";
import type { App } from "./app";
import type { CellGrid } from "./cell_grid";
import { BUILDING, NOTHING, type Rgb } from "./colours";
import type { CellLayer, CellMap } from "./format";

/** What is known of roofs. */
export interface Roofs {
  /** Whether there is a roof straight above a place. */
  isCovered(place: Vector3): boolean;
  /** Whether all Tx are below roofs, so that places without power below them are rooms and no closed buildings. */
  isIndoors: boolean;
}

/** Codes of cells to be drawn: 0 is a building and `ABSENT` no cell; 1 and the others stand for what they always do. */
export interface CellClasses {
  codes: Uint16Array<ArrayBuffer>;
  hasNoPower: boolean;
  hasBuildings: boolean;
}

const ABSENT = 65_535;
const MAX_TESTED = 400_000;

/** Classes of the cells of `layer`, whose codes at this height are `codes`. */
export async function classify(
  app: App,
  roofs: Roofs,
  grid: CellGrid,
  layer: CellLayer,
  height: number,
  codes: Uint16Array<ArrayBuffer>,
): Promise<CellClasses> {
  const { map } = grid;
  const result = { codes: new Uint16Array(codes), hasNoPower: false, hasBuildings: false };
  const gain = codes.includes(0) ? gainLayer(map, layer) : undefined;
  const gains = gain && (await app.parts.u16(gain.slices[height] ?? gain.slices[0]!));
  const empty = codes.reduce((sum, code) => sum + (code < 2 ? 1 : 0), 0);
  const isCovered = (cell: number): boolean =>
    empty <= MAX_TESTED &&
    roofs.isCovered(grid.at(cell % map.nx, Math.floor(cell / map.nx), map.heights[height] ?? 0));
  for (let cell = 0; cell < codes.length; cell++) {
    const code = codes[cell] as number;
    if (code === ABSENT) result.codes[cell] = ABSENT - 1;
    if (code > 1) continue;
    // Delays, angles and servers are undefined where no power is; gains where no receiver can be.
    const hasNoPower = code === 1 || (gains !== undefined && gains[cell] !== 0);
    if ((!hasNoPower || !roofs.isIndoors) && isCovered(cell)) {
      result.codes[cell] = 0;
      result.hasBuildings = true;
    } else {
      result.codes[cell] = hasNoPower ? 1 : ABSENT;
      result.hasNoPower ||= hasNoPower;
    }
  }
  return result;
}

/** What the greys of a slice are called. A limit turns what is weaker into no power. */
export function greysOf(
  map: CellMap,
  classes: CellClasses,
  withNothing: boolean,
  withBuildings: boolean,
): [string, Rgb][] {
  const greys: [string, Rgb][] = [];
  if (classes.hasNoPower && withNothing) greys.push([noPowerWords(map), NOTHING]);
  if (classes.hasBuildings && withBuildings) greys.push(["building", BUILDING]);
  return greys;
}

export function noPowerWords(map: CellMap): string {
  return map.limit_db === undefined ? "no power" : "below the limit";
}

/** A layer of gains or powers that has a value wherever a receiver may be: of the same Tx if there is one. */
function gainLayer(map: CellMap, layer: CellLayer): CellLayer | undefined {
  const isGain = ({ key, kind }: CellLayer): boolean => kind === "number" && /^(path_gain|received_power)/.test(key);
  if (isGain(layer)) return undefined;
  const all = map.layers.filter(isGain);
  return all.find(({ tx }) => tx === layer.tx) ?? all[0];
}
