// Measures a page: `node tests/measure.mjs PAGE.html`. Without a page it makes a town. Prints JSON.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fileOf, launch, open } from "./browser/browser.mjs";
import { town } from "./synthetic_town.mjs";

const given = process.argv[2];
const address = given ? pathToFileURL(resolve(given)).href : await fileOf(town());
const browser = await launch();
try {
  const { page, problems } = await open(browser, address);
  const firstPicture = await page.evaluate(async () => {
    await window.keller.ready;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return performance.now();
  });
  const orbit = (kind) =>
    page.evaluate(async (shading) => {
      window.keller.shading(shading);
      await window.keller.render();
      return window.keller.orbit(120);
    }, kind);
  const simple = await orbit("simple");
  const full = await orbit("full");
  const { JSHeapUsedSize } = await page.metrics();
  const result = {
    file_bytes: (await stat(fileURLToPath(address))).size,
    first_picture_ms: Math.round(firstPicture),
    frames_per_second: { simple: Number(simple.toFixed(1)), full: Number(full.toFixed(1)) },
    js_heap_mb: Number((JSHeapUsedSize / 1e6).toFixed(1)),
    state: await page.evaluate(() => window.keller.state()),
    problems,
  };
  console.log(JSON.stringify(result, null, 2));
} finally {
  await browser.close();
}
