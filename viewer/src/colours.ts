/** Colours of values, all of them readable without full colour vision. They come from the palette of the program. */

import palette from "../../crates/keller-io/src/reports/palette.json";

export type Rgb = readonly [number, number, number];

/** Scales of the palette; of losses the reverse, so that strong stays bright; and colours of servers. */
export type ColourMapName = keyof typeof palette.scales | "gain reversed" | "servers";

/** Evenly spaced anchors of the scales; between them colours are interpolated. */
const ANCHORS: Record<Exclude<ColourMapName, "servers">, readonly Rgb[]> = {
  gain: palette.scales.gain.map(parse),
  "gain reversed": palette.scales.gain.map(parse).reverse(),
  sinr: palette.scales.sinr.map(parse),
  delay: palette.scales.delay.map(parse),
  difference: palette.scales.difference.map(parse),
};

/** Neighbours differ for all kinds of colour vision. */
export const SERVER_COLOURS: readonly Rgb[] = palette.servers.map(parse);

/** Of cells that no power reaches. */
export const NOTHING = parse(palette.nothing);
/** Of cells in buildings. */
export const BUILDING = parse(palette.building);

/** What values from low to high may be drawn with. */
export const SEQUENTIAL: readonly ColourMapName[] = ["gain", "gain reversed", "sinr", "delay"];

/** 256 colours as RGBA bytes; for servers, colour `i` is that of server `i`. */
export function colourTable(name: ColourMapName): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) {
    const [r, g, b] = name === "servers" ? serverColour(i) : interpolate(ANCHORS[name], i / 255);
    table.set([r, g, b, 255], i * 4);
  }
  return table;
}

export function serverColour(index: number): Rgb {
  return SERVER_COLOURS[index % SERVER_COLOURS.length] as Rgb;
}

/** Writes the colour of a place between 0 and 1 of a table to `out`. */
export function lookUp(table: Uint8Array, place: number, out: Uint8Array, at: number): void {
  const index = Math.min(255, Math.max(0, Math.round(place * 255))) * 4;
  out[at] = table[index] as number;
  out[at + 1] = table[index + 1] as number;
  out[at + 2] = table[index + 2] as number;
}

export function css([r, g, b]: Rgb): string {
  return `rgb(${Math.round(r)},${Math.round(g)},${Math.round(b)})`;
}

function interpolate(anchors: readonly Rgb[], place: number): Rgb {
  const at = place * (anchors.length - 1);
  const index = Math.min(anchors.length - 2, Math.floor(at));
  const part = at - index;
  const [low, high] = [anchors[index] as Rgb, anchors[index + 1] as Rgb];
  const mix = (a: number, b: number): number => Math.round(a + (b - a) * part);
  return [mix(low[0], high[0]), mix(low[1], high[1]), mix(low[2], high[2])];
}

function parse(hex: string): Rgb {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as unknown as Rgb;
}
