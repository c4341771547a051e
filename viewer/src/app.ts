/** What every part of the page may use. */

import { Vector3 } from "three";
import type { Point, View } from "./format";
import type { Parts } from "./parts";
import type { Stage } from "./stage";
import type { State } from "./state";

export interface App {
  view: View;
  parts: Parts;
  state: State;
  stage: Stage;
  /** The element around the picture and what lies over it. */
  picture: HTMLElement;
  /** Tells screen readers, politely. */
  announce(text: string): void;
  /** Shows an error that leaves the rest of the page usable. */
  report(error: unknown): void;
  /** Runs a loader and reports its failure. */
  attempt(work: Promise<unknown>): void;
}

/** A place of the scene relative to the origin, as parts have it. */
export function local(view: View, point: readonly number[]): Vector3 {
  const [x, y, z] = view.origin;
  return new Vector3((point[0] ?? 0) - x, (point[1] ?? 0) - y, (point[2] ?? 0) - z);
}

export function global(view: View, point: Vector3): Point {
  return [point.x + view.origin[0], point.y + view.origin[1], point.z + view.origin[2]];
}
