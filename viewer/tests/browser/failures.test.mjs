// Pages that cannot be shown say why, in one sentence.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { street } from "../synthetic.mjs";
import { fileOf, launch, open } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function message(change, html) {
  const view = street();
  change(view);
  const { page } = await open(browser, await fileOf(view, html));
  await page.waitForSelector(".failure p");
  const text = await page.$eval(".failure p", (element) => element.textContent);
  await page.close();
  return text;
}

test("another_version", async () => {
  const text = await message(({ manifest }) => (manifest.version = 7));
  assert.equal(text, "This view has version 7 of the format, and this viewer reads version 1.");
});

test("a_missing_part_of_the_scene", async () => {
  const text = await message(({ manifest }) => (manifest.scene.positions.part = 9999));
  assert.equal(text, "Part 9999 of this view is missing: the file is incomplete.");
});

test("a_damaged_part_of_a_map_leaves_the_rest", async () => {
  let part = 0;
  const text = await message(({ manifest, packed }) => {
    part = manifest.maps[0].layers[0].slices[0].part;
    packed[part] = packed[part].subarray(0, 40);
  });
  assert.equal(text, `Part ${part} of this view is damaged: it does not decompress.`);
});

test("a_part_that_is_too_short", async () => {
  const text = await message(({ manifest }) => (manifest.scene.kind.shape = [3]));
  assert.match(text, /^Part \d+ of this view is damaged: it has \d+ bytes instead of 3\.$/);
});

test("a_manifest_that_is_no_json", async () => {
  const text = await message(
    () => {},
    (html) => html.replace('id="view">{', 'id="view">'),
  );
  assert.equal(text, "The manifest of this view is damaged: it is not JSON.");
});

test("a_template_without_data", async () => {
  const text = await message(
    () => {},
    (html) => html.replace('id="view"', 'id="other"'),
  );
  assert.equal(text, "This page holds no view: make one with `keller view`.");
});

test("a_browser_without_webgl", async () => {
  const page = await browser.newPage();
  await page.evaluateOnNewDocument(() => {
    HTMLCanvasElement.prototype.getContext = () => null;
  });
  await page.goto(await fileOf(street()));
  await page.waitForSelector(".failure.fatal p");
  assert.match(await page.$eval(".failure p", (element) => element.textContent), /^This browser offers no WebGL 2/);
  await page.close();
});
