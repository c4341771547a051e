/** Keys of the picture and of the page. */

import type { App } from "./app";
import type { Cameras, Side } from "./cameras";
import type { Help } from "./help";
import type { Picking } from "./picking";
import { stepRx } from "./panel/device_section";

const TURN = 5;
const PAN = 0.05;
const ZOOM = 1.15;

export function addKeys(app: App, cameras: Cameras, frame: (side: Side) => void, help: Help, picking: Picking): void {
  const { stage, state, view } = app;
  const stepSnapshot = (step: number): void =>
    state.snapshot.set((state.snapshot.get() + step + view.snapshots.length) % view.snapshots.length);
  const anywhere: Record<string, () => void> = {
    "?": help.open,
    "[": () => stepRx(app, -1),
    "]": () => stepRx(app, 1),
    "<": () => stepSnapshot(-1),
    ">": () => stepSnapshot(1),
    Escape: () => {
      state.rx.set(null);
      state.tx.set(null);
      state.measured.selected.set(null);
    },
  };
  const onPicture: Record<string, () => void> = {
    "+": () => cameras.zoom(ZOOM),
    "=": () => cameras.zoom(ZOOM),
    "-": () => cameras.zoom(1 / ZOOM),
    f: () => frame("corner"),
    n: () => frame("north"),
    e: () => frame("east"),
    u: () => frame("south"),
    v: () => frame("west"),
    t: () => frame("top"),
    c: picking.readCentre,
    r: () => state.roofs.set(!state.roofs.get()),
    "1": () => state.camera.set("orbit"),
    "2": () => state.camera.set("walk"),
    "3": () => state.camera.set("plan"),
  };
  const arrows: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
  };
  const pressPicture = (event: KeyboardEvent): void => {
    const arrow = arrows[event.key];
    if (arrow && state.camera.get() !== "walk") {
      event.preventDefault();
      if (event.shiftKey || state.camera.get() === "plan") cameras.pan(arrow[0] * PAN, arrow[1] * PAN);
      else cameras.turn(arrow[0] * TURN, arrow[1] * TURN);
      return;
    }
    onPicture[event.key]?.();
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target instanceof HTMLElement && target.closest("dialog, input[type=number], select")) return;
    if (target === stage.canvas || target === document.body) pressPicture(event);
    anywhere[event.key]?.();
  });
}
