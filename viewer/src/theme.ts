/** Colours of the picture in dark and in light, for what style sheets do not reach. */

export interface Theme {
  background: string;
  text: string;
  /** Behind text over the picture. */
  plate: string;
  line: string;
  outline: string;
  rx: string;
  tx: string;
}

const LIGHT: Theme = {
  background: "#e9edf1",
  text: "#15202b",
  plate: "#ffffff",
  line: "#46525e",
  outline: "#ffffff",
  rx: "#1b6ac9",
  tx: "#c8322b",
};

const DARK: Theme = {
  background: "#171c22",
  text: "#e8edf2",
  plate: "#20272f",
  line: "#8f9ba8",
  outline: "#0c1014",
  rx: "#6cb2ff",
  tx: "#ff7a66",
};

let query: MediaQueryList | null = null;

function dark(): MediaQueryList {
  return (query ??= matchMedia("(prefers-color-scheme: dark)"));
}

export function theme(): Theme {
  return dark().matches ? DARK : LIGHT;
}

export function watchTheme(callback: () => void): void {
  dark().addEventListener("change", callback);
}
