/** How long the scale bar is. */

/** The longest 1, 2 or 5 times a power of ten metres that fits into so many pixels. */
export function scaleBarLength(metresPerPixel: number, pixels: number): { length: number; text: string } {
  const room = metresPerPixel * pixels;
  const power = 10 ** Math.floor(Math.log10(room) + 1e-9);
  const length = ([5, 2, 1].find((factor) => factor * power <= room * (1 + 1e-9)) ?? 1) * power;
  return { length, text: lengthText(length) };
}

function lengthText(length: number): string {
  const [value, unit] =
    length >= 1000
      ? [length / 1000, "km"]
      : length >= 1
        ? [length, "m"]
        : length >= 0.01
          ? [length * 100, "cm"]
          : [length * 1000, "mm"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}
