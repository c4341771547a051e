/** The side panel: what it is called, its sections, and the button that folds it. */

import type { App } from "../app";
import { button, el } from "./controls";

export function addPanel(app: App, parent: HTMLElement, sections: readonly (HTMLElement | null)[]): void {
  const { view } = app;
  const body = el("div", "panel-body", [
    el("h1", "", [view.title || "keller"]),
    el("p", "note", [view.program]),
    ...sections.filter((one) => one !== null),
  ]);
  body.id = "panel-body";
  const toggle = button("", () => {
    body.hidden = !body.hidden;
    show();
  });
  toggle.className = "panel-toggle";
  toggle.setAttribute("aria-controls", body.id);
  const show = (): void => {
    toggle.setAttribute("aria-expanded", String(!body.hidden));
    toggle.setAttribute("aria-label", body.hidden ? "Show panel" : "Hide panel");
    toggle.textContent = body.hidden ? "\u2039" : "\u203a";
  };
  body.hidden = window.innerWidth < 640;
  show();
  const panel = el("aside", "panel", [toggle, body]);
  panel.setAttribute("aria-label", "Panel");
  parent.append(panel);
}
