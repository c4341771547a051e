/** Directions of paths at one end, as seen from it: the centre is up, the rim is down, the ring is the horizon. */

import { css } from "../colours";
import { svg, short } from "../svg";

export interface AnglePoint {
  path: number;
  /** Radians. */
  zenith: number;
  azimuth: number;
  colour: readonly [number, number, number];
  label: string;
}

const SIZE = 168;
const RADIUS = 62;

/** Where a direction is in the plot: x to the right, y down, the centre at zero. */
export function onPlot(zenith: number, azimuth: number, radius: number): [number, number] {
  const distance = (radius * zenith) / Math.PI;
  return [distance * Math.cos(azimuth), -distance * Math.sin(azimuth)];
}

/** The points are drawn in order: the strongest should come last. */
export function anglesPlot(title: string, points: readonly AnglePoint[]): SVGSVGElement {
  const centre = SIZE / 2;
  const frame: Node[] = [
    svg("circle", { cx: centre, cy: centre, r: RADIUS, class: "axis" }),
    svg("circle", { cx: centre, cy: centre, r: RADIUS / 2, class: "grid" }),
    svg("path", {
      d: `M${centre - RADIUS} ${centre} h${2 * RADIUS} M${centre} ${centre - RADIUS} v${2 * RADIUS}`,
      class: "grid",
    }),
    svg("text", { x: SIZE - 2, y: centre + 4, "text-anchor": "end" }, ["0°"]),
    svg("text", { x: centre, y: 16, "text-anchor": "middle" }, ["90°"]),
    svg("text", { x: 0, y: centre + 4 }, ["180°"]),
    svg("text", { x: centre, y: SIZE - 8, "text-anchor": "middle" }, ["−90°"]),
  ];
  const marks = points.map((point) => {
    const [x, y] = onPlot(point.zenith, point.azimuth, RADIUS);
    const mark = svg("circle", {
      cx: short(centre + x),
      cy: short(centre + y),
      r: 4,
      fill: css(point.colour),
      class: "mark",
    });
    mark.dataset["path"] = String(point.path);
    mark.setAttribute("aria-label", point.label);
    mark.append(svg("title", {}, [point.label]));
    return mark;
  });
  const result = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "plot" }, [...frame, ...marks]);
  result.setAttribute("role", "group");
  result.setAttribute("aria-label", title);
  return result;
}
