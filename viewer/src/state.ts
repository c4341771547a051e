/** What the reader of the page has chosen: one signal for each choice. */

import type { ColourMapName } from "./colours";
import { signal, type Signal } from "./signal";

export type CameraMode = "orbit" | "walk" | "plan";
export type Shading = "automatic" | "full" | "simple";
export type Edges = "none" | "feature" | "wireframe";
export type MapShape = "height" | "x" | "y" | "isosurface" | "points";

/** Choices for values that are drawn in colours. */
export interface ColourChoice {
  shown: Signal<boolean>;
  /** Which of several maps, sets of surfaces or measurements. */
  index: Signal<number>;
  key: Signal<string>;
  tx: Signal<number | null>;
  /** Values below it are hidden. */
  threshold: Signal<number | null>;
  range: Signal<readonly [number, number]>;
  colours: Signal<ColourMapName>;
  opacity: Signal<number>;
}

export interface PathChoice {
  shown: Signal<boolean>;
  /** Of the selected receiver alone, while one is selected. */
  onlySelected: Signal<boolean>;
  tx: Signal<number | null>;
  hiddenTypes: Signal<ReadonlySet<number>>;
  maxInteractions: Signal<number>;
  minGain: Signal<number>;
  /** So many of each link are drawn; all if null. */
  strongest: Signal<number | null>;
  colourBy: Signal<"gain" | "delay" | "kind">;
  highlighted: Signal<number | null>;
}

export interface State {
  camera: Signal<CameraMode>;
  /** Hides everything above, metres of the scene. */
  cut: Signal<number | null>;
  roofs: Signal<boolean>;
  hiddenMaterials: Signal<ReadonlySet<number>>;
  clutter: Signal<boolean>;
  edges: Signal<Edges>;
  opacity: Signal<number>;
  shading: Signal<Shading>;
  /** Degrees. */
  sunAzimuth: Signal<number>;
  sunElevation: Signal<number>;
  snapshot: Signal<number>;
  tx: Signal<number | null>;
  rx: Signal<number | null>;
  showTx: Signal<boolean>;
  showRx: Signal<boolean>;
  labels: Signal<boolean>;
  /** Key of the column of links that colours receivers; empty for none. */
  rxColour: Signal<string>;
  paths: PathChoice;
  map: ColourChoice & { height: Signal<number>; shape: Signal<MapShape>; across: Signal<number> };
  surfaces: ColourChoice;
  measured: ColourChoice & { selected: Signal<number | null> };
}

export function createState(): State {
  return {
    camera: signal<CameraMode>("orbit"),
    cut: signal<number | null>(null),
    roofs: signal(true),
    hiddenMaterials: signal<ReadonlySet<number>>(new Set()),
    clutter: signal(true),
    edges: signal<Edges>("none"),
    opacity: signal(1),
    shading: signal<Shading>("automatic"),
    sunAzimuth: signal(-65),
    sunElevation: signal(50),
    snapshot: signal(0),
    tx: signal<number | null>(null),
    rx: signal<number | null>(null),
    showTx: signal(true),
    showRx: signal(true),
    labels: signal(true),
    rxColour: signal(""),
    paths: {
      shown: signal(true),
      onlySelected: signal(true),
      tx: signal<number | null>(null),
      hiddenTypes: signal<ReadonlySet<number>>(new Set()),
      maxInteractions: signal(Infinity),
      minGain: signal(-Infinity),
      // All at once, the many weak paths would hide the strong ones.
      strongest: signal<number | null>(5),
      colourBy: signal<"gain" | "delay" | "kind">("gain"),
      highlighted: signal<number | null>(null),
    },
    map: { ...colourChoice(0.9), height: signal(0), shape: signal<MapShape>("height"), across: signal(0.5) },
    surfaces: colourChoice(1),
    measured: { ...colourChoice(1), selected: signal<number | null>(null) },
  };
}

function colourChoice(opacity: number): ColourChoice {
  return {
    shown: signal(true),
    index: signal(0),
    key: signal(""),
    tx: signal<number | null>(null),
    threshold: signal<number | null>(null),
    range: signal<readonly [number, number]>([0, 1]),
    colours: signal<ColourMapName>("gain"),
    opacity: signal(opacity),
  };
}
