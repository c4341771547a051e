/** Units as people read them: files have seconds and radians, the page has nanoseconds and degrees. */

import type { ArrayRef, View } from "./format";

const PLAIN: Record<string, { unit: string; factor: number }> = {
  s: { unit: "ns", factor: 1e9 },
  rad: { unit: "°", factor: 180 / Math.PI },
};

export function plainUnit(unit: string): { unit: string; factor: number } {
  return PLAIN[unit] ?? { unit, factor: 1 };
}

/** Values of a column in the unit that is shown. */
export function inPlainUnit(values: Float32Array<ArrayBuffer>, unit: string): Float32Array<ArrayBuffer> {
  const { factor } = plainUnit(unit);
  return factor === 1 ? values : values.map((value) => value * factor);
}

/** Layers in units that are shown: their codes stay, what these stand for changes. */
export function usePlainUnits(view: View): void {
  const refs = new Set<ArrayRef>();
  for (const layer of [...view.maps, ...view.surfaces].flatMap((one) => [...one.layers])) {
    const { unit, factor } = plainUnit(layer.unit);
    if (factor === 1) continue;
    layer.unit = unit;
    layer.range = [layer.range[0] * factor, layer.range[1] * factor];
    for (const ref of "slices" in layer ? layer.slices : [layer.values]) {
      if (refs.has(ref)) continue;
      refs.add(ref);
      ref.scale = (ref.scale ?? 1) * factor;
      ref.offset = (ref.offset ?? 0) * factor;
    }
  }
}
