/** Loads the arrays of a view: from elements of the page or, where there are none, from beside the page. */

import { ViewError } from "./failure";
import type { ArrayRef } from "./format";

export type Numbers =
  Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** Gives the gzip bytes of a part. */
export type Fetch = (part: number) => Promise<Uint8Array<ArrayBuffer>>;

export interface Parts {
  f32(ref: ArrayRef): Promise<Float32Array<ArrayBuffer>>;
  u32(ref: ArrayRef): Promise<Uint32Array<ArrayBuffer>>;
  u16(ref: ArrayRef): Promise<Uint16Array<ArrayBuffer>>;
  u8(ref: ArrayRef): Promise<Uint8Array<ArrayBuffer>>;
  /** Forgets the numbers of a part, so that memory holds them no longer than whoever still uses them. */
  drop(ref: ArrayRef): void;
}

const ELEMENT_BYTES = { f32: 4, u32: 4, u16: 2, u8: 1 };

/** `sizes` are the uncompressed sizes in bytes, as the manifest has them. */
export function openParts(fetchPart: Fetch, sizes: readonly number[]): Parts {
  const cache = new Map<number, Promise<ArrayBuffer>>();
  const bytes = (ref: ArrayRef): Promise<ArrayBuffer> => {
    let entry = cache.get(ref.part);
    if (!entry) {
      entry = fetchPart(ref.part).then((packed) => unpack(packed, ref.part));
      cache.set(ref.part, entry);
      entry.catch(() => cache.delete(ref.part));
    }
    return entry;
  };
  const load = async (ref: ArrayRef, type: ArrayRef["type"]): Promise<ArrayBuffer> => {
    if (ref.type !== type) throw damaged(ref.part, `it holds ${ref.type} where ${type} is expected`);
    const buffer = await bytes(ref);
    const expected = ref.shape.reduce((product, length) => product * length, 1) * ELEMENT_BYTES[type];
    if (buffer.byteLength !== expected || (sizes[ref.part] ?? expected) !== expected) {
      throw damaged(ref.part, `it has ${buffer.byteLength} bytes instead of ${expected}`);
    }
    return buffer;
  };
  return {
    f32: async (ref) => new Float32Array(await load(ref, "f32")),
    u32: async (ref) => new Uint32Array(await load(ref, "u32")),
    u16: async (ref) => new Uint16Array(await load(ref, "u16")),
    u8: async (ref) => new Uint8Array(await load(ref, "u8")),
    drop: (ref) => {
      cache.delete(ref.part);
    },
  };
}

/** Takes parts from elements of the page, or from beside it if the page was served without them. */
export function partsOfPage(page: Document, served: boolean): Fetch {
  return async (part) => {
    const element = page.getElementById(`part-${part}`);
    if (element) return fromBase64((element.textContent ?? "").trim(), part);
    if (!served) throw new ViewError(`Part ${part} of this view is missing: the file is incomplete.`);
    let answer: Response;
    try {
      // Once more where it fails: the server may just have closed the connection that the browser used again.
      answer = await fetch(`part/${part}`).catch(() => fetch(`part/${part}`));
    } catch {
      throw new ViewError(`Part ${part} of this view cannot be fetched: does \`keller view --serve\` still run?`);
    }
    if (!answer.ok) throw new ViewError(`Part ${part} of this view is missing: the server answers ${answer.status}.`);
    return new Uint8Array(await answer.arrayBuffer());
  };
}

export function fromBase64(text: string, part: number): Uint8Array<ArrayBuffer> {
  try {
    // Newer browsers decode at once; older ones go by way of a string of bytes.
    const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
    if (native) return native.call(Uint8Array, text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  } catch {
    throw damaged(part, "it is not base64");
  }
}

async function unpack(packed: Uint8Array<ArrayBuffer>, part: number): Promise<ArrayBuffer> {
  try {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return await new Response(stream).arrayBuffer();
  } catch {
    throw damaged(part, "it does not decompress");
  }
}

function damaged(part: number, why: string): ViewError {
  return new ViewError(`Part ${part} of this view is damaged: ${why}.`);
}

/** The value of a code of a quantised array: NaN for none, minus infinity for no power. */
export function valueOfCode(code: number, ref: ArrayRef): number {
  if (code === 0) return NaN;
  if (code === 1) return -Infinity;
  return (ref.offset ?? 0) + (ref.scale ?? 1) * (code - 2);
}

/** The code of a value, at least 2, not rounded. */
export function codeOfValue(value: number, ref: ArrayRef): number {
  return 2 + (value - (ref.offset ?? 0)) / (ref.scale || 1);
}
