/** Panel section: snapshots, Tx and Rx. */

import type { App } from "../app";
import { linkColumns } from "../devices";
import { capital } from "../scale";
import { rxName, txName } from "../snapshot_data";
import { button, checkbox, el, fixedSelect, section, select, slider } from "./controls";

const STEP_MS = 600;

export function deviceSection(app: App): HTMLElement | null {
  const { view, state } = app;
  const now = () => view.snapshots[state.snapshot.get()] ?? view.snapshots[0]!;
  const parts: Node[] = [];
  if (view.snapshots.length > 1) parts.push(...snapshotControls(app));
  const hasTx = view.snapshots.some((one) => one.tx.length > 0);
  const hasRx = view.snapshots.some((one) => one.rx.count > 0);
  if (!hasTx && !hasRx && parts.length === 0) return null;
  if (hasTx) {
    const tx = select<number | null>("Tx", (value) => state.tx.set(value));
    const show = (): void => {
      const snapshot = now();
      tx.setOptions(
        [[null, "None selected"], ...snapshot.tx.map((_, i) => [i, txName(snapshot, i)] as const)],
        state.tx.get(),
      );
    };
    state.tx.watch(show);
    state.snapshot.watch(show);
    show();
    const about = el("p", "note");
    const tell = (): void => {
      const one = now().tx[state.tx.get() ?? -1];
      about.hidden = !one;
      about.textContent = one
        ? `${one.power_dbm} dBm at ${one.at.map((value) => Number(value.toFixed(2))).join(", ")} m`
        : "";
    };
    state.tx.watch(tell);
    state.snapshot.watch(tell);
    tell();
    parts.push(checkbox("Show Tx", state.showTx), checkbox("Names of Tx", state.labels), tx.element, about);
  }
  if (hasRx) parts.push(checkbox("Show Rx", state.showRx), ...route(app));
  const columns = linkColumns(app);
  if (columns.length > 0) {
    const options = [
      ["", "One colour"] as const,
      ...columns.map((column) => [column.key, capital(column.label)] as const),
    ];
    parts.push(fixedSelect<string>("Colour Rx by", options, state.rxColour));
  }
  return section("Devices", parts);
}

/** Steps through the receivers, as along a route. */
function route(app: App): Node[] {
  const { view, state } = app;
  const count = (): number => view.snapshots[state.snapshot.get()]?.rx.count ?? 0;
  const name = (value: number): string => {
    const snapshot = view.snapshots[state.snapshot.get()];
    return state.rx.get() === null || !snapshot ? "None selected" : rxName(snapshot, value);
  };
  const steps = slider({
    title: "Rx",
    min: 0,
    max: Math.max(0, count() - 1),
    step: 1,
    get: () => state.rx.get() ?? 0,
    set: (value) => state.rx.set(value),
    watch: (show) => state.rx.watch(show),
    text: name,
  });
  state.snapshot.watch(() => steps.setRange(0, Math.max(0, count() - 1), 1));
  const buttons = el("div", "buttons", [
    button("Previous", () => stepRx(app, -1), "Previous Rx"),
    button("Next", () => stepRx(app, 1), "Next Rx"),
    button("Clear", () => state.rx.set(null), "Select no Rx"),
  ]);
  return [steps.element, buttons];
}

/** Selects the receiver before or after the selected one. */
export function stepRx(app: App, step: number): void {
  const { view, state } = app;
  const count = view.snapshots[state.snapshot.get()]?.rx.count ?? 0;
  if (count === 0) return;
  const now = state.rx.get();
  state.rx.set(now === null ? (step > 0 ? 0 : count - 1) : (now + step + count) % count);
}

function snapshotControls(app: App): Node[] {
  const { view, state } = app;
  const steps = slider({
    title: "Snapshot",
    min: 0,
    max: view.snapshots.length - 1,
    step: 1,
    get: state.snapshot.get,
    set: state.snapshot.set,
    watch: (show) => state.snapshot.watch(show),
    text: (value) => view.snapshots[value]?.label ?? String(value),
  });
  let timer = 0;
  const stop = (): void => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  };
  const play = button("Play", () => {
    if (timer) {
      stop();
      return;
    }
    play.textContent = "Pause";
    timer = window.setInterval(() => state.snapshot.set((state.snapshot.get() + 1) % view.snapshots.length), STEP_MS);
  });
  return [steps.element, el("div", "buttons", [play])];
}
