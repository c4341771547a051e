/** What lies over the picture: legends, north arrow, scale bar. */

import { Vector3 } from "three";
import type { App } from "./app";
import type { Cameras } from "./cameras";
import { legend } from "./legend";
import type { ColourScale } from "./scale";
import { scaleBarLength } from "./scale_bar";
import type { Signal } from "./signal";
import { svg } from "./svg";
import { theme, watchTheme } from "./theme";

/** Something drawn over the picture, and its corner in pixels. */
export interface Overlay {
  element: SVGSVGElement;
  /** Degrees clockwise about its centre. */
  turn: number;
  x: number;
  y: number;
}

export interface Overlays {
  /** As they are in the picture now. */
  list(): Overlay[];
}

const BAR_PIXELS = 140;

export function addOverlays(app: App, cameras: Cameras, scales: readonly Signal<ColourScale | null>[]): Overlays {
  const { stage, picture } = app;
  const corner = element("div", "overlay-left", picture);
  const legends = element("div", "overlay-legends", picture);
  let compass = northArrow();
  let bar = svg("svg");
  let barScale = 0;
  const redrawLegends = (): void => {
    const shown = scales.map((scale) => scale.get()).filter((scale) => scale !== null);
    const { width, height } = stage.size();
    const count = width < 600 || height < 400 ? 1 : shown.length;
    legends.replaceChildren(...shown.slice(0, count).map((scale) => legend(scale, theme()).element));
  };
  // Drawing anew costs much on slow machines: the arrow turns as it is, and the bar stays while nothing changes.
  const update = (): void => {
    const angle = `rotate(${northAngle(cameras).toFixed(1)}deg)`;
    if (compass.style.transform !== angle) compass.style.transform = angle;
    // Somebody who walks looks at no one distance.
    bar.style.display = cameras.mode() === "walk" ? "none" : "";
    const metres = cameras.metresPerPixel();
    if (Math.abs(metres / barScale - 1) < 0.003) return;
    barScale = metres;
    bar = scaleBar(metres);
    corner.replaceChildren(compass, bar);
  };
  const redraw = (): void => {
    compass = northArrow();
    barScale = 0;
    update();
  };
  for (const scale of scales) scale.watch(redrawLegends);
  watchTheme(redrawLegends);
  stage.onResize(redrawLegends);
  watchTheme(redraw);
  stage.afterDraw(update);
  redrawLegends();
  return {
    list() {
      const frame = picture.getBoundingClientRect();
      const shown = cameras.mode() === "walk" ? [compass] : [compass, bar];
      return [...shown, ...legends.querySelectorAll("svg")].map((one) => {
        // The box of a turned element is larger than the element; both have the same centre.
        const box = one.getBoundingClientRect();
        const x = (box.left + box.right - one.width.baseVal.value) / 2 - frame.left;
        const y = (box.top + box.bottom - one.height.baseVal.value) / 2 - frame.top;
        return { element: one, turn: one === compass ? northAngle(cameras) : 0, x, y };
      });
    },
  };
}

function element(name: string, className: string, parent: HTMLElement): HTMLElement {
  const result = document.createElement(name);
  result.className = className;
  parent.append(result);
  return result;
}

/** How far the arrow turns clockwise, degrees. */
function northAngle(cameras: Cameras): number {
  if (cameras.mode() === "plan") return 0;
  const ahead = cameras.perspective.getWorldDirection(new Vector3());
  const up = new Vector3().setFromMatrixColumn(cameras.perspective.matrixWorld, 1);
  // From straight above, what is up in the picture tells where north is.
  const flat = Math.hypot(ahead.x, ahead.y) > 0.05 ? ahead : up;
  return (Math.atan2(flat.y, flat.x) * 180) / Math.PI - 90;
}

function northArrow(): SVGSVGElement {
  const colours = theme();
  const arrow = svg("g", {}, [
    svg("path", { d: "M24 5 L31 30 L24 26 Z", fill: colours.tx }),
    svg("path", { d: "M24 5 L17 30 L24 26 Z", fill: colours.text }),
    svg("text", { x: 24, y: 43, fill: colours.text, "text-anchor": "middle" }, ["N"]),
  ]);
  const result = svg(
    "svg",
    { width: 48, height: 48, viewBox: "0 0 48 48", "font-family": "system-ui, sans-serif", "font-size": 12 },
    [svg("circle", { cx: 24, cy: 24, r: 23, fill: colours.plate, "fill-opacity": 0.85 }), arrow],
  );
  result.setAttribute("role", "img");
  result.setAttribute("aria-label", "North arrow");
  result.style.willChange = "transform";
  return result;
}

function scaleBar(metresPerPixel: number): SVGSVGElement {
  const colours = theme();
  const { length, text } = scaleBarLength(metresPerPixel, BAR_PIXELS);
  const width = length / metresPerPixel;
  const result = svg(
    "svg",
    {
      width: BAR_PIXELS + 20,
      height: 34,
      viewBox: `0 0 ${BAR_PIXELS + 20} 34`,
      "font-family": "system-ui, sans-serif",
      "font-size": 12,
    },
    [
      svg("rect", { width: width + 20, height: 34, rx: 6, fill: colours.plate, "fill-opacity": 0.85 }),
      svg("path", { d: `M10 18 v6 h${width.toFixed(1)} v-6`, fill: "none", stroke: colours.text, "stroke-width": 1.5 }),
      svg("text", { x: 10 + width / 2, y: 15, fill: colours.text, "text-anchor": "middle" }, [text]),
    ],
  );
  result.setAttribute("role", "img");
  result.setAttribute("aria-label", `Scale bar of ${text}`);
  return result;
}
