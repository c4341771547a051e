/** Panel section: which paths are drawn. */

import type { App } from "../app";
import type { PathLines } from "../paths_lines";
import { finiteRange } from "../scale";
import { txName, type Snapshots } from "../snapshot_data";
import { checkbox, choice, el, fixedSelect, section, select, slider } from "./controls";
import { typeRows } from "./path_types";

export function pathSection(app: App, snapshots: Snapshots, lines: PathLines): HTMLElement | null {
  const { view, state } = app;
  const choices = state.paths;
  if (!view.snapshots.some((one) => one.paths)) return null;
  const summary = el("p", "note");
  const tell = (): void => {
    const [shown, passing] = [lines.visible.get().length, lines.passing()];
    const all = snapshots.current.get()?.paths?.count ?? 0;
    summary.textContent =
      shown < passing ? `The strongest ${shown} of ${passing} paths are drawn.` : `${shown} of ${all} paths are drawn.`;
  };
  lines.visible.watch(tell);

  const tx = select<number | null>("Tx", (value) => choices.tx.set(value));
  const types = el("fieldset", "list");
  let gainRange: [number, number] = [-200, 0];
  let mostInteractions = 1;
  const gain = slider({
    title: "Minimum gain (dB)",
    min: -200,
    max: 0,
    step: 1,
    get: () => Math.max(choices.minGain.get(), gainRange[0]),
    set: (value) => choices.minGain.set(value <= gainRange[0] ? -Infinity : value),
    watch: (show) => choices.minGain.watch(show),
  });
  const most = slider({
    title: "Maximum interactions",
    min: 0,
    max: 1,
    step: 1,
    get: () => Math.min(choices.maxInteractions.get(), mostInteractions),
    set: (value) => choices.maxInteractions.set(value >= mostInteractions ? Infinity : value),
    watch: (show) => choices.maxInteractions.watch(show),
  });
  const refresh = (): void => {
    const data = snapshots.current.get();
    if (!data?.paths) return;
    const { snapshot, paths } = data;
    tx.setOptions([[null, "All"], ...snapshot.tx.map((_, i) => [i, txName(snapshot, i)] as const)], choices.tx.get());
    const [low, high] = finiteRange(paths.gainDb);
    gainRange = [Math.floor(low), Math.ceil(high)];
    gain.setRange(gainRange[0], gainRange[1], 1);
    mostInteractions = Math.max(1, ...paths.types.map((type) => (type === "LOS" ? 0 : type.length)));
    most.setRange(0, mostInteractions, 1);
    types.replaceChildren(el("legend", "caption", ["Types"]), ...typeRows(app, paths.types, paths.type));
  };
  snapshots.current.watch(refresh);
  choices.tx.watch(refresh);
  refresh();
  const counts = [null, 1, 2, 3, 5, 10, 20] as const;
  const strongest = fixedSelect<number | null>(
    "Strongest of each link",
    counts.map((count) => [count, count === null ? "All" : String(count)] as const),
    choices.strongest,
  );
  return section("Paths", [
    checkbox("Show paths", choices.shown),
    checkbox("Only of the selected Rx", choices.onlySelected),
    tx.element,
    choice<"gain" | "delay" | "kind">(
      "Colour by",
      [
        ["gain", "Gain"],
        ["delay", "Delay"],
        ["kind", "Kind"],
      ],
      choices.colourBy,
    ),
    gain.element,
    most.element,
    strongest,
    types,
    summary,
  ]);
}
