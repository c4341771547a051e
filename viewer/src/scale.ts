/** How values become colours: a range, a colour map, and the ticks of the legend. */

import { colourTable, type ColourMapName, type Rgb } from "./colours";

export interface ColourScale {
  title: string;
  unit: string;
  low: number;
  high: number;
  map: ColourMapName;
  table: Uint8Array<ArrayBuffer>;
  /** Names of servers, where colours stand for them. */
  servers?: readonly string[];
  /** Whether there are values below `low`, which share its colour. */
  hasBelow?: boolean;
  /** What has no value but is in the picture, in words, with its colour. */
  greys?: readonly (readonly [string, Rgb])[];
}

export function colourScale(
  title: string,
  unit: string,
  range: readonly [number, number],
  map: ColourMapName,
): ColourScale {
  const low = Number.isFinite(range[0]) ? range[0] : 0;
  const high = Number.isFinite(range[1]) && range[1] > low ? range[1] : low + 1;
  return { title: capital(title), unit, low, high, map, table: colourTable(map) };
}

/** What the lowest colour stands for, of values that lie below the scale. */
export function belowWords(scale: ColourScale): string {
  return `colour \u2264 ${format(scale.low, scale.unit)}`;
}

/** Where a value lies between the ends of the scale. */
export function place(scale: ColourScale, value: number): number {
  return (value - scale.low) / (scale.high - scale.low);
}

/** Round numbers in a range, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const step = niceStep((high - low) / Math.max(1, count));
  const result: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
    result.push(Number((i * step).toPrecision(12)));
  return result;
}

/** The smallest 1, 2 or 5 times a power of ten that is at least `length`. */
export function niceStep(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= length * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** The smallest and the largest finite value; zero to one if there is none. */
export function finiteRange(values: ArrayLike<number>): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** A range of the same size on both sides of zero. */
export function symmetric([low, high]: readonly [number, number]): [number, number] {
  const reach = Math.max(Math.abs(low), Math.abs(high)) || 1;
  return [-reach, reach];
}

/** A number with as many digits as its unit deserves. */
export function format(value: number, unit = ""): string {
  if (Number.isNaN(value)) return "none";
  if (value === -Infinity) return "no power";
  const size = Math.abs(value);
  const digits = unit.startsWith("dB")
    ? 1
    : unit === "" && Number.isInteger(value)
      ? 0
      : size >= 1000
        ? 0
        : size >= 100
          ? 1
          : size >= 1
            ? 2
            : 3;
  const text = size !== 0 && (size < 1e-3 || size >= 1e7) ? value.toExponential(2) : value.toFixed(digits);
  const signed = text.replace("-", "\u2212");
  return unit ? `${signed}\u00a0${unit}` : signed;
}

/** Labels of columns begin small; titles and names of choices do not. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
