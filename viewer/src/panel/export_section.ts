/** Panel section: files of the picture. */

import { button, el, section } from "./controls";

export function exportSection(png: () => void, svg: () => void): HTMLElement {
  return section("Export", [
    el("div", "buttons", [
      button("PNG", png, "Save the picture as PNG"),
      button("SVG", svg, "Save the picture as SVG"),
    ]),
  ]);
}
