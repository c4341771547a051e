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

if (folder) {
  test("the_folder_has_pages", () => assert.ok(names.length > 0, `${folder} has none`));
}

for (const name of names) {
  test(`${name}_opens_offline_without_a_word`, async () => {
    const { page, problems } = await open(browser, pathToFileURL(resolve(join(folder, name))).href);
    await ready(page);
    const picture = await pixels(page);
    const colours = new Set();
    for (let i = 0; i < picture.data.length; i += 4) colours.add(picture.data.slice(i, i + 3).join());
    assert.ok(colours.size > 20, `${colours.size} colours`);
    // Names of the page of hostile.html would set it, were they markup.
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.deepEqual(problems, []);
    await page.close();
  });

  // Of the pages that make_pages.sh makes, these show no paths.
  if (/^(drive|surfaces|village)\.html$/.test(name)) continue;
  test(`${name}_selects_a_receiver`, async () => {
    const { page, problems } = await open(browser, pathToFileURL(resolve(join(folder, name))).href);
    await ready(page);
    const { paths } = await state(page);
    assert.ok(paths > 0, "it shows no paths");
    await page.evaluate(() => window.keller.select(0));
    await page.waitForSelector(".card:not([hidden]) h2");
    await page.evaluate(() => window.keller.render());
    const now = await state(page);
    // Of each link the strongest are drawn, and all are listed.
    assert.ok(now.rows >= now.paths, `${now.rows} rows, ${now.paths} paths`);
    const rows = await page.$$eval("tbody tr[data-path]", (all) => all.length);
    assert.equal(rows, Math.min(40, now.rows));
    assert.deepEqual(problems, []);
    await page.close();
  });
}
