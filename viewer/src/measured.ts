/** Measured points, coloured by one of their columns. */

import type { App } from "./app";
import { coloured } from "./devices";
import type { Measured, MeasuredColumn } from "./format";
import { defaultColours } from "./layer_choice";
import { createMarkers, markSize, type Markers } from "./markers";
import { capital, colourScale, finiteRange, format, symmetric, type ColourScale } from "./scale";
import { signal, watchAll, type Signal } from "./signal";
import { inPlainUnit, plainUnit } from "./units";

const SIZE = 10;

export interface MeasuredPoints {
  markers: Markers;
  scale: Signal<ColourScale | null>;
  settled(): Promise<void>;
  /** Name and all values of a point. */
  describe(index: number): Promise<{ name: string; rows: [string, string][] }>;
}

export function addMeasured(app: App): MeasuredPoints {
  const { view, state, stage, parts } = app;
  const choice = state.measured;
  const markers = createMarkers(stage, "square", SIZE);
  const scale = signal<ColourScale | null>(null);
  let settled: Promise<void> = Promise.resolve();
  let placed: Measured | null = null;

  const valuesOf = async (of: MeasuredColumn): Promise<Float32Array<ArrayBuffer>> =>
    inPlainUnit(await parts.f32(of.values), of.unit);
  const chosen = (): Measured | undefined => view.measured[choice.index.get()];
  const column = (): MeasuredColumn | undefined => {
    const columns = chosen()?.columns ?? [];
    return columns.find((one) => one.key === choice.key.get()) ?? columns[0];
  };
  const update = async (): Promise<void> => {
    const now = chosen();
    markers.group.visible = now !== undefined && choice.shown.get();
    if (!now || !choice.shown.get()) {
      scale.set(null);
      stage.invalidate();
      return;
    }
    const positions = await parts.f32(now.positions);
    const of = column();
    const values = of ? await valuesOf(of) : new Float32Array(now.count);
    if (chosen() !== now || column() !== of) return;
    if (placed !== now) {
      markers.setPositions(positions);
      markers.setSize(markSize(now.count, SIZE));
    }
    placed = now;
    const next = colourScale(of?.label ?? "", plainUnit(of?.unit ?? "").unit, choice.range.get(), choice.colours.get());
    const bytes = coloured(values, next);
    const threshold = choice.threshold.get();
    if (threshold !== null) values.forEach((value, i) => (bytes[i * 4 + 3] = value >= threshold ? 255 : 0));
    markers.setColours(bytes);
    scale.set(of ? next : null);
    stage.invalidate();
  };
  const suit = async (): Promise<void> => {
    const of = column();
    if (!of) return;
    const range = finiteRange(await valuesOf(of));
    choice.threshold.set(null);
    choice.range.set(of.kind === "residual" ? symmetric(range) : range);
    choice.colours.set(defaultColours(of));
  };
  const start = (work: () => Promise<void>): void => {
    settled = work();
    app.attempt(settled);
  };
  watchAll([choice.index, choice.key], () => start(() => suit().then(update)));
  watchAll([choice.shown, choice.threshold, choice.range, choice.colours], () => start(update));
  choice.index.watch(() => choice.selected.set(null));
  choice.selected.watch((index) => markers.select(index));
  const first = view.measured[0];
  if (first) choice.key.set((first.columns.find((one) => one.kind === "residual") ?? first.columns[0])?.key ?? "");
  markers.group.visible = first !== undefined;

  return {
    markers,
    scale,
    settled: async () => {
      await Promise.resolve();
      await settled;
    },
    async describe(index) {
      const now = chosen();
      if (!now) return { name: "", rows: [] };
      const values = await Promise.all(now.columns.map((one) => valuesOf(one)));
      const rows = now.columns.map((one, i): [string, string] => [
        capital(one.label),
        format(values[i]?.[index] ?? NaN, plainUnit(one.unit).unit),
      ]);
      return { name: now.names?.[index] ?? `Point ${index}`, rows };
    },
  };
}
