/** `window.keller`: for tests and scripts. */

import type { App } from "./app";
import type { Cameras } from "./cameras";
import type { CellMaps } from "./cell_map";
import type { Devices } from "./devices";
import { project } from "./labels";
import type { LinkPanel } from "./link_panel";
import type { PathLines } from "./paths_lines";
import type { SceneMesh } from "./scene_mesh";
import type { Snapshots } from "./snapshot_data";

interface Shown {
  app: App;
  cameras: Cameras;
  snapshots: Snapshots;
  lines: PathLines;
  links: LinkPanel;
  devices: Devices;
  maps: CellMaps;
  mesh: SceneMesh | null;
  settled: () => Promise<void>;
  png: () => Promise<Blob>;
  svg: () => Blob;
}

export interface Api {
  /** Resolves when the first picture is complete. */
  ready: Promise<void>;
  select(rx: number | null): void;
  snapshot(index: number): Promise<void>;
  /** Where a receiver or a Tx is in the picture, in pixels. */
  place(kind: "rx" | "tx", index: number): [number, number] | null;
  /** Turns the camera once round in so many pictures, and resolves with pictures per second. */
  orbit(pictures: number): Promise<number>;
  shading(kind: "automatic" | "full" | "simple"): void;
  /** Draws what has been chosen. */
  render(): Promise<void>;
  /** Files of the picture. */
  png(): Promise<Blob>;
  svg(): Blob;
  state(): object;
}

export function createApi(shown: Shown): Omit<Api, "ready"> {
  const { app, cameras, snapshots, lines, links, devices, maps, mesh } = shown;
  const { stage, state } = app;
  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  return {
    select: (rx) => state.rx.set(rx),
    async snapshot(index) {
      state.snapshot.set(index);
      await snapshots.show(index);
    },
    place: (kind, index) => project(app, devices[kind].at(index)),
    async orbit(pictures) {
      const start = await frame();
      let end = start;
      for (let i = 0; i < pictures; i++) {
        cameras.turn(360 / pictures, 0);
        end = await frame();
      }
      // The last pictures may still wait for the graphics process.
      stage.renderer.getContext().finish();
      return (1000 * pictures) / (Math.max(end, performance.now()) - start);
    },
    shading: (kind) => state.shading.set(kind),
    async render() {
      await shown.settled();
      await frame();
      stage.drawFull();
    },
    png: shown.png,
    svg: shown.svg,
    state: () => ({
      camera: state.camera.get(),
      cut: state.cut.get(),
      roofs: state.roofs.get(),
      shading: state.shading.get(),
      slow: stage.slow.get(),
      triangles: mesh?.shown() ?? 0,
      snapshot: state.snapshot.get(),
      tx: state.tx.get(),
      rx: state.rx.get(),
      paths: lines.visible.get().length,
      rows: links.paths().length,
      highlighted: state.paths.highlighted.get(),
      map: {
        shown: state.map.shown.get() && app.view.maps.length > 0,
        layer: maps.layer()?.key ?? null,
        tx: maps.layer()?.tx ?? null,
        height: app.view.maps[state.map.index.get()]?.heights[state.map.height.get()] ?? null,
        shape: state.map.shape.get(),
        threshold: state.map.threshold.get(),
      },
      measured: state.measured.selected.get(),
      framesPerSecond: stage.frameRate(),
      pixelRatio: stage.renderer.getPixelRatio(),
      drawCalls: stage.renderer.info.render.calls,
    }),
  };
}
