/** Reads the manifest of the page. */

import { ViewError } from "./failure";
import { VERSION, type View } from "./format";

export function readManifest(text: string | null | undefined): View {
  if (!text) throw new ViewError("This page holds no view: make one with `keller view`.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ViewError("The manifest of this view is damaged: it is not JSON.");
  }
  if (!isRecord(value) || value.format !== "keller view") {
    throw new ViewError("This page holds something else than a keller view.");
  }
  if (value.version !== VERSION) {
    throw new ViewError(
      `This view has version ${String(value.version)} of the format, and this viewer reads version ${VERSION}.`,
    );
  }
  for (const key of ["origin", "bounds", "parts", "snapshots", "maps", "surfaces", "measured"]) {
    if (!Array.isArray(value[key])) throw new ViewError(`The manifest of this view is damaged: it has no ${key}.`);
  }
  if ((value.snapshots as unknown[]).length === 0) {
    throw new ViewError("The manifest of this view is damaged: it has no snapshot.");
  }
  return value as unknown as View;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
