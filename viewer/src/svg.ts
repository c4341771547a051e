/** Makes SVG elements. Attributes and text are set, never parsed. */

export const SVG = "http://www.w3.org/2000/svg";

export type Attributes = Record<string, string | number>;

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  children: readonly (Node | string)[] = [],
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A number for an attribute, short. */
export function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}
