// Pages from `keller view --serve` fetch their parts when they need them.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import test, { after, before } from "node:test";
import { street } from "../synthetic.mjs";
import { pageOf } from "../synthetic_parts.mjs";
import { launch, open, ready, state, template } from "./browser.mjs";

let browser;
let server;
let address;
const asked = [];
let view;
before(async () => {
  browser = await launch();
  view = street();
  const html = pageOf(await template(), view.manifest, view.packed, true);
  server = createServer((request, response) => {
    const part = /^\/part\/(\d+)$/.exec(request.url);
    if (request.url === "/") response.writeHead(200, { "content-type": "text/html" }).end(html);
    else if (part && view.packed[part[1]]) {
      asked.push(Number(part[1]));
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(view.packed[part[1]]);
    } else response.writeHead(404).end();
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${server.address().port}/`;
});
after(async () => {
  await browser?.close();
  server?.close();
});

test("parts_come_when_they_are_needed", async () => {
  const { page, problems } = await open(browser, address, { allow: (url) => url.startsWith(`${address}part/`) });
  await ready(page);
  const { slices } = view.manifest.maps[0].layers[0];
  assert.ok(asked.includes(slices[0].part));
  assert.ok(!asked.includes(slices[2].part));
  assert.ok(!asked.includes(view.manifest.snapshots[1].paths.tx.part));
  await page.evaluate(() => window.keller.snapshot(1));
  assert.ok(asked.includes(view.manifest.snapshots[1].paths.tx.part));
  assert.ok((await state(page)).paths > 0);
  assert.deepEqual(problems, []);
  await page.close();
});

test("a_part_that_the_server_lacks_is_told", async () => {
  const own = view.packed[view.manifest.scene.face.part];
  view.packed[view.manifest.scene.face.part] = null;
  const { page } = await open(browser, address, { allow: (url) => url.startsWith(`${address}part/`) });
  await page.waitForSelector(".failure p");
  assert.match(
    await page.$eval(".failure p", (element) => element.textContent),
    /^Part \d+ of this view is missing: the server answers 404\.$/,
  );
  view.packed[view.manifest.scene.face.part] = own;
  await page.close();
});
