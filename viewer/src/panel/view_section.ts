/** Panel section: cameras. */

import type { App } from "../app";
import type { Side } from "../cameras";
import type { CameraMode } from "../state";
import { button, choice, el, section } from "./controls";

const SIDES: readonly (readonly [Side, string, string])[] = [
  ["corner", "Fit", "Fit view"],
  ["north", "N", "View from north"],
  ["east", "E", "View from east"],
  ["south", "S", "View from south"],
  ["west", "W", "View from west"],
  ["top", "Top", "View from top"],
];

export function viewSection(app: App, frame: (side: Side) => void, help: () => void): HTMLElement {
  const modes: readonly (readonly [CameraMode, string])[] = [
    ["orbit", "Orbit"],
    ["walk", "Walk"],
    ["plan", "Plan"],
  ];
  const views = el(
    "div",
    "buttons",
    SIDES.map(([side, text, about]) => button(text, () => frame(side), about)),
  );
  views.setAttribute("role", "group");
  views.setAttribute("aria-label", "Views");
  return section("View", [
    choice("Camera", modes, app.state.camera),
    el("div", "row stacked", [el("span", "caption", ["From"]), views]),
    button("Keys (?)", help, "List of keys"),
  ]);
}
