/** Panel section: what of the scene is drawn, and how. */

import type { App } from "../app";
import type { Edges, Shading } from "../state";
import type { Walk } from "../walk";
import { button, check, checkbox, choice, el, fixedSelect, section, signalSlider, slider } from "./controls";

export function sceneSection(app: App, walk: Walk): HTMLElement | null {
  const { view, state } = app;
  const scene = view.scene;
  if (!scene) return null;
  const [low, high] = [view.bounds[0][2], view.bounds[1][2]];
  const top = Math.ceil(high + 1);
  const bottom = Math.floor(low);
  const cut = slider({
    title: "Cut above height (m)",
    min: bottom,
    max: top,
    step: top - bottom > 100 ? 0.5 : 0.1,
    get: () => state.cut.get() ?? top,
    set: (value) => state.cut.set(value >= top ? null : value),
    watch: (show) => state.cut.watch(show),
  });
  const parts: Node[] = [cut.element];
  if (scene.floors.length > 0) parts.push(floors(app, walk, scene.floors));
  parts.push(checkbox("Roofs and ceilings", state.roofs));
  if (scene.clutter.length > 0) parts.push(checkbox("Clutter volumes", state.clutter));
  parts.push(
    choice<Edges>(
      "Edges",
      [
        ["none", "None"],
        ["feature", "Features"],
        ["wireframe", "All"],
      ],
      state.edges,
    ),
    signalSlider("Opacity", state.opacity, 0, 1, 0.05),
    fixedSelect<Shading>(
      "Shading",
      [
        ["automatic", "Automatic"],
        ["full", "Full"],
        ["simple", "Simple"],
      ],
      state.shading,
    ),
    signalSlider("Sun azimuth (°)", state.sunAzimuth, -180, 180, 1),
    signalSlider("Sun elevation (°)", state.sunElevation, 0, 90, 1),
    materials(app),
  );
  return section("Scene", parts);
}

function floors(app: App, walk: Walk, heights: readonly number[]): HTMLElement {
  const { state, view } = app;
  const all = button("All", () => state.cut.set(null));
  const buttons = heights.map((height, i) => {
    const next = heights[i + 1] ?? Math.min(height + 3, view.bounds[1][2]);
    return button(
      String(i),
      () => {
        // Below the ceiling, so that walls are cut and what stands on the floor is not.
        state.cut.set(Math.round((height + (next - height) * 0.8) * 100) / 100);
        walk.stand(height);
      },
      `Floor ${i}, ${height} m`,
    );
  });
  const group = el("div", "buttons", [all, ...buttons]);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Floors");
  return el("div", "row stacked", [el("span", "caption", ["Floor"]), group]);
}

function materials(app: App): HTMLElement {
  const hidden = app.state.hiddenMaterials;
  const rows = (app.view.scene?.materials ?? []).map((material, i) => {
    const row = check(
      material.name,
      true,
      (shown) => {
        const next = new Set(hidden.get());
        if (shown) next.delete(i);
        else next.add(i);
        hidden.set(next);
      },
      (show) => hidden.watch((set) => show(!set.has(i))),
    );
    const swatch = el("span", "swatch");
    swatch.style.backgroundColor = `rgb(${material.colour.map((value) => Math.round(value * 255)).join(",")})`;
    row.querySelector("label")?.before(swatch);
    if (material.about) row.append(el("span", "about", [material.about]));
    return row;
  });
  const list = el("fieldset", "list", [el("legend", "caption", ["Materials"]), ...rows]);
  return list;
}
