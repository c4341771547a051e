/** Controls of the panel: plain form elements with labels, tied to signals. */

import type { Signal } from "../signal";

let ids = 0;

export function nextId(): string {
  return `c${ids++}`;
}

export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = "",
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** A part of the panel that folds. */
export function section(title: string, children: readonly Node[], open = true): HTMLElement {
  const details = el("details", "section", [el("summary", "", [title]), el("div", "section-body", children)]);
  details.open = open;
  return details;
}

export function checkbox(text: string, value: Signal<boolean>): HTMLElement {
  return check(
    text,
    value.get(),
    (next) => value.set(next),
    (show) => value.watch(show),
  );
}

export function check(
  text: string,
  initial: boolean,
  change: (value: boolean) => void,
  watch?: (show: (value: boolean) => void) => void,
): HTMLElement {
  const input = el("input");
  input.type = "checkbox";
  input.id = nextId();
  input.checked = initial;
  input.addEventListener("change", () => change(input.checked));
  watch?.((value) => {
    input.checked = value;
  });
  const label = el("label", "", [text]);
  label.htmlFor = input.id;
  return el("div", "row check", [input, label]);
}

export function button(text: string, press: () => void, about?: string): HTMLButtonElement {
  const element = el("button", "", [text]);
  element.type = "button";
  if (about) element.setAttribute("aria-label", about);
  element.addEventListener("click", press);
  return element;
}

/** Buttons of which one is pressed. */
export function choice<T>(title: string, options: readonly (readonly [T, string])[], value: Signal<T>): HTMLElement {
  const buttons = options.map(([option, text]) => {
    const one = button(text, () => value.set(option));
    const show = (): void => one.setAttribute("aria-pressed", String(value.get() === option));
    value.watch(show);
    show();
    return one;
  });
  const group = el("div", "buttons", buttons);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", title);
  return el("div", "row stacked", [el("span", "caption", [title]), group]);
}

export interface Select<T> {
  element: HTMLElement;
  setOptions(options: readonly (readonly [T, string])[], value: T): void;
}

export function select<T>(title: string, change: (value: T) => void): Select<T> {
  const input = el("select");
  input.id = nextId();
  const label = el("label", "", [title]);
  label.htmlFor = input.id;
  let values: T[] = [];
  input.addEventListener("change", () => change(values[input.selectedIndex] as T));
  const element = el("div", "row", [label, input]);
  return {
    element,
    setOptions(options, value) {
      values = options.map(([option]) => option);
      input.replaceChildren(...options.map(([, text]) => el("option", "", [text])));
      input.selectedIndex = Math.max(
        0,
        values.findIndex((option) => option === value),
      );
    },
  };
}

/** A select whose options stay the same. */
export function fixedSelect<T>(
  title: string,
  options: readonly (readonly [T, string])[],
  value: Signal<T>,
): HTMLElement {
  const result = select<T>(title, (next) => value.set(next));
  const show = (): void => result.setOptions(options, value.get());
  value.watch(show);
  show();
  return result.element;
}

export interface SliderOptions {
  title: string;
  min: number;
  max: number;
  step: number;
  get(): number;
  set(value: number): void;
  /** Calls back when the value changes elsewhere. */
  watch(show: () => void): void;
  /** Text instead of a number field, as for names of steps. */
  text?: (value: number) => string;
}

export interface Slider {
  element: HTMLElement;
  setRange(min: number, max: number, step: number): void;
  show(): void;
}

/** A slider with a field for its number. */
export function slider(options: SliderOptions): Slider {
  const { title, text } = options;
  const range = el("input");
  range.type = "range";
  range.id = nextId();
  const label = el("label", "", [title]);
  label.htmlFor = range.id;
  const field = el("input", "number");
  field.type = "number";
  field.setAttribute("aria-label", `${title}, number`);
  const output = el("output");
  output.htmlFor.add(range.id);
  const decimals = (): number => Math.max(0, -Math.floor(Math.log10(Number(range.step) || 1) + 1e-9));
  const show = (): void => {
    const value = options.get();
    range.value = String(value);
    field.value = String(Number(value.toFixed(Math.min(6, decimals()))));
    if (!text) return;
    output.textContent = text(value);
    range.setAttribute("aria-valuetext", text(value));
  };
  const setRange = (min: number, max: number, step: number): void => {
    for (const input of [range, field]) {
      input.min = String(min);
      input.max = String(max);
      input.step = String(step);
    }
    field.step = "any";
    show();
  };
  range.addEventListener("input", () => options.set(Number(range.value)));
  field.addEventListener("change", () => {
    const value = field.valueAsNumber;
    if (Number.isFinite(value)) options.set(Math.min(Number(range.max), Math.max(Number(range.min), value)));
    show();
  });
  options.watch(show);
  setRange(options.min, options.max, options.step);
  const head = el("div", "slider-head", [label, text ? output : field]);
  return { element: el("div", "row stacked", [head, range]), setRange, show };
}

export function signalSlider(
  title: string,
  value: Signal<number>,
  min: number,
  max: number,
  step: number,
): HTMLElement {
  return slider({ title, min, max, step, get: value.get, set: value.set, watch: (show) => value.watch(show) }).element;
}

/** A field for a number. */
export function numberField(
  title: string,
  get: () => number,
  set: (value: number) => void,
): { element: HTMLElement; show(): void } {
  const field = el("input", "number");
  field.type = "number";
  field.step = "any";
  field.setAttribute("aria-label", title);
  field.addEventListener("change", () => {
    if (Number.isFinite(field.valueAsNumber)) set(field.valueAsNumber);
    show();
  });
  const show = (): void => {
    field.value = String(Number(get().toPrecision(6)));
  };
  show();
  return { element: field, show };
}
