// Pages that the program made, from the folder KELLER_PAGES; without it there is nothing to test here.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import test, { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open, pixels, ready, state } from "./browser.mjs";

const folder = process.env.KELLER_PAGES;
const names = folder ? (await readdir(folder)).filter((name) => name.endsWith(".html")).sort() : [];
let browser;
before(async () => {
  if (names.length > 0) browser = await launch();
});
after(() => browser?.close());

for (const name of names) {
  test(`${name}_opens_offline_without_a_word`, async () => {
    const { page, problems } = await open(browser, pathToFileURL(resolve(join(folder, name))).href);
    await ready(page);
    const picture = await pixels(page);
    const colours = new Set();
    for (let i = 0; i < picture.data.length; i += 4) colours.add(picture.data.slice(i, i + 3).join());
    assert.ok(colours.size > 20, `${colours.size} colours`);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test(`${name}_selects_a_receiver`, async (context) => {
    const { page, problems } = await open(browser, pathToFileURL(resolve(join(folder, name))).href);
    await ready(page);
    const { paths } = await state(page);
    if (paths === 0) {
      context.skip("it has no paths");
      await page.close();
      return;
    }
    await page.evaluate(() => window.keller.select(0));
    await page.waitForSelector(".card:not([hidden]) h2");
    await page.evaluate(() => window.keller.render());
    const now = await state(page);
    assert.equal(now.rows, now.paths);
    const rows = await page.$$eval("tbody tr[data-path]", (all) => all.length);
    assert.equal(rows, Math.min(40, now.rows));
    assert.deepEqual(problems, []);
    await page.close();
  });
}
