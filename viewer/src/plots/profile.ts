/** Power-delay profile: gain of each path over its delay, and the sum of power in bins of delay. */

import { css } from "../colours";
import { tickText } from "../legend";
import { ticks } from "../scale";
import { short, svg } from "../svg";

export interface ProfilePoint {
  path: number;
  delayNs: number;
  gainDb: number;
  colour: readonly [number, number, number];
  label: string;
}

export interface ProfileBin {
  /** Start of the bin, ns. */
  start: number;
  /** Sum of the power of its paths, dB. */
  powerDb: number;
}

/** The power in bins of equal width; empty bins are left out. */
export function delayBins(delaysNs: readonly number[], gainsDb: readonly number[], width: number): ProfileBin[] {
  const sums = new Map<number, number>();
  delaysNs.forEach((delay, i) => {
    const gain = gainsDb[i] as number;
    if (!Number.isFinite(gain)) return;
    const bin = Math.floor(delay / width + 1e-9);
    sums.set(bin, (sums.get(bin) ?? 0) + 10 ** (gain / 10));
  });
  return [...sums.entries()]
    .sort(([a], [b]) => a - b)
    .map(([bin, power]) => ({ start: bin * width, powerDb: 10 * Math.log10(power) }));
}

const WIDTH = 360;
const HEIGHT = 150;
const MARGIN = { left: 58, right: 10, top: 8, bottom: 34 };
const BINS = 48;

export function profilePlot(points: readonly ProfilePoint[]): SVGSVGElement {
  const finite = points.filter((point) => Number.isFinite(point.gainDb));
  const delays = finite.map((point) => point.delayNs);
  const gains = finite.map((point) => point.gainDb);
  const [first, last] = [Math.min(...delays, Infinity), Math.max(...delays, -Infinity)];
  const span = Math.max(last - first, Math.abs(last) * 0.02, 1);
  const low = Number.isFinite(first) ? Math.max(0, first - span * 0.06) : 0;
  const high = Number.isFinite(last) ? last + span * 0.06 : 1;
  const top = gains.length ? Math.ceil((Math.max(...gains) + 3) / 10) * 10 : 0;
  const bottom = Math.max(top - 80, Math.min(top - 20, Math.floor((Math.min(...gains, top) - 3) / 10) * 10));
  const isClipped = gains.some((gain) => gain < bottom);
  const x = (delay: number): number =>
    MARGIN.left + ((delay - low) / (high - low)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (gain: number): number =>
    HEIGHT -
    MARGIN.bottom -
    ((Math.max(gain, bottom) - bottom) / (top - bottom)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const floor = HEIGHT - MARGIN.bottom;
  const axes: Node[] = [
    svg("path", { d: `M${MARGIN.left} ${MARGIN.top} V${floor} H${WIDTH - MARGIN.right}`, class: "axis", fill: "none" }),
  ];
  // What is weaker than the lowest gain lies on the axis.
  const gainTicks = ticks(bottom, top, 4).filter((value) => !isClipped || value - bottom > 0.1 * (top - bottom));
  for (const value of isClipped ? [bottom, ...gainTicks] : gainTicks) {
    axes.push(svg("path", { d: `M${MARGIN.left} ${short(y(value))} H${WIDTH - MARGIN.right}`, class: "grid" }));
    axes.push(
      svg("text", { x: MARGIN.left - 5, y: short(y(value) + 4), "text-anchor": "end" }, [
        value === bottom && isClipped ? `\u2264 ${tickText(value)}` : tickText(value),
      ]),
    );
  }
  for (const value of ticks(low, high, 6)) {
    axes.push(svg("text", { x: short(x(value)), y: floor + 14, "text-anchor": "middle" }, [tickText(value)]));
  }
  axes.push(svg("text", { x: (MARGIN.left + WIDTH) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, ["Delay (ns)"]));
  axes.push(
    svg("text", { x: 12, y: floor / 2, transform: `rotate(-90 12 ${floor / 2})`, "text-anchor": "middle" }, [
      "Gain (dB)",
    ]),
  );
  const width = (high - low) / BINS;
  const bars = delayBins(delays, gains, width).map(({ start, powerDb }) =>
    svg("rect", {
      x: short(x(start)),
      y: short(y(powerDb)),
      width: short(x(start + width) - x(start)),
      height: short(Math.max(0, floor - y(powerDb))),
      class: "bin",
    }),
  );
  const marks = finite.map((point) => {
    const stem = svg("path", {
      d: `M${short(x(point.delayNs))} ${floor} V${short(y(point.gainDb))}`,
      stroke: css(point.colour),
      class: "stem",
    });
    const mark = svg("circle", {
      cx: short(x(point.delayNs)),
      cy: short(y(point.gainDb)),
      r: 4,
      fill: css(point.colour),
      class: "mark",
    });
    mark.dataset["path"] = String(point.path);
    mark.setAttribute("aria-label", point.label);
    mark.append(svg("title", {}, [point.label]));
    return svg("g", {}, [stem, mark]);
  });
  const result = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot" }, [...bars, ...axes, ...marks]);
  result.setAttribute("role", "group");
  result.setAttribute("aria-label", "Power-delay profile");
  return result;
}
