/** What is under the cursor, and what a click selects. */

import { Vector2, Vector3, Raycaster } from "three";
import { global, type App } from "./app";
import type { CellMaps } from "./cell_map";
import type { Devices } from "./devices";
import { formatLonLat, lonLat } from "./earth";
import type { MeasuredPoints } from "./measured";
import type { SceneMesh } from "./scene_mesh";
import { format } from "./scale";
import type { SurfaceTiles } from "./surfaces";

interface Shown {
  mesh: SceneMesh | null;
  maps: CellMaps;
  surfaces: SurfaceTiles;
  devices: Devices;
  measured: MeasuredPoints;
}

const CLICK_REACH = 9;
const CLICK_MOVE = 5;

export interface Picking {
  /** Reads what is at the centre of the picture, for those who use no pointer. */
  readCentre(): void;
}

export function addPicking(app: App, shown: Shown, status: HTMLElement): Picking {
  const { stage, state } = app;
  const canvas = stage.canvas;
  let cursor: [number, number] | null = null;
  let pending = false;
  let down: [number, number] | null = null;

  const describe = (): void => {
    pending = false;
    if (!cursor || stage.moving.get()) return;
    tell(readingAt(app, shown, ...cursor));
  };
  const tell = (text: readonly string[]): void => {
    status.textContent = text.join("   ");
    status.hidden = text.length === 0;
    app.announce(text.join(", "));
  };
  canvas.addEventListener("pointermove", (event) => {
    cursor = [event.offsetX, event.offsetY];
    if (pending || event.buttons !== 0) return;
    pending = true;
    requestAnimationFrame(describe);
  });
  canvas.addEventListener("pointerleave", (event) => {
    // A finger that is lifted has read what it touched.
    if (event.pointerType === "touch") return;
    cursor = null;
    status.hidden = true;
  });
  // The value under a cursor that rests is that of the layer that is drawn.
  for (const scale of [shown.maps.scale, shown.surfaces.scale]) {
    scale.watch(() => {
      if (pending || !cursor) return;
      pending = true;
      requestAnimationFrame(describe);
    });
  }
  canvas.addEventListener("pointerdown", (event) => {
    down = [event.clientX, event.clientY];
  });
  // Not when the finger leaves: the card that opens would take the click that still follows.
  canvas.addEventListener("click", (event) => {
    const start = down;
    down = null;
    if (event.button !== 0 || !start) return;
    if (Math.hypot(event.clientX - start[0], event.clientY - start[1]) > CLICK_MOVE) return;
    cursor = [event.offsetX, event.offsetY];
    select(...cursor);
    tell(readingAt(app, shown, ...cursor));
  });

  return {
    readCentre() {
      const { width, height } = stage.size();
      tell(readingAt(app, shown, width / 2, height / 2));
    },
  };

  function select(x: number, y: number): void {
    const camera = stage.camera.get();
    const tx = shown.devices.tx.nearest(x, y, camera, CLICK_REACH + 3);
    if (tx !== null) {
      state.tx.set(tx);
      return;
    }
    const rx = shown.devices.rx.nearest(x, y, camera, CLICK_REACH);
    if (rx !== null) {
      state.rx.set(rx);
      return;
    }
    const point = shown.measured.markers.nearest(x, y, camera, CLICK_REACH);
    if (point !== null) state.measured.selected.set(point);
  }
}

/** Value, place on earth and place in the scene of the nearest thing under a place of the picture. */
function readingAt(app: App, shown: Shown, x: number, y: number): string[] {
  const { stage, view } = app;
  const { width, height } = stage.size();
  const caster = new Raycaster();
  caster.setFromCamera(new Vector2((x / width) * 2 - 1, 1 - (y / height) * 2), stage.camera.get());
  const { origin, direction } = caster.ray;
  const mesh = app.state.opacity.get() > 0 ? shown.mesh : null;
  const solid = mesh?.cast(origin, direction) ?? null;
  const near = (solid?.distance ?? Infinity) + 0.05;
  const readings = [shown.maps.read(origin, direction), shown.surfaces.read(origin, direction)]
    .filter((reading) => reading !== null && reading.distance <= near)
    .sort((a, b) => (a?.distance ?? 0) - (b?.distance ?? 0));
  const distance = Math.min(solid?.distance ?? Infinity, readings[0]?.distance ?? Infinity);
  if (!Number.isFinite(distance)) return [];
  const place = global(view, new Vector3().copy(origin).addScaledVector(direction, distance));
  const text: string[] = readings[0] ? [readings[0].text] : [];
  if (solid && mesh && solid.distance <= distance) {
    const name = mesh.material(solid.triangle)?.name;
    if (name) text.push(`${name}, face ${mesh.face(solid.triangle)}`);
  }
  const [px, py, pz] = place.map((value) => format(Math.round(value * 100) / 100)) as [string, string, string];
  text.push(`x ${px}  y ${py}  z ${pz} m`);
  const earth = view.earth && lonLat(view.earth, place[0], place[1]);
  if (earth) text.push(formatLonLat(earth));
  return text;
}
