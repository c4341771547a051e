/** Colour maps, all of them readable without full colour vision. */

export type Rgb = readonly [number, number, number];

export type ColourMapName = "viridis" | "cividis" | "plasma" | "diverging" | "servers";

/** Evenly spaced anchors of the colour maps, sRGB; between them colours are interpolated. */
const ANCHORS: Record<Exclude<ColourMapName, "servers">, readonly string[]> = {
  viridis: [
    "440154",
    "481a6c",
    "472f7d",
    "414487",
    "39568c",
    "31688e",
    "2a788e",
    "23888e",
    "1f988b",
    "22a884",
    "35b779",
    "54c568",
    "7ad151",
    "a5db36",
    "d2e21b",
    "fde725",
  ],
  cividis: [
    "00224e",
    "002f6b",
    "1d3b6d",
    "35456c",
    "47506c",
    "575c6d",
    "666970",
    "757575",
    "848279",
    "958f78",
    "a69d75",
    "b8ab6f",
    "cbba69",
    "dec95f",
    "f2da50",
    "fee838",
  ],
  plasma: [
    "0d0887",
    "330597",
    "5002a2",
    "6a00a8",
    "8405a7",
    "9c179e",
    "b12a90",
    "c33d80",
    "d35171",
    "e16462",
    "ed7953",
    "f68d45",
    "fca636",
    "fdc328",
    "f9dd24",
    "f0f921",
  ],
  // Blue to red through light grey, after ColorBrewer's RdBu.
  diverging: [
    "053061",
    "2166ac",
    "4393c3",
    "92c5de",
    "d1e5f0",
    "f4f4f2",
    "fddbc7",
    "f4a582",
    "d6604d",
    "b2182b",
    "67001f",
  ],
};

/** Tol's muted and bright colours after those of Okabe and Ito: neighbours differ for all kinds of colour vision. */
export const SERVER_COLOURS: readonly Rgb[] = [
  "0072b2",
  "e69f00",
  "009e73",
  "cc79a7",
  "56b4e9",
  "d55e00",
  "f0e442",
  "332288",
  "88ccee",
  "117733",
  "aa4499",
  "ddcc77",
  "882255",
  "44aa99",
  "999933",
  "cc6677",
].map(parse);

export const SEQUENTIAL: readonly ColourMapName[] = ["viridis", "cividis", "plasma"];

/** 256 colours as RGBA bytes; for servers, colour `i` is that of server `i`. */
export function colourTable(name: ColourMapName): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) {
    const [r, g, b] = name === "servers" ? serverColour(i) : interpolate(ANCHORS[name].map(parse), i / 255);
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
  return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)) as unknown as Rgb;
}
