/** What is known of the selected receiver: quantities of its links, its paths, and plots of them. */

import type { App } from "./app";
import { pathTable, type PathTable } from "./path_table";
import { visiblePaths } from "./paths_filter";
import { pathColours } from "./paths_lines";
import { button, el } from "./panel/controls";
import { anglesPlot, type AnglePoint } from "./plots/angles";
import { profilePlot, type ProfilePoint } from "./plots/profile";
import { belowWords, capital, format } from "./scale";
import { watchAll } from "./signal";
import { plainUnit } from "./units";
import { rxName, txName, type PathArrays, type SnapshotData, type Snapshots } from "./snapshot_data";

/** Plots of more points than this are blots. */
const MAX_PLOTTED = 400;

export interface LinkPanel {
  /** Rows of the table that can be shown: paths that pass the filters, drawn or not. */
  paths(): readonly number[];
  /** Those of them that are drawn. */
  drawn(): readonly number[];
}

/** `uncover` is called when a receiver is selected, with the card that now covers a part of the picture. */
export function addLinkPanel(
  app: App,
  snapshots: Snapshots,
  parent: HTMLElement,
  uncover: (card: HTMLElement, rx: number) => void,
): LinkPanel {
  const { state } = app;
  const card = el("section", "card");
  card.setAttribute("aria-label", "Selected Rx");
  card.hidden = true;
  parent.append(card);
  let chosen: number[] = [];
  let drawn: number[] = [];
  let table: PathTable | null = null;

  const choices = state.paths;
  const highlight = (path: number | null): void => choices.highlighted.set(path);
  const show = async (): Promise<void> => {
    const data = snapshots.current.get();
    const rx = state.rx.get();
    if (!data || rx === null || rx >= data.snapshot.rx.count) {
      card.hidden = true;
      [chosen, drawn] = [[], []];
      table = null;
      return;
    }
    const title = rxName(data.snapshot, rx);
    const links = await linkTable(app, snapshots, data, rx);
    if (state.rx.get() !== rx || snapshots.current.get() !== data) return;
    chosen = data.paths ? pathsOf(app, data.paths, rx, null) : [];
    drawn = data.paths ? pathsOf(app, data.paths, rx, state.paths.strongest.get()) : [];
    const close = button("×", () => state.rx.set(null), "Close");
    close.className = "close";
    const children: Node[] = [...links];
    table = null;
    if (Number.isNaN(data.rx[3 * rx])) {
      children.push(el("p", "note", ["It has no place: it would stand inside a wall or over no ground."]));
    } else if (data.paths) {
      children.push(summary(app, chosen.length, drawn.length));
      if (chosen.length > 0) {
        const txs = new Set(chosen.map((path) => data.paths?.tx[path]));
        const names = txs.size > 1 ? data.snapshot.tx.map((_, i) => txName(data.snapshot, i)) : null;
        const colours = pathColours(data.paths, choices.colourBy.get());
        table = pathTable(data.paths, chosen, names, colours, highlight);
        children.push(table.element, ...plots(app, data.paths, chosen, highlight));
      }
    }
    card.replaceChildren(el("header", "", [el("h2", "", [title]), close]), el("div", "card-body", children));
    card.hidden = false;
    uncover(card, rx);
    app.announce(`${title} selected, ${chosen.length} paths.`);
  };
  watchAll(
    [
      snapshots.current,
      state.rx,
      choices.tx,
      choices.hiddenTypes,
      choices.maxInteractions,
      choices.minGain,
      choices.strongest,
      choices.colourBy,
    ],
    () => app.attempt(show()),
  );
  choices.highlighted.watch((path) => {
    table?.light(path);
    for (const mark of card.querySelectorAll<SVGElement>(".mark")) {
      mark.classList.toggle("lit", path !== null && mark.dataset["path"] === String(path));
    }
  });
  return { paths: () => chosen, drawn: () => drawn };
}

/** How many paths there are, and what draws all of them where only the strongest are drawn. */
function summary(app: App, chosen: number, drawn: number): HTMLElement {
  const { strongest } = app.state.paths;
  const count = chosen === 1 ? "1 path" : `${chosen} paths`;
  if (drawn === chosen) return el("p", "note", [count]);
  const all = button("Draw all", () => strongest.set(null), "Draw all paths");
  return el("p", "note", [`${count}, of which the strongest ${drawn} are drawn `, all]);
}

/** Paths of a receiver that pass the filters, strongest first, and of each link so many at most. */
function pathsOf(app: App, paths: PathArrays, rx: number, strongest: number | null): number[] {
  const { tx, hiddenTypes, maxInteractions, minGain } = app.state.paths;
  return [
    ...visiblePaths(paths, {
      tx: tx.get(),
      rx,
      hiddenTypes: hiddenTypes.get(),
      maxInteractions: maxInteractions.get(),
      minGain: minGain.get(),
      strongest,
    }),
  ];
}

async function linkTable(app: App, snapshots: Snapshots, data: SnapshotData, rx: number): Promise<Node[]> {
  const columns = data.snapshot.links?.columns ?? [];
  if (columns.length === 0) return [];
  const values = await Promise.all(columns.map((column) => snapshots.link(column)));
  const chosenTx = app.state.paths.tx.get();
  const txs = data.snapshot.tx
    .map((_, i) => i)
    .filter((i) => chosenTx === null || i === chosenTx)
    .slice(0, 6);
  const count = data.snapshot.rx.count;
  const head = el(
    "tr",
    "",
    ["Quantity", ...txs.map((tx) => txName(data.snapshot, tx))].map((text) => {
      const cell = el("th", "", [text]);
      cell.scope = "col";
      return cell;
    }),
  );
  const rows = columns.map((column, i) => {
    const name = el("th", "text", [capital(column.label)]);
    name.scope = "row";
    return el("tr", "", [
      name,
      ...txs.map((tx) => el("td", "", [format(values[i]?.[tx * count + rx] ?? NaN, plainUnit(column.unit).unit)])),
    ]);
  });
  const table = el("table", "", [el("thead", "", [head]), el("tbody", "", rows)]);
  table.setAttribute("aria-label", "Links");
  return [el("div", "table-frame links", [table])];
}

function plots(
  app: App,
  paths: PathArrays,
  chosen: readonly number[],
  highlight: (path: number | null) => void,
): Node[] {
  const colours = pathColours(paths, app.state.paths.colourBy.get());
  // The strongest come last and lie on top.
  const drawn = chosen.slice(0, MAX_PLOTTED).reverse();
  const of = (path: number): { colour: [number, number, number]; label: string } => {
    const rgb = new Uint8Array(3);
    colours.write(path, rgb);
    const gain = format(paths.gainDb[path] as number, "dB");
    const below = colours.isBelow(path) ? ` (${belowWords(colours.scale)})` : "";
    return {
      colour: [...rgb] as [number, number, number],
      label: `${paths.types[paths.type[path] as number] ?? ""}, ${gain}${below}`,
    };
  };
  const profile = drawn.map((path): ProfilePoint => ({
    path,
    delayNs: (paths.delay[path] as number) * 1e9,
    gainDb: paths.gainDb[path] as number,
    ...of(path),
  }));
  const side = (column: number): AnglePoint[] =>
    drawn.map((path) => ({
      path,
      zenith: paths.angles[path * 4 + column] as number,
      azimuth: paths.angles[path * 4 + column + 1] as number,
      ...of(path),
    }));
  const figure = (title: string, plot: SVGSVGElement): HTMLElement => {
    for (const mark of plot.querySelectorAll<SVGElement>(".mark")) {
      const path = Number(mark.dataset["path"]);
      mark.setAttribute("tabindex", "0");
      mark.setAttribute("role", "img");
      mark.addEventListener("pointerenter", () => highlight(path));
      mark.addEventListener("pointerleave", () => highlight(null));
      mark.addEventListener("focus", () => highlight(path));
      mark.addEventListener("blur", () => highlight(null));
    }
    return el("figure", "", [plot, el("figcaption", "", [title])]);
  };
  return [
    figure("Power-delay profile", profilePlot(profile)),
    el("div", "pair", [
      figure("Departure (centre up, ring horizon)", anglesPlot("Angles of departure", side(0))),
      figure("Arrival (centre up, ring horizon)", anglesPlot("Angles of arrival", side(2))),
    ]),
  ];
}
