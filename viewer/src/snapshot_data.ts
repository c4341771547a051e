/** The arrays of a snapshot: where its receivers are, its paths, its links. */

import type { App } from "./app";
import type { LinkColumn, Paths, Snapshot } from "./format";
import { signal, type Signal } from "./signal";
import { inPlainUnit } from "./units";

export interface PathArrays {
  count: number;
  types: readonly string[];
  tx: Uint32Array;
  rx: Uint32Array;
  gainDb: Float32Array;
  delay: Float32Array;
  length: Float32Array;
  /** Zenith and azimuth of departure, zenith and azimuth of arrival; radians. */
  angles: Float32Array;
  type: Uint16Array;
  starts: Uint32Array;
  points: Float32Array;
  objects: Int32Array;
}

export interface SnapshotData {
  index: number;
  snapshot: Snapshot;
  /** Three numbers each, relative to the origin. */
  tx: Float32Array<ArrayBuffer>;
  rx: Float32Array<ArrayBuffer>;
  paths: PathArrays | null;
}

export interface Snapshots {
  current: Signal<SnapshotData | null>;
  /** Resolves when the chosen snapshot is shown. */
  show(index: number): Promise<void>;
  /** Values of a column in the unit that is shown. */
  link(column: LinkColumn): Promise<Float32Array>;
}

export function openSnapshots(app: App): Snapshots {
  const { view, parts, state } = app;
  const current = signal<SnapshotData | null>(null);
  let wanted = -1;

  const load = async (index: number): Promise<SnapshotData> => {
    const snapshot = view.snapshots[index] as Snapshot;
    const [rx, paths] = await Promise.all([
      parts.f32(snapshot.rx.positions),
      snapshot.paths ? loadPaths(app, snapshot.paths) : null,
    ]);
    const tx = new Float32Array(snapshot.tx.length * 3);
    snapshot.tx.forEach((one, i) =>
      tx.set(
        one.at.map((value, axis) => value - (view.origin[axis] ?? 0)),
        i * 3,
      ),
    );
    return { index, snapshot, tx, rx, paths };
  };
  const show = async (index: number): Promise<void> => {
    wanted = index;
    const data = await load(index);
    if (wanted !== index || current.get()?.index === index) return;
    const before = current.get();
    state.paths.highlighted.set(null);
    current.set(data);
    const { tx, rx } = data.snapshot;
    if ((state.rx.get() ?? -1) >= rx.count) state.rx.set(null);
    if ((state.tx.get() ?? -1) >= tx.length) state.tx.set(null);
    if (before) dropPaths(app, before);
  };
  state.snapshot.watch((index) => app.attempt(show(index)));
  return { current, show, link: async (column) => inPlainUnit(await parts.f32(column.values), column.unit) };
}

async function loadPaths(app: App, paths: Paths): Promise<PathArrays> {
  const { parts } = app;
  const [tx, rx, gainDb, delay, length, angles, type, starts, points, objects] = await Promise.all([
    parts.u32(paths.tx),
    parts.u32(paths.rx),
    parts.f32(paths.gain_db),
    parts.f32(paths.delay_s),
    parts.f32(paths.length_m),
    parts.f32(paths.angles),
    parts.u16(paths.type),
    parts.u32(paths.starts),
    parts.f32(paths.points),
    parts.u32(paths.objects),
  ]);
  const { count, types } = paths;
  return {
    count,
    types,
    tx,
    rx,
    gainDb,
    delay,
    length,
    angles,
    type,
    starts,
    points,
    objects: new Int32Array(objects.buffer),
  };
}

/** Snapshots are many: only the one that is shown stays in memory. */
function dropPaths(app: App, data: SnapshotData): void {
  const paths = data.snapshot.paths;
  if (!paths) return;
  for (const ref of [paths.tx, paths.rx, paths.gain_db, paths.delay_s, paths.length_m]) app.parts.drop(ref);
  for (const ref of [paths.angles, paths.type, paths.starts, paths.points, paths.objects]) app.parts.drop(ref);
}

export function rxName(snapshot: Snapshot, index: number): string {
  return snapshot.rx.names?.[index] ?? `Rx ${index}`;
}

export function txName(snapshot: Snapshot, index: number): string {
  return snapshot.tx[index]?.name || `Tx ${index}`;
}
