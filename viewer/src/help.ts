/** The list of keys. */

import { button, el } from "./panel/controls";

const KEYS: readonly (readonly [string, string])[] = [
  ["Arrow keys", "Turn the view (orbit), walk (walk), move (plan)"],
  ["Shift + arrow keys", "Move the view; walk faster"],
  ["W A S D", "Walk"],
  ["+ and −", "Come nearer, go further"],
  ["F", "Fit the view"],
  ["N, E, U, V", "View from north, east, south (U) and west (V)"],
  ["T", "View from top"],
  ["C", "Read the value and the place at the centre of the picture"],
  ["1, 2, 3", "Orbit, walk, plan"],
  ["[ and ]", "Previous and next Rx"],
  ["< and >", "Previous and next snapshot"],
  ["R", "Show or hide roofs"],
  ["Escape", "Close this list, select nothing"],
  ["?", "Show this list"],
];

export interface Help {
  open(): void;
}

export function addHelp(parent: HTMLElement): Help {
  const rows = KEYS.map(([key, about]) => {
    const head = el("th", "text", [key]);
    head.scope = "row";
    return el("tr", "", [head, el("td", "text", [about])]);
  });
  const table = el("table", "", [el("tbody", "", rows)]);
  table.setAttribute("aria-label", "Keys");
  const close = button("Close", () => dialog.close());
  const note = el("p", "note", [
    "Drag turns the view, the right button moves it, the wheel comes nearer. " +
      "Click selects a Tx, an Rx or a measured point.",
  ]);
  const dialog = el("dialog", "help", [el("h2", "", ["Keys"]), el("div", "help-body", [table, note]), close]);
  dialog.setAttribute("aria-label", "Keys");
  parent.append(dialog);
  return { open: () => dialog.showModal() };
}
