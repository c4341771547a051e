// Parts and pages, as the program writes them.
import { gzipSync } from "node:zlib";

/** Collects arrays as parts. */
export function partList() {
  const packed = [];
  const sizes = [];
  const add = (type, shape, values, extra = {}) => {
    const kinds = { f32: Float32Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array };
    const array = kinds[type].from(values);
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    packed.push(gzipSync(bytes));
    sizes.push(bytes.length);
    return { part: packed.length - 1, type, shape, ...extra };
  };
  return { packed, sizes, add };
}

/** Values as codes; NaN and minus infinity have codes of their own. */
export function quantise(list, shape, values) {
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const scale = (high - low) / 65_533 || 1;
  const codes = values.map((value) =>
    Number.isNaN(value) ? 0 : value === -Infinity ? 1 : 2 + Math.round((value - low) / scale),
  );
  return { ref: list.add("u16", shape, codes, { scale, offset: low }), range: [low, high] };
}

/** A page: the template with a manifest and, unless it is served, its parts. */
export function pageOf(template, manifest, packed, served = false) {
  const json = JSON.stringify(manifest).replaceAll("<", "\\u003c");
  const elements = [`<script type="application/json" id="view">${json}</script>`];
  if (!served) {
    packed.forEach((bytes, i) =>
      elements.push(`<script type="text/plain" id="part-${i}">${bytes.toString("base64")}</script>`),
    );
  }
  return template.replace("<!--view-->", () => elements.join("\n"));
}
