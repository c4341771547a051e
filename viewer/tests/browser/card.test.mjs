// What lies over the picture leaves the rest of it to be seen.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { difference, launch, open, ready, screenshot, state, streetFile, without } from "./browser.mjs";

const DESKTOP = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844, touch: true };

let browser;
let address;
before(async () => {
  browser = await launch("software");
  address = await streetFile();
});
after(() => browser?.close());

async function street(options) {
  const opened = await open(browser, address, options);
  await ready(opened.page);
  return opened;
}

/** Boxes of elements, with the pixels that their edges touch. */
async function boxes(page, selector) {
  const grow = 2;
  return page.$$eval(
    selector,
    (all, grow) =>
      all
        .map((one) => one.getBoundingClientRect())
        .filter((box) => box.width > 0)
        .map(({ left, top, right, bottom }) => ({
          left: left - grow,
          top: top - grow,
          right: right + grow,
          bottom: bottom + grow,
        })),
    grow,
  );
}

async function select(page, rx) {
  await page.evaluate((index) => window.keller.select(index), rx);
  await page.waitForSelector(".card:not([hidden]) tbody tr[data-path]");
  await page.evaluate(() => window.keller.render());
}

for (const [name, size] of Object.entries({ DESKTOP, PHONE })) {
  for (const dark of [false, true]) {
    test(`a_selection_leaves_the_scene_around_its_card_${name.toLowerCase()}_${dark ? "dark" : "light"}`, async () => {
      const { page, problems } = await street({ ...size, dark });
      // The lines of paths would tell the two pictures apart.
      await page.evaluate(() =>
        [...document.querySelectorAll("label")].find((one) => one.textContent === "Show paths").control.click(),
      );
      await select(page, 9);
      const covered = [...(await boxes(page, ".card, .overlay-left")), ...(await boxes(page, ".panel"))];
      const selected = await screenshot(page);
      const isScrolled = await page.$$eval(".card, .card > *", (all) =>
        all.some((one) => one.scrollHeight > one.clientHeight + 20),
      );
      assert.ok(isScrolled, "all of the card is seen");
      await page.click(".card .close");
      const bare = await screenshot(page);
      covered.push(...(await boxes(page, ".overlay-left")));
      const { share, mean } = difference(without(selected, covered), without(bare, covered));
      // The mark of the receiver is larger while it is selected.
      assert.ok(share < 0.001, `${(100 * share).toFixed(2)} % differ, mean ${mean.toFixed(2)}`);
      assert.deepEqual(problems, []);
      await page.close();
    });
  }
}

test("no_selected_receiver_is_below_the_card", async () => {
  for (const size of [DESKTOP, PHONE]) {
    const { page } = await street(size);
    for (const [rx, view] of [0, 5, 12, 21, 29].flatMap((rx) => [[rx, "Fit view"], [rx, "View from west"]])) {
      await page.evaluate(() => window.keller.select(null));
      await page.evaluate((view) => document.querySelector(`[aria-label="${view}"]`).click(), view);
      await select(page, rx);
      const [x, y] = await page.evaluate((index) => window.keller.place("rx", index), rx);
      const [{ left, top, right, bottom }] = await boxes(page, ".card:not([hidden])");
      const where = `${size.width}, ${view}: Rx ${rx} at ${x}, ${y}`;
      assert.ok(x < left || x > right || y < top || y > bottom, where);
      assert.ok(x > 0 && y > 0 && y < size.height, `${where} is out of the picture`);
    }
    await page.close();
  }
});

test("a_tap_that_selects_leaves_the_table_as_it_is", async () => {
  const { page } = await street(PHONE);
  // What the card needs is loaded, so that the next opens at once.
  await select(page, 0);
  await page.evaluate(() => window.keller.select(null));
  await page.evaluate(() => document.querySelector('[aria-label="Fit view"]').click());
  await page.evaluate(() => {
    window.clicked = [];
    document.addEventListener("click", ({ target }) => window.clicked.push(target.tagName), true);
  });
  const places = await page.evaluate(() => Array.from({ length: 30 }, (_, i) => window.keller.place("rx", i)));
  const [x, y] = places.reduce((low, place) => (place && place[1] > low[1] ? place : low), [0, 0]);
  await page.touchscreen.tap(x, y);
  await page.waitForSelector(".card:not([hidden]) tbody tr[data-path]");
  await new Promise((done) => setTimeout(done, 500));
  const [card] = await boxes(page, ".card:not([hidden])");
  assert.ok(y > card.top, "the card opens elsewhere");
  assert.deepEqual(await page.evaluate(() => window.clicked), ["CANVAS"]);
  const sorted = await page.$eval('th[aria-sort="descending"]', (head) => head.textContent);
  assert.equal(sorted, "Gain dB");
  assert.notEqual((await state(page)).rx, null);
  await page.close();
});

test("legend_scale_bar_and_card_lie_beside_each_other", async () => {
  const { page } = await street(PHONE);
  const isApart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  for (const rx of [null, 9]) {
    if (rx !== null) await select(page, rx);
    const all = await boxes(page, ".overlay-left svg, .overlay-legends svg, .card, .panel-toggle");
    assert.equal(all.length, rx === null ? 4 : 5);
    const [compass, bar, ...others] = all;
    for (const one of [compass, bar]) {
      for (const other of others) assert.ok(isApart(one, other), JSON.stringify([one, other]));
    }
    for (const { left, top, right, bottom } of all) {
      assert.ok(left >= -2 && top >= -2 && right <= PHONE.width + 2 && bottom <= PHONE.height + 2);
    }
  }
  await page.close();
});
