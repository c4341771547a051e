/** What goes wrong, told in one sentence on the page. */

/** An error whose message is a sentence for the reader of the page. */
export class ViewError extends Error {}

export function sentence(error: unknown): string {
  if (error instanceof ViewError) return error.message;
  const text = error instanceof Error ? error.message : String(error);
  return `The viewer failed: ${text}.`;
}

/** Shows an error over the page. A fatal one takes the place of everything else. */
export function showFailure(root: HTMLElement, error: unknown, fatal: boolean): void {
  const message = sentence(error);
  if (fatal) root.replaceChildren();
  const box = document.createElement("div");
  box.className = fatal ? "failure fatal" : "failure";
  box.setAttribute("role", "alert");
  const text = document.createElement("p");
  text.textContent = message;
  box.append(text);
  if (!fatal) {
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => box.remove());
    box.append(close);
  }
  root.append(box);
}
