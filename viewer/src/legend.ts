/** Legends of colour scales, as SVG, so that pictures that leave the page have the same. */

import { css, serverColour, type Rgb } from "./colours";
import { place, ticks, type ColourScale } from "./scale";
import { svg } from "./svg";
import type { Theme } from "./theme";

export const LEGEND_WIDTH = 236;
const BAR_WIDTH = 204;
const MAX_SERVERS = 12;

/** A legend and its height. Colours come from the theme, as the file has no style sheet. */
export function legend(scale: ColourScale, theme: Theme): { element: SVGSVGElement; height: number } {
  const isList = scale.servers !== undefined;
  const names = (scale.servers ?? []).slice(0, MAX_SERVERS);
  const hidden = (scale.servers?.length ?? 0) - names.length;
  const greys = scale.greys ?? [];
  const bare = isList ? 26 + 18 * (names.length + (hidden > 0 ? 1 : 0)) + 4 : 62;
  const height = bare + 18 * greys.length;
  const unit = scale.unit ? ` (${scale.unit})` : "";
  const title = svg("text", { x: 16, y: 18, fill: theme.text, "font-weight": 600 }, [
    shorten(scale.title, 29 - unit.length) + unit,
  ]);
  const parts = isList ? list(names, hidden, theme) : bar(scale, theme);
  greys.forEach(([words, colour], i) => parts.push(...entry(bare + 1 + 18 * i, colour, words, theme)));
  const element = svg(
    "svg",
    {
      width: LEGEND_WIDTH,
      height,
      viewBox: `0 0 ${LEGEND_WIDTH} ${height}`,
      "font-family": "system-ui, sans-serif",
      "font-size": 12,
    },
    [svg("rect", { width: LEGEND_WIDTH, height, rx: 6, fill: theme.plate, "fill-opacity": 0.9 }), title, ...parts],
  );
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", label(scale));
  return { element, height };
}

function bar(scale: ColourScale, theme: Theme): Node[] {
  const cells: Node[] = [];
  const count = 68;
  for (let i = 0; i < count; i++) {
    const at = Math.round((i / (count - 1)) * 255) * 4;
    const rgb = [scale.table[at], scale.table[at + 1], scale.table[at + 2]] as [number, number, number];
    cells.push(
      svg("rect", {
        x: 16 + (i * BAR_WIDTH) / count,
        y: 26,
        width: BAR_WIDTH / count + 0.3,
        height: 12,
        fill: css(rgb),
      }),
    );
  }
  const marks = ticks(scale.low, scale.high, 4).flatMap((value) => {
    const x = 16 + place(scale, value) * BAR_WIDTH;
    return [
      svg("line", { x1: x, x2: x, y1: 38, y2: 42, stroke: theme.text }),
      svg("text", { x, y: 54, fill: theme.text, "text-anchor": "middle" }, [tickText(value)]),
    ];
  });
  const below = scale.hasBelow ? [svg("text", { x: 18, y: 36, fill: "#ffffff" }, ["\u2264"])] : [];
  return [...cells, ...below, ...marks];
}

function entry(y: number, colour: Rgb, words: string, theme: Theme): Node[] {
  return [
    svg("rect", { x: 16, y, width: 12, height: 12, rx: 2, fill: css(colour) }),
    svg("text", { x: 34, y: y + 10, fill: theme.text }, [words]),
  ];
}

function list(names: readonly string[], hidden: number, theme: Theme): Node[] {
  const rows = names.flatMap((name, i) => entry(27 + 18 * i, serverColour(i), shorten(name, 28), theme));
  if (hidden > 0)
    rows.push(svg("text", { x: 34, y: 37 + 18 * names.length, fill: theme.text }, [`and ${hidden} more`]));
  return rows;
}

export function tickText(value: number): string {
  const text =
    Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(0) : String(value);
  return text.replace("-", "\u2212");
}

function label(scale: ColourScale): string {
  if (scale.servers) return `Colours of ${scale.title}`;
  return `Colours of ${scale.title} from ${tickText(scale.low)} to ${tickText(scale.high)} ${scale.unit}`;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
