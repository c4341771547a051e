// Starts the browser for tests, without a network, and opens pages.
import { rmSync } from "node:fs";
import { access, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { street } from "../synthetic.mjs";
import { pageOf } from "../synthetic_parts.mjs";

// Each page of a test is a folder to remove at the end.
process.setMaxListeners(100);

const TEMPLATE = new URL("../../../crates/keller-io/src/reports/view/viewer.html", import.meta.url);

/** `compositor`: "angle" puts the page together as graphics cards do, "software" as browsers without one do. */
export async function launch(compositor = "angle") {
  return puppeteer.launch({
    executablePath: await executable(),
    headless: true,
    // Software drawing gives the same picture on every machine.
    args: [
      "--no-sandbox",
      compositor === "software" ? "--disable-gpu" : "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--hide-scrollbars",
      "--force-color-profile=srgb",
    ],
  });
}

async function executable() {
  const { KELLER_CHROMIUM, PATH = "" } = process.env;
  if (KELLER_CHROMIUM) return KELLER_CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]) {
    for (const folder of PATH.split(delimiter)) {
      const path = join(folder, name);
      if (
        await access(path).then(
          () => true,
          () => false,
        )
      )
        return path;
    }
  }
  throw new Error("no Chromium found: set KELLER_CHROMIUM to its program");
}

export async function template() {
  return readFile(TEMPLATE, "utf8");
}

/** Writes a view to a file of its own and gives its address. */
export async function fileOf(view, change = (html) => html) {
  const folder = await mkdtemp(join(tmpdir(), "keller-view-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "view.html");
  await writeFile(path, change(pageOf(await template(), view.manifest, view.packed)));
  return pathToFileURL(path).href;
}

export async function streetFile() {
  return fileOf(street());
}

/**
 * Opens a page without a network. `problems` fills with whatever it asks for besides itself, and with what it writes
 * to the console.
 */
export async function open(browser, address, options = {}) {
  const { width = 1280, height = 720, dark = false, touch = false, allow = () => false } = options;
  const page = await browser.newPage();
  const problems = [];
  await page.setViewport({ width, height, hasTouch: touch, isMobile: touch });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  if (address.startsWith("file:")) await page.setOfflineMode(true);
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const url = request.url();
    if (url === address || url.startsWith("data:") || url.startsWith("blob:") || allow(url)) {
      request.continue();
      return;
    }
    problems.push(`request ${url}`);
    request.abort();
  });
  page.on("console", (message) => {
    // Chromium's own remark about software drawing.
    if (
      ["error", "warn"].includes(message.type()) &&
      !/GPU stall due to ReadPixels|GL Driver Message/.test(message.text())
    ) {
      problems.push(`console ${message.type()}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(address);
  return { page, problems };
}

export async function ready(page) {
  await page.evaluate(() => window.keller.ready.then(() => window.keller.render()));
}

export async function state(page) {
  return page.evaluate(() => window.keller.state());
}

/** The picture as RGBA bytes. */
export async function pixels(page) {
  await page.evaluate(() => window.keller.render());
  return page.evaluate(async () => {
    const image = await createImageBitmap(await window.keller.png());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
    return { width, height, data: Array.from(data) };
  });
}

/** The share of pixels that differ, and the mean absolute difference of their channels. */
export function difference(a, b) {
  if (a.width !== b.width || a.height !== b.height) return { share: 1, mean: 255 };
  let [differing, sum] = [0, 0];
  for (let i = 0; i < a.data.length; i += 4) {
    let most = 0;
    for (let k = 0; k < 3; k++) {
      const one = Math.abs(a.data[i + k] - b.data[i + k]);
      sum += one;
      most = Math.max(most, one);
    }
    if (most > 12) differing++;
  }
  const count = a.data.length / 4;
  return { share: differing / count, mean: sum / (3 * count) };
}

/** A PNG file as RGBA bytes. */
export async function decode(page, base64) {
  return page.evaluate(async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
    return { width, height, data: Array.from(data) };
  }, base64);
}

/** The page as it is seen, with all that lies over the picture. */
export async function screenshot(page) {
  await page.evaluate(() => window.keller.render());
  const base64 = await page.screenshot({ encoding: "base64", captureBeyondViewport: false });
  return decode(page, base64);
}

/** The same picture without what is in these boxes. */
export function without({ width, height, data }, boxes) {
  const rest = data.slice();
  for (const { left, top, right, bottom } of boxes) {
    const [first, last] = [Math.max(0, Math.floor(left)), Math.min(width, Math.ceil(right))];
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, Math.ceil(bottom)); y++) {
      rest.fill(0, 4 * (y * width + first), 4 * (y * width + last));
    }
  }
  return { width, height, data: rest };
}
