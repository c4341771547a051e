/** The table of the paths of a receiver. */

import { css } from "./colours";
import { button, el } from "./panel/controls";
import type { PathColours } from "./paths_lines";
import { belowWords } from "./scale";
import type { PathArrays } from "./snapshot_data";

export interface PathTable {
  element: HTMLElement;
  /** Marks the row of a path and brings it into sight. */
  light(path: number | null): void;
}

interface Column {
  title: string;
  about: string;
  value(paths: PathArrays, path: number): number | string;
  digits: number;
}

const degrees =
  (column: number) =>
  (paths: PathArrays, path: number): number =>
    ((paths.angles[path * 4 + column] as number) * 180) / Math.PI;

const GAIN = "Gain dB";

const COLUMNS: readonly Column[] = [
  {
    title: "Type",
    about: "Type, interactions from Tx to Rx",
    value: (p, i) => p.types[p.type[i] as number] ?? "",
    digits: 0,
  },
  { title: GAIN, about: "Path gain in dB", value: (p, i) => p.gainDb[i] as number, digits: 1 },
  { title: "Delay ns", about: "Delay in ns", value: (p, i) => (p.delay[i] as number) * 1e9, digits: 1 },
  { title: "Length m", about: "Length in m", value: (p, i) => p.length[i] as number, digits: 1 },
  { title: "Dep. ze °", about: "Zenith of departure in degrees", value: degrees(0), digits: 1 },
  { title: "Dep. az °", about: "Azimuth of departure in degrees", value: degrees(1), digits: 1 },
  { title: "Arr. ze °", about: "Zenith of arrival in degrees", value: degrees(2), digits: 1 },
  { title: "Arr. az °", about: "Azimuth of arrival in degrees", value: degrees(3), digits: 1 },
];

const FIRST_ROWS = 40;

/** `txNames` adds a column with the Tx where there are several. */
export function pathTable(
  paths: PathArrays,
  chosen: readonly number[],
  txNames: readonly string[] | null,
  colours: PathColours,
  highlight: (path: number | null) => void,
): PathTable {
  const columns = txNames
    ? [
        { title: "Tx", about: "Tx", value: (p: PathArrays, i: number) => txNames[p.tx[i] as number] ?? "", digits: 0 },
        ...COLUMNS,
      ]
    : COLUMNS;
  let sorted = columns.findIndex((column) => column.title === GAIN);
  let descending = true;
  let all = false;
  const rows = new Map<number, HTMLTableRowElement>();
  const body = el("tbody");
  const heads = columns.map((column, i) => {
    const head = el("th", i === columns.length - COLUMNS.length || (txNames && i === 0) ? "text" : "");
    head.scope = "col";
    head.append(
      button(
        column.title,
        () => {
          descending = sorted === i ? !descending : column.title === GAIN;
          sorted = i;
          fill();
        },
        `Sort by ${column.about}`,
      ),
    );
    return head;
  });
  const more = button("", () => {
    all = true;
    fill();
  });
  const fill = (): void => {
    const column = columns[sorted] as Column;
    const order = [...chosen].sort(
      (a, b) => compare(column.value(paths, a), column.value(paths, b)) * (descending ? -1 : 1) || a - b,
    );
    const shown = all ? order : order.slice(0, FIRST_ROWS);
    heads.forEach((head, i) =>
      head.setAttribute("aria-sort", i !== sorted ? "none" : descending ? "descending" : "ascending"),
    );
    rows.clear();
    body.replaceChildren(...shown.map((path) => row(path)));
    more.hidden = shown.length === order.length;
    more.textContent = `Show all ${order.length}`;
  };
  const row = (path: number): HTMLTableRowElement => {
    const cells = columns.map((column) => {
      const value = column.value(paths, path);
      if (typeof value === "string") return el("td", "text", [value]);
      const key = column.title === GAIN ? [keyOf(path)] : [];
      return el("td", "", [...key, cellText(value, column.digits)]);
    });
    const element = el("tr", "", cells);
    element.tabIndex = 0;
    element.dataset["path"] = String(path);
    element.addEventListener("pointerenter", () => highlight(path));
    element.addEventListener("focus", () => highlight(path));
    element.addEventListener("blur", () => highlight(null));
    rows.set(path, element);
    return element;
  };
  /** The colour of the path, marked where weaker paths have it too. */
  const keyOf = (path: number): HTMLElement => {
    const rgb = new Uint8Array(3);
    colours.write(path, rgb);
    const isBelow = colours.isBelow(path);
    const key = el("span", "key", [isBelow ? "\u2264" : ""]);
    key.style.backgroundColor = css([rgb[0] ?? 0, rgb[1] ?? 0, rgb[2] ?? 0]);
    if (isBelow) key.title = belowWords(colours.scale);
    return key;
  };
  body.addEventListener("pointerleave", () => highlight(null));
  fill();
  const table = el("table", "", [el("thead", "", [el("tr", "", heads)]), body]);
  table.setAttribute("aria-label", "Paths");
  let lit: HTMLTableRowElement | null = null;
  return {
    element: el("div", "table-frame", [table, more]),
    light(path) {
      lit?.classList.remove("lit");
      lit = path === null ? null : (rows.get(path) ?? null);
      lit?.classList.add("lit");
      if (lit && !lit.matches(":hover, :focus")) lit.scrollIntoView({ block: "nearest" });
    },
  };
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === "string" || typeof b === "string") return String(a) < String(b) ? -1 : a === b ? 0 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}

function cellText(value: number, digits: number): string {
  if (value === -Infinity) return "none";
  return value.toFixed(digits).replace("-", "\u2212");
}
