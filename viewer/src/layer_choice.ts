/** What maps, surfaces and measurements share: a layer chosen by quantity and Tx, and a range of colours for it. */

import type { ColourMapName } from "./colours";
import type { ArrayRef } from "./format";
import { valueOfCode } from "./parts";
import type { ColourChoice } from "./state";

interface Layer {
  key: string;
  label: string;
  unit: string;
  tx?: number;
  range: [number, number];
}

/** The chosen layer; the first that comes near the choice if there is no such layer. */
export function chosenLayer<L extends Layer>(layers: readonly L[], choice: ColourChoice): L | undefined {
  const same = layers.filter((layer) => layer.key === choice.key.get());
  const tx = choice.tx.get();
  return same.find((layer) => (layer.tx ?? null) === tx) ?? same[0] ?? layers[0];
}

/** What is shown first: where there are several Tx, what they do together. */
export function firstKey(layers: readonly Layer[], numTx: number): string {
  const together = numTx > 1 ? ["best_server", "received_power_dbm", "total_power_dbm"] : [];
  const found = together.find((key) => layers.some((layer) => layer.key === key));
  return found ?? layers[0]?.key ?? "";
}

/** The quantities among layers, each once. */
export function quantities<L extends Layer>(layers: readonly L[]): L[] {
  return layers.filter((layer, i) => layers.findIndex((other) => other.key === layer.key) === i);
}

/** The scale of the palette that suits a quantity. */
export function defaultColours(layer: { key: string; unit: string; kind?: string }): ColourMapName {
  const { key, unit, kind } = layer;
  if (kind === "server") return "servers";
  if (kind === "residual" || /difference|residual|^error/.test(key)) return "difference";
  if (/sinr|snr/.test(key)) return "sinr";
  if (!unit.startsWith("dB") || key.startsWith("k_factor")) return "delay";
  return key.includes("loss") ? "gain reversed" : "gain";
}

/** What is weaker than the strongest by more than this has the darkest colour at first, dB. */
const WIDEST_DB = 100;

/** Nearly all values, without the few at the ends that would take most of the colours. */
export function usualRange(codes: Uint16Array, ref: ArrayRef, unit: string): [number, number] | null {
  const histogram = new Uint32Array(65_536);
  let total = 0;
  for (const code of codes) {
    if (code < 2) continue;
    histogram[code] = (histogram[code] as number) + 1;
    total++;
  }
  if (total === 0) return null;
  const quantile = (share: number): number => {
    let seen = 0;
    for (let code = 2; code < 65_536; code++) {
      seen += histogram[code] as number;
      if (seen >= share * total) return valueOfCode(code, ref);
    }
    return valueOfCode(65_535, ref);
  };
  const high = quantile(0.995);
  const low = Math.max(quantile(0.02), unit.startsWith("dB") ? high - WIDEST_DB : -Infinity);
  return high > low ? [Number(low.toPrecision(4)), Number(high.toPrecision(4))] : null;
}
