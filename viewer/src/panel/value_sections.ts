/** Panel sections: maps, surfaces and measured points. */

import type { App } from "../app";
import { chosenLayer } from "../layer_choice";
import { finiteRange } from "../scale";
import type { Signal } from "../signal";
import type { MapShape } from "../state";
import { inPlainUnit } from "../units";
import { checkbox, fixedSelect, section, signalSlider, slider } from "./controls";
import { colourControls, layerControls } from "./value_controls";

const SHAPES: readonly (readonly [MapShape, string])[] = [
  ["height", "Slice at a height"],
  ["x", "Vertical slice along x"],
  ["y", "Vertical slice along y"],
  ["isosurface", "Isosurface"],
  ["points", "Points"],
];

export function mapSection(app: App): HTMLElement | null {
  const { view, state } = app;
  const choice = state.map;
  if (view.maps.length === 0) return null;
  const now = () => view.maps[choice.index.get()];
  const layer = () => chosenLayer(now()?.layers ?? [], choice);
  const shape = fixedSelect("Show as", SHAPES, choice.shape);
  const above = now()?.ground ? " above ground" : "";
  const height = slider({
    title: `Height${above} (m)`,
    min: 0,
    max: 1,
    step: 1,
    get: choice.height.get,
    set: choice.height.set,
    watch: (show) => choice.height.watch(show),
    text: (index) => `${Number((now()?.heights[index] ?? 0).toFixed(3))} m`,
  });
  const across = signalSlider("Place of the slice", choice.across, 0, 1, 0.005);
  const show = (): void => {
    const count = now()?.heights.length ?? 1;
    if (choice.height.get() >= count) choice.height.set(0);
    height.setRange(0, count - 1, 1);
    shape.hidden = count < 2;
    height.element.hidden = count < 2 || choice.shape.get() !== "height";
    across.hidden = count < 2 || (choice.shape.get() !== "x" && choice.shape.get() !== "y");
  };
  choice.index.watch(show);
  choice.shape.watch(show);
  show();
  return section("Map", [
    checkbox("Show map", choice.shown),
    ...sources("Map", view.maps, choice.index),
    ...layerControls(
      choice,
      () => now()?.layers ?? [],
      () => now()?.tx ?? [],
    ),
    shape,
    height.element,
    across,
    ...colourControls(choice, layer, true),
  ]);
}

export function surfaceSection(app: App): HTMLElement | null {
  const { view, state } = app;
  const choice = state.surfaces;
  if (view.surfaces.length === 0) return null;
  const now = () => view.surfaces[choice.index.get()];
  return section("Surfaces", [
    checkbox("Show surfaces", choice.shown),
    ...sources("Surfaces of", view.surfaces, choice.index),
    ...layerControls(
      choice,
      () => now()?.layers ?? [],
      () => now()?.tx ?? [],
    ),
    ...colourControls(choice, () => chosenLayer(now()?.layers ?? [], choice), true),
  ]);
}

export function measuredSection(app: App): HTMLElement | null {
  const { view, state, parts } = app;
  const choice = state.measured;
  if (view.measured.length === 0) return null;
  const ranges = new Map<string, [number, number]>();
  const layers = () =>
    (view.measured[choice.index.get()]?.columns ?? []).map((column) => ({
      ...column,
      range: ranges.get(`${choice.index.get()} ${column.key}`) ?? ([...choice.range.get()] as [number, number]),
    }));
  // Ranges of columns come with their values.
  const learn = async (): Promise<void> => {
    const index = choice.index.get();
    for (const column of view.measured[index]?.columns ?? []) {
      ranges.set(`${index} ${column.key}`, finiteRange(inPlainUnit(await parts.f32(column.values), column.unit)));
    }
  };
  app.attempt(learn());
  choice.index.watch(() => app.attempt(learn()));
  const count = () => view.measured[choice.index.get()]?.count ?? 1;
  const point = slider({
    title: "Point",
    min: 0,
    max: count() - 1,
    step: 1,
    get: () => choice.selected.get() ?? 0,
    set: choice.selected.set,
    watch: (show) => choice.selected.watch(show),
    text: (index) =>
      choice.selected.get() === null
        ? "None selected"
        : (view.measured[choice.index.get()]?.names?.[index] ?? String(index)),
  });
  choice.index.watch(() => point.setRange(0, count() - 1, 1));
  return section("Measured", [
    checkbox("Show measured points", choice.shown),
    ...sources("File", view.measured, choice.index),
    point.element,
    ...layerControls(choice, layers, () => []),
    ...colourControls(choice, () => chosenLayer(layers(), choice), false),
  ]);
}

function sources(title: string, all: readonly { source: string }[], index: Signal<number>): HTMLElement[] {
  return all.length > 1
    ? [
        fixedSelect(
          title,
          all.map((one, i) => [i, one.source] as const),
          index,
        ),
      ]
    : [];
}
