/** Controls that maps, surfaces and measured points share. */

import { SEQUENTIAL, type ColourMapName } from "../colours";
import { quantities } from "../layer_choice";
import type { ColourChoice } from "../state";
import { capital } from "../scale";
import { watchAll } from "../signal";
import { el, numberField, select, signalSlider, slider } from "./controls";

interface Layer {
  key: string;
  label: string;
  unit: string;
  tx?: number;
  range: [number, number];
  kind?: string;
}

/** Chooses the quantity and, where layers are of single Tx, the Tx. */
export function layerControls(
  choice: ColourChoice,
  layers: () => readonly Layer[],
  tx: () => readonly string[],
): HTMLElement[] {
  const quantity = select<string>("Quantity", (key) => choice.key.set(key));
  const of = select<number | null>("Tx", (index) => choice.tx.set(index));
  const show = (): void => {
    const all = layers();
    quantity.setOptions(
      quantities(all).map((layer) => [layer.key, capital(layer.label)] as const),
      choice.key.get(),
    );
    const same = all.filter((layer) => layer.key === choice.key.get());
    const options = same.map((layer) => {
      const index = layer.tx ?? null;
      return [index, index === null ? "All together" : (tx()[index] ?? `Tx ${index}`)] as const;
    });
    if (!options.some(([index]) => index === choice.tx.get()) && options[0]) choice.tx.set(options[0][0]);
    of.setOptions(options, choice.tx.get());
    of.element.hidden = options.length < 2;
  };
  watchAll([choice.index, choice.key, choice.tx], show);
  show();
  return [quantity.element, of.element];
}

/** Threshold, range, colours and opacity. */
export function colourControls(
  choice: ColourChoice,
  layer: () => Layer | undefined,
  withOpacity: boolean,
): HTMLElement[] {
  const reach = (): [number, number] => layer()?.range ?? [0, 1];
  const threshold = slider({
    title: "Hide values below",
    min: 0,
    max: 1,
    step: 0.1,
    get: () => choice.threshold.get() ?? Math.floor(reach()[0]),
    set: (value) => choice.threshold.set(value <= Math.floor(reach()[0]) ? null : value),
    watch: (show) => choice.threshold.watch(show),
  });
  const low = numberField(
    "Lowest colour",
    () => choice.range.get()[0],
    (value) => choice.range.set([value, choice.range.get()[1]]),
  );
  const high = numberField(
    "Highest colour",
    () => choice.range.get()[1],
    (value) => choice.range.set([choice.range.get()[0], value]),
  );
  const range = el("div", "row", [
    el("span", "caption", ["Colours from"]),
    low.element,
    el("span", "caption", ["to"]),
    high.element,
  ]);
  const colours = select<ColourMapName>("Colour map", (name) => choice.colours.set(name));
  const show = (): void => {
    const now = layer();
    const [first, last] = reach();
    const [from, to] = [Math.floor(first), Math.ceil(last)];
    threshold.setRange(from, Math.max(to, from + 1), niceSliderStep(to - from));
    low.show();
    high.show();
    const names = now?.kind === "server" ? (["servers"] as const) : ([...SEQUENTIAL, "difference"] as const);
    colours.setOptions(
      names.map((name) => [name, name === "sinr" ? "SINR" : capital(name)] as const),
      choice.colours.get(),
    );
    for (const element of [threshold.element, range, colours.element]) element.hidden = now?.kind === "server";
  };
  watchAll([choice.index, choice.key, choice.tx, choice.range, choice.colours], show);
  show();
  const opacity = withOpacity ? [signalSlider("Opacity of values", choice.opacity, 0.05, 1, 0.05)] : [];
  return [threshold.element, range, colours.element, ...opacity];
}

function niceSliderStep(span: number): number {
  return span > 500 ? 1 : span > 20 ? 0.5 : 0.05;
}
