/** What is known of the selected measured point. */

import type { App } from "./app";
import type { MeasuredPoints } from "./measured";
import { button, el } from "./panel/controls";

export function addPointPanel(app: App, measured: MeasuredPoints, parent: HTMLElement): void {
  const selected = app.state.measured.selected;
  const card = el("section", "card");
  card.setAttribute("aria-label", "Selected measured point");
  card.hidden = true;
  parent.append(card);
  const show = async (index: number | null): Promise<void> => {
    card.hidden = index === null;
    if (index === null) return;
    const { name, rows } = await measured.describe(index);
    const close = button("×", () => selected.set(null), "Close");
    close.className = "close";
    const body = rows.map(([label, text]) => {
      const head = el("th", "text", [label]);
      head.scope = "row";
      return el("tr", "", [head, el("td", "", [text])]);
    });
    const table = el("table", "", [el("tbody", "", body)]);
    table.setAttribute("aria-label", "Values");
    const content = el("div", "card-body", [el("div", "table-frame", [table])]);
    card.replaceChildren(el("header", "", [el("h2", "", [name]), close]), content);
    app.announce(`${name}: ${rows.map((row) => row.join(" ")).join(", ")}`);
  };
  selected.watch((index) => app.attempt(show(index)));
}
