/** Tx and Rx in the picture: marks, colours by a quantity of links, labels. */

import type { App } from "./app";
import { lookUp, NOTHING } from "./colours";
import type { LinkColumn } from "./format";
import { createLabels, type Label } from "./labels";
import { defaultColours } from "./layer_choice";
import { createMarkers, markSize, type Markers } from "./markers";
import { colourScale, finiteRange, place, type ColourScale } from "./scale";
import { createSectors, siteLabels } from "./sectors";
import { signal, watchAll, type Signal } from "./signal";
import { txName, type Snapshots } from "./snapshot_data";
import { theme, watchTheme } from "./theme";
import { plainUnit } from "./units";

const RX_SIZE = 11;

export interface Devices {
  tx: Markers;
  rx: Markers;
  /** Colours of receivers, if they show a quantity. */
  scale: Signal<ColourScale | null>;
  /** The names in the picture. */
  labels(): readonly Label[];
}

export function addDevices(app: App, snapshots: Snapshots): Devices {
  const { stage, state, view } = app;
  const tx = createMarkers(stage, "triangle", 19);
  const rx = createMarkers(stage, "disc", RX_SIZE);
  const scale = signal<ColourScale | null>(null);
  const labels = createLabels(app);
  const sectors = createSectors(app);

  const moveDevices = (): void => {
    const data = snapshots.current.get();
    if (!data) return;
    tx.setPositions(data.tx);
    rx.setPositions(data.rx);
    rx.setSize(markSize(rx.count(), RX_SIZE));
    tx.setColours(plain(tx.count(), theme().tx));
    sectors.set(data.snapshot);
    labels.set(siteLabels(data.snapshot, tx.at));
  };
  const colour = async (): Promise<void> => {
    const data = snapshots.current.get();
    if (!data) return;
    const column = data.snapshot.links?.columns.find((one) => one.key === state.rxColour.get());
    if (!column) {
      rx.setColours(plain(rx.count(), theme().rx));
      scale.set(null);
      return;
    }
    const values = await snapshots.link(column);
    if (snapshots.current.get() !== data || state.rxColour.get() !== column.key) return;
    const of = state.tx.get() ?? 0;
    const row = values.subarray(of * rx.count(), (of + 1) * rx.count());
    const title = `${column.label}, ${txName(data.snapshot, of)}`;
    const next = colourScale(title, plainUnit(column.unit).unit, finiteRange(values), defaultColours(column));
    rx.setColours(coloured(row, next));
    scale.set(next);
  };
  const update = (): void => {
    moveDevices();
    app.attempt(colour());
  };
  const show = (): void => {
    tx.group.visible = state.showTx.get();
    sectors.group.visible = state.showTx.get();
    rx.group.visible = state.showRx.get();
    labels.show(state.showTx.get() && state.labels.get());
    stage.invalidate();
  };
  snapshots.current.watch(update);
  watchAll([state.rxColour, state.tx], () => app.attempt(colour()));
  watchAll([state.showTx, state.showRx, state.labels], show);
  state.tx.watch((index) => tx.select(index));
  state.rx.watch((index) => rx.select(index));
  watchTheme(update);
  state.labels.set((view.snapshots[0]?.tx.length ?? 0) <= 30);
  show();
  return { tx, rx, scale, labels: labels.list };
}

/** Columns that the receivers of the view can be coloured by. */
export function linkColumns(app: App): LinkColumn[] {
  const columns = new Map<string, LinkColumn>();
  for (const snapshot of app.view.snapshots) {
    for (const column of snapshot.links?.columns ?? []) if (!columns.has(column.key)) columns.set(column.key, column);
  }
  return [...columns.values()];
}

function plain(count: number, colour: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count * 4);
  const rgb = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  for (let i = 0; i < count; i++) bytes.set([...rgb, 255], i * 4);
  return bytes;
}

/** What has no value has the grey of no power. */
export function coloured(values: Float32Array, scale: ColourScale): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * 4).fill(255);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Number.isFinite(value)) lookUp(scale.table, place(scale, value), bytes, i * 4);
    else bytes.set(NOTHING, i * 4);
  }
  return bytes;
}
