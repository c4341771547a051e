// The whole page with a street of made-up data.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import test, { after, before } from "node:test";
import { HOSTILE } from "../synthetic.mjs";
import { decode, difference, launch, open, pixels, ready, state, streetFile } from "./browser.mjs";

let browser;
let address;
before(async () => {
  browser = await launch();
  address = await streetFile();
});
after(() => browser?.close());

async function street(options) {
  const opened = await open(browser, address, options);
  await ready(opened.page);
  return opened;
}

/** Sets the control with this label inside a section of the panel. */
async function set(page, section, label, value) {
  const found = await page.evaluate(
    (section, label, value) => {
      const part = [...document.querySelectorAll("details")].find(
        (one) => one.querySelector("summary").textContent === section,
      );
      const input = [...part.querySelectorAll("label")].find((one) => one.textContent === label)?.control;
      if (!input) return false;
      if (input.type === "checkbox") input.click();
      else if (input.tagName === "SELECT") input.selectedIndex = value;
      else input.value = value;
      input.dispatchEvent(new Event(input.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
      return true;
    },
    section,
    label,
    value,
  );
  assert.ok(found, `${section}: ${label}`);
}

test("the_page_opens_offline_without_a_word", async () => {
  const { page, problems } = await street();
  const picture = await pixels(page);
  const colours = new Set();
  for (let i = 0; i < picture.data.length; i += 4) colours.add(picture.data.slice(i, i + 3).join());
  assert.ok(colours.size > 200, `${colours.size} colours`);
  assert.deepEqual(problems, []);
  await page.close();
});

test("a_click_on_a_receiver_selects_it_and_lists_its_paths", async () => {
  const { page, problems } = await street();
  const box = await (await page.$("canvas")).boundingBox();
  for (const rx of [12, 20]) {
    const [x, y] = await page.evaluate((index) => window.keller.place("rx", index), rx);
    await page.mouse.click(box.x + x, box.y + y);
    await page.waitForFunction((index) => window.keller.state().rx === index, {}, rx);
    await page.waitForSelector(".card:not([hidden]) tbody tr[data-path]");
    const rows = await page.$$eval("tbody tr[data-path]", (all) => all.length);
    // As the street has them: two to five for each Tx.
    assert.equal(rows, 2 + (rx % 4) + 2 + ((rx + 1) % 4));
    assert.equal((await state(page)).paths, rows);
  }
  const [x, y] = await page.evaluate(() => window.keller.place("tx", 1));
  await page.mouse.click(box.x + x, box.y + y);
  assert.equal((await state(page)).tx, 1);
  assert.deepEqual(problems, []);
  await page.close();
});

test("rows_plots_and_picture_light_up_together", async () => {
  const { page } = await street();
  await page.evaluate(() => window.keller.select(4));
  await page.waitForSelector("tbody tr[data-path]");
  const dark = await pixels(page);
  const path = await page.$eval("tbody tr[data-path]", (row) => (row.focus(), row.dataset.path));
  assert.equal((await state(page)).highlighted, Number(path));
  const lit = await page.$$eval(".mark.lit", (marks) => marks.map((mark) => mark.dataset.path));
  assert.deepEqual(new Set(lit), new Set([path]));
  assert.ok(difference(dark, await pixels(page)).share > 0.0005);
  await page.$eval(".mark:not(.lit)", (mark) => mark.focus());
  const now = String((await state(page)).highlighted);
  assert.notEqual(now, path);
  assert.equal(await page.$eval("tr.lit", (row) => row.dataset.path), now);
  await page.close();
});

test("columns_sort", async () => {
  const { page } = await street();
  await page.evaluate(() => window.keller.select(4));
  await page.waitForSelector("tbody tr[data-path]");
  await page.evaluate(() =>
    [...document.querySelectorAll("th button")].find((one) => one.textContent === "Length m").click(),
  );
  const lengths = await page.$$eval("tbody tr[data-path]", (rows) =>
    rows.map((row) => Number(row.children[4].textContent)),
  );
  assert.deepEqual(
    lengths,
    [...lengths].sort((a, b) => a - b),
  );
  assert.equal(await page.$$eval('th[aria-sort="ascending"]', (all) => all.length), 1);
  await page.close();
});

test("height_threshold_cut_and_roofs_change_the_picture", async () => {
  const { page, problems } = await street();
  await set(page, "Map", "Quantity", 0);
  let last = await pixels(page);
  const changes = async (what) => {
    const next = await pixels(page);
    assert.ok(difference(last, next).share > 0.003, what);
    last = next;
  };
  await set(page, "Map", "Height (m)", 2);
  await changes("height");
  assert.equal((await state(page)).map.height, 11);
  await set(page, "Map", "Height (m)", 0);
  await changes("height");
  await set(page, "Map", "Hide values below", -65);
  await changes("threshold");
  for (const shape of [1, 2, 3, 4]) {
    await set(page, "Map", "Show as", shape);
    await changes(`shape ${shape}`);
  }
  await set(page, "Map", "Quantity", 1);
  await set(page, "Map", "Show as", 0);
  await changes("servers");
  await set(page, "Scene", "Roofs and ceilings");
  await changes("roofs");
  await set(page, "Scene", "Sun azimuth (°)", 120);
  await changes("sun");
  await set(page, "Scene", "Cut above height (m)", 4);
  await changes("cut");
  await set(page, "Scene", "Opacity", 0.3);
  await changes("opacity");
  await set(page, "Scene", "ground");
  await changes("material");
  await set(page, "Surfaces", "Show surfaces");
  await changes("surfaces");
  await set(page, "Measured", "Quantity", 0);
  await set(page, "Devices", "Colour Rx by", 1);
  await page.evaluate(() => window.keller.render());
  assert.deepEqual(problems, []);
  await page.close();
});

test("filters_choose_paths", async () => {
  const { page } = await street();
  await set(page, "Paths", "Strongest of each link", 0);
  const count = async () => (await page.evaluate(() => window.keller.render()), (await state(page)).paths);
  const all = await count();
  await set(page, "Paths", "Maximum interactions", 0);
  const direct = await count();
  assert.ok(direct > 0 && direct < all);
  await set(page, "Paths", "Maximum interactions", 9);
  await set(page, "Paths", "Strongest of each link", 1);
  assert.equal(await count(), 58);
  await set(page, "Paths", "Tx", 1);
  assert.equal(await count(), 29);
  await set(page, "Paths", "Minimum gain (dB)", -68);
  assert.ok((await count()) < 29);
  await page.close();
});

test("snapshots_and_the_route_step", async () => {
  const { page, problems } = await street();
  const first = await pixels(page);
  const { paths } = await state(page);
  await page.evaluate(() => window.keller.snapshot(1));
  assert.ok((await state(page)).paths > paths);
  assert.ok(difference(first, await pixels(page)).share > 0.001);
  await page.focus("canvas");
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  assert.equal((await state(page)).rx, 1);
  await page.keyboard.press("[");
  assert.equal((await state(page)).rx, 0);
  await page.keyboard.press("<");
  await page.waitForFunction(() => window.keller.state().snapshot === 0);
  await page.keyboard.press("Escape");
  assert.equal((await state(page)).rx, null);
  assert.deepEqual(problems, []);
  await page.close();
});

test("the_picture_is_the_reference_picture", async () => {
  for (const [name, options, prepare] of [
    ["street", {}, () => {}],
    ["street_dark", { dark: true }, () => window.keller.select(9)],
    [
      "street_plan",
      {},
      () => document.querySelector("canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "3", bubbles: true })),
    ],
  ]) {
    const { page } = await street({ ...options, width: 480 + 291, height: 270 });
    await page.evaluate(prepare);
    const picture = await pixels(page);
    const path = new URL(`../reference/${name}.png`, import.meta.url);
    const bytes = await page.evaluate(async () => [...new Uint8Array(await (await window.keller.png()).arrayBuffer())]);
    if (process.env.KELLER_WRITE_REFERENCE) await writeFile(path, Buffer.from(bytes));
    const reference = await decode(page, (await readFile(path)).toString("base64"));
    assert.deepEqual([reference.width, reference.height], [480, 270]);
    const { share, mean } = difference(picture, reference);
    // Text differs by the fonts of the machine, and lines by a pixel.
    assert.ok(share < 0.06 && mean < 4, `${name}: ${(share * 100).toFixed(2)} % differ, mean ${mean.toFixed(2)}`);
    await page.close();
  }
});

test("hostile_names_are_text", async () => {
  const { page, problems } = await street();
  await page.evaluate(() => window.keller.select(5));
  await page.waitForSelector(".card:not([hidden]) h2");
  assert.equal(await page.$eval(".card h2", (title) => title.textContent), HOSTILE);
  assert.ok(await page.$$eval("label", (all, text) => all.some((one) => one.textContent === text), HOSTILE));
  assert.ok(await page.$$eval(".label", (all, text) => all.some((one) => one.textContent === text), HOSTILE));
  assert.equal(await page.$$eval("#root img, #root script", (all) => all.length), 0);
  await page.evaluate(() => window.keller.snapshot(1));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.deepEqual(problems, []);
  await page.close();
});

test("every_control_has_a_name", async () => {
  const { page } = await street();
  await page.evaluate(() => window.keller.select(4));
  await page.waitForSelector("tbody tr[data-path]");
  const roles = new Set([
    "button",
    "checkbox",
    "slider",
    "spinbutton",
    "combobox",
    "textbox",
    "application",
    "table",
    "img",
    "radio",
  ]);
  const nameless = [];
  let count = 0;
  const visit = (node) => {
    if (roles.has(node.role)) {
      count++;
      if (!node.name?.trim()) nameless.push(node.role);
    }
    (node.children ?? []).forEach(visit);
  };
  visit(await page.accessibility.snapshot({ interestingOnly: false }));
  assert.ok(count > 60, `${count} controls`);
  assert.deepEqual(nameless, []);
  await page.close();
});

test("the_keyboard_reaches_the_panel_and_moves_sliders", async () => {
  const { page } = await street();
  let found = "";
  for (let i = 0; i < 12 && found !== "range"; i++) {
    await page.keyboard.press("Tab");
    found = await page.evaluate(() => document.activeElement.type ?? document.activeElement.tagName);
  }
  assert.equal(found, "range");
  const before = (await state(page)).cut;
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.notEqual((await state(page)).cut, before);
  await page.keyboard.press("?");
  assert.ok(await page.$("dialog[open]"));
  await page.keyboard.press("Escape");
  assert.equal(await page.$("dialog[open]"), null);
  await page.focus("canvas");
  const still = await pixels(page);
  await page.keyboard.press("ArrowLeft");
  assert.ok(difference(still, await pixels(page)).share > 0.01);
  for (const key of ["2", "3", "1"]) {
    await page.keyboard.press(key);
    assert.equal((await state(page)).camera, { 1: "orbit", 2: "walk", 3: "plan" }[key]);
  }
  await page.close();
});

test("walking_moves_the_view", async () => {
  const { page, problems } = await street();
  await page.focus("canvas");
  await page.keyboard.press("2");
  const still = await pixels(page);
  await page.keyboard.down("w");
  await new Promise((done) => setTimeout(done, 400));
  await page.keyboard.up("w");
  assert.ok(difference(still, await pixels(page)).share > 0.01);
  assert.deepEqual(problems, []);
  await page.close();
});

test("files_of_the_picture_can_be_read", async () => {
  const { page, problems } = await street();
  await page.evaluate(() => window.keller.select(4));
  await page.evaluate(() => window.keller.render());
  const picture = await pixels(page);
  assert.equal(picture.width, 1280 - 291);
  const found = await page.evaluate(async () => {
    const parsed = new DOMParser().parseFromString(await window.keller.svg().text(), "image/svg+xml");
    return {
      error: parsed.querySelector("parsererror") !== null,
      lines: parsed.querySelectorAll("polyline").length,
      images: parsed.querySelectorAll("image").length,
      text: [...parsed.querySelectorAll("text")].map((one) => one.textContent),
    };
  });
  const { paths } = await state(page);
  assert.equal(found.error, false);
  assert.equal(found.images, 1);
  assert.equal(found.lines, paths);
  assert.ok(found.text.includes("Mast") && found.text.some((text) => text.startsWith("Gain of paths")));
  assert.deepEqual(problems, []);
  await page.close();
});

test("the_cursor_reads_value_and_place", async () => {
  const { page } = await street();
  const box = await (await page.$("canvas")).boundingBox();
  const [x, y] = await page.evaluate(() => window.keller.place("rx", 0));
  await page.mouse.move(box.x + x - 60, box.y + y);
  await page.waitForFunction(() => !document.querySelector(".status").hidden);
  const text = () => page.$eval(".status", (status) => status.textContent);
  assert.match(await text(), /Best server Mast.*x .* y .* z .* m.*48\.14\d+° N, 11\.57\d+° E/s);
  // The cursor rests where it is.
  await set(page, "Map", "Quantity", 0);
  await page.waitForFunction(() => document.querySelector(".status").textContent.startsWith("Path gain"));
  assert.match(await text(), /Path gain −\d+\.\d\sdB.*x .* y .* z .* m/s);
  await page.close();
});

test("nothing_is_drawn_while_nothing_changes", async () => {
  const { page } = await street();
  const drawn = await page.evaluate(async () => {
    await new Promise((done) => setTimeout(done, 500));
    let count = 0;
    const own = window.requestAnimationFrame;
    window.requestAnimationFrame = (callback) => (count++, own.call(window, callback));
    await new Promise((done) => setTimeout(done, 500));
    return count;
  });
  assert.equal(drawn, 0);
  await page.close();
});

test("the_policy_allows_the_script_of_the_page_alone", async () => {
  const html = await readFile(new URL(address), "utf8");
  const script = html.slice(html.lastIndexOf("<script>") + 8, html.lastIndexOf("</script>"));
  const hash = createHash("sha256").update(script).digest("base64");
  assert.ok(html.includes(`script-src 'sha256-${hash}'`));
});

test("a_small_screen_shows_picture_and_panel", async () => {
  const { page, problems } = await street({ width: 390, height: 700 });
  assert.equal(await page.$eval(".panel-toggle", (button) => button.getAttribute("aria-expanded")), "false");
  await page.click(".panel-toggle");
  assert.ok(
    await page.$eval(
      "#panel-body",
      (body) => body.getBoundingClientRect().left >= 0 && body.scrollWidth <= body.clientWidth,
    ),
  );
  assert.deepEqual(problems, []);
  await page.close();
});
