/** Which paths are shown. */

import type { PathArrays } from "./snapshot_data";

export interface PathFilter {
  tx: number | null;
  rx: number | null;
  hiddenTypes: ReadonlySet<number>;
  maxInteractions: number;
  minGain: number;
  /** How many of each link at most, by gain. */
  strongest: number | null;
}

/** Indices of the paths that pass, strongest first. */
export function visiblePaths(paths: PathArrays, filter: PathFilter): Uint32Array {
  const chosen: number[] = [];
  let link: number[] = [];
  const byGain = (a: number, b: number): number => {
    const difference = (paths.gainDb[b] as number) - (paths.gainDb[a] as number);
    return difference > 0 ? 1 : difference < 0 ? -1 : a - b;
  };
  const close = (): void => {
    if (filter.strongest !== null && link.length > filter.strongest) {
      link.sort(byGain);
      link.length = filter.strongest;
    }
    for (const path of link) chosen.push(path);
    link = [];
  };
  for (let i = 0; i < paths.count; i++) {
    if (i > 0 && (paths.tx[i] !== paths.tx[i - 1] || paths.rx[i] !== paths.rx[i - 1])) close();
    if (passes(paths, i, filter)) link.push(i);
  }
  close();
  return Uint32Array.from(chosen).sort(byGain);
}

function passes(paths: PathArrays, i: number, filter: PathFilter): boolean {
  if (filter.tx !== null && paths.tx[i] !== filter.tx) return false;
  if (filter.rx !== null && paths.rx[i] !== filter.rx) return false;
  if (filter.hiddenTypes.has(paths.type[i] as number)) return false;
  if (interactions(paths, i) > filter.maxInteractions) return false;
  return filter.minGain === -Infinity || (paths.gainDb[i] as number) >= filter.minGain;
}

export function interactions(paths: PathArrays, path: number): number {
  return (paths.starts[path + 1] as number) - (paths.starts[path] as number);
}

export const PATH_KINDS = ["LOS", "Reflection", "Transmission", "Diffraction", "Scattering"] as const;

/** Types of a kind, the most frequent first. */
export interface TypeGroup {
  kind: string;
  count: number;
  types: { name: string; index: number; count: number }[];
}

/** The types that occur, by kind; `type` has the index of each path's type. */
export function groupTypes(types: readonly string[], type: Uint16Array): TypeGroup[] {
  const counts = new Uint32Array(types.length);
  for (const index of type) counts[index] = (counts[index] as number) + 1;
  const groups = PATH_KINDS.map((kind): TypeGroup => ({ kind, count: 0, types: [] }));
  types.forEach((name, index) => {
    const group = groups[kindOfType(name)] as TypeGroup;
    const count = counts[index] as number;
    group.count += count;
    group.types.push({ name, index, count });
  });
  for (const group of groups) group.types.sort((a, b) => b.count - a.count || a.index - b.index);
  return groups.filter((group) => group.types.length > 0);
}

/** Where the type of a path belongs in `PATH_KINDS`: by the rarest kind of interaction in it. */
export function kindOfType(type: string): number {
  if (type === "LOS") return 0;
  if (type.includes("S")) return 4;
  if (type.includes("D")) return 3;
  if (type.includes("T")) return 2;
  return 1;
}
