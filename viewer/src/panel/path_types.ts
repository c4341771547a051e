/** Which types of paths are drawn: types grouped by kind, as a scene may have a hundred of them. */

import type { App } from "../app";
import { groupTypes, type TypeGroup } from "../paths_filter";
import { check, el } from "./controls";

export function typeRows(app: App, types: readonly string[], type: Uint16Array): HTMLElement[] {
  const rows = groupTypes(types, type).map((group) => groupRows(app, group));
  if (types.length < 3) return rows;
  return [checkOf(app, "All types", types.map((_, i) => i)), ...rows];
}

/** A kind with all its types folded below it; a single type by its own name. */
function groupRows(app: App, group: TypeGroup): HTMLElement {
  const { kind, count, types } = group;
  const only = types.length === 1 ? types[0] : undefined;
  if (only) {
    const name = only.name === kind ? kind : `${kind}: ${only.name}`;
    return checkOf(app, `${name} (${count})`, [only.index]);
  }
  const rows = types.map(({ name, index, count: own }) => checkOf(app, `${name} (${own})`, [index]));
  const fold = el("details", "types", [el("summary", "note", [`${types.length} types`]), ...rows]);
  return el("div", "", [checkOf(app, `${kind} (${count})`, types.map(({ index }) => index)), fold]);
}

/** A box for several types: half checked while only some of them are drawn. */
function checkOf(app: App, text: string, indices: readonly number[]): HTMLElement {
  const hidden = app.state.paths.hiddenTypes;
  const row = check(text, true, (shown) => {
    const next = new Set(hidden.get());
    for (const i of indices) {
      if (shown) next.delete(i);
      else next.add(i);
    }
    hidden.set(next);
  });
  const input = row.querySelector("input") as HTMLInputElement;
  const show = (): void => {
    const count = indices.filter((i) => hidden.get().has(i)).length;
    input.checked = count === 0;
    input.indeterminate = count > 0 && count < indices.length;
  };
  hidden.watch(show);
  show();
  return row;
}
