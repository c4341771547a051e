// What the page shows before anybody chooses anything.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { street } from "../synthetic.mjs";
import { town } from "../synthetic_town.mjs";
import { difference, fileOf, launch, open, pixels, ready, state } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function show(view, options) {
  const opened = await open(browser, await fileOf(view), options);
  await ready(opened.page);
  return opened;
}

async function click(page, label) {
  await page.evaluate(
    (label) => [...document.querySelectorAll("label")].find((one) => one.textContent === label).control.click(),
    label,
  );
}

async function select(page, rx) {
  await page.evaluate((index) => window.keller.select(index), rx);
  await page.waitForSelector(".card:not([hidden]) tbody tr[data-path]");
  await page.evaluate(() => window.keller.render());
}

test("five_paths_of_each_link_are_drawn_and_all_are_listed", async () => {
  const { page, problems } = await show(town({ triangles: 200, paths: 6_400, cells: 400 }));
  // Eight of each of 800 links.
  assert.equal((await state(page)).paths, 5 * 800);
  await select(page, 40);
  assert.deepEqual(await state(page).then(({ paths, rows }) => [paths, rows]), [10, 16]);
  assert.match(await page.$eval(".card .note", (note) => note.textContent), /^16 paths, of which the strongest 10/);
  await page.click('[aria-label="Draw all paths"]');
  await page.evaluate(() => window.keller.render());
  assert.equal((await state(page)).paths, 16);
  assert.deepEqual(problems, []);
  await page.close();
});

test("the_best_server_is_the_first_layer_of_several_tx", async () => {
  const { page } = await show(street());
  assert.equal((await state(page)).map.layer, "best_server");
  const legend = await page.$eval(".overlay-legends", (legends) => legends.textContent);
  assert.match(legend, /^Best serverMast/);
  await page.close();
});

test("woods_leave_the_colours_of_a_map_as_they_are", async () => {
  const { page } = await show(street());
  await page.focus("canvas");
  await page.keyboard.press("3");
  for (const label of ["Show paths", "Show Rx", "Show surfaces"]) await click(page, label);
  const inPictures = async (prepare) => {
    await prepare();
    const withWoods = await pixels(page);
    await click(page, "Clutter volumes");
    const bare = await pixels(page);
    await click(page, "Clutter volumes");
    return difference(withWoods, bare).share;
  };
  const hatched = await inPictures(() => {});
  const filled = await inPictures(() => click(page, "Show map"));
  assert.ok(filled > 0.001, `woods are ${filled} of the picture`);
  assert.ok(hatched > 0.03 * filled && hatched < 0.4 * filled, `${hatched} of ${filled} changed`);
  await page.close();
});

test("tx_with_a_direction_have_arrows_and_sectors_one_name", async () => {
  const plain = street();
  const sectors = street();
  for (const [view, directions] of [
    [plain, [undefined, undefined]],
    [sectors, [[-20, 5], [100, 5]]],
  ]) {
    const { tx } = view.manifest.snapshots[0];
    tx.push({ ...tx[0], name: "Mast 2" });
    [tx[0], tx[2]].forEach((one, i) => (one.direction_deg = directions[i]));
  }
  const seen = [];
  for (const view of [plain, sectors]) {
    const { page, problems } = await show(view);
    const names = await page.$$eval(".label", (all) => all.map((label) => label.textContent));
    await click(page, "Names of Tx");
    seen.push({ names, picture: await pixels(page) });
    assert.deepEqual(problems, []);
    await page.close();
  }
  assert.deepEqual(
    seen.map(({ names }) => [names[0], names.length]),
    [["Mast (2 Tx)", 2], ["Mast (2 sectors)", 2]],
  );
  const { share } = difference(seen[0].picture, seen[1].picture);
  assert.ok(share > 0.0005 && share < 0.01, `${share} of the picture are arrows`);
});

test("paths_below_the_scale_are_marked", async () => {
  const view = street();
  const { paths } = view.manifest.snapshots[0];
  const { part } = paths.gain_db;
  const gains = new Float32Array(new Uint8Array(gunzipSync(view.packed[part])).buffer);
  const rx = new Uint32Array(new Uint8Array(gunzipSync(view.packed[paths.rx.part])).buffer);
  gains[rx.indexOf(4)] = -190;
  view.packed[part] = gzipSync(Buffer.from(gains.buffer));
  const { page } = await show(view);
  await select(page, 4);
  const marked = await page.$$eval("tbody tr[data-path]", (rows) =>
    rows.filter((row) => row.querySelector(".key").textContent === "≤").map((row) => row.children[2].textContent),
  );
  assert.deepEqual(marked, ["≤−190.0"]);
  const told = await page.$$eval(".mark title", (all) => all.map((one) => one.textContent));
  assert.ok(told.some((text) => /−190\.0.dB \(colour ≤ −\d+\.\d.dB\)/.test(text)), told.join("; "));
  assert.match(await page.$eval('[aria-label="Power-delay profile"]', (plot) => plot.textContent), /≤ −\d+/);
  await page.close();
});

test("types_of_paths_are_grouped_by_kind", async () => {
  const { page } = await show(street());
  const rows = await page.$$eval(".list label", (all) => all.map((label) => label.textContent));
  assert.ok(rows.includes("All types") && rows.some((text) => /^LOS \(\d+\)$/.test(text)), rows.join());
  assert.equal(await page.$$eval("details.types[open]", (all) => all.length), 0);
  const before = (await state(page)).paths;
  const kind = rows.find((text) => /^Reflection \(/.test(text));
  await click(page, kind);
  await page.evaluate(() => window.keller.render());
  assert.ok((await state(page)).paths < before);
  // One of its types alone leaves the kind half checked.
  await click(page, rows.find((text) => /^RR \(/.test(text)));
  const isHalf = await page.$$eval(
    ".list label",
    (all, kind) => all.find((label) => label.textContent === kind).control.indeterminate,
    kind,
  );
  assert.ok(isHalf);
  await page.close();
});
