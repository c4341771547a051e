// Bundles the viewer into one HTML page, which `keller view` fills with data. `--check` compares instead of writing.
import { createHash } from "node:crypto";
import { readFile, readdir, writeFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../crates/keller-io/src/reports/view/viewer.html");

/** The page without data, as text. The same sources give the same text on every machine. */
export async function page() {
  const script = await bundle();
  const style = await styles();
  const hash = createHash("sha256").update(script, "utf8").digest("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>keller</title>",
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    '<div id="root"></div>',
    "<noscript>This page draws a radio scene with JavaScript, which is switched off in this browser.</noscript>",
    "<!--view-->",
    `<script>${script}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: ["src/main.ts"],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022", "safari16.4", "firefox115", "chrome109"],
    charset: "ascii",
    legalComments: "inline",
    logLevel: "warning",
  });
  // Nothing inside the script may end its element early, or stand for the place of the data.
  const text = result.outputFiles[0].text
    .replaceAll("</script", "<\\/script")
    .replaceAll("<!--", "<\\!--")
    .replaceAll("\r", "\\r");
  return text;
}

async function styles() {
  const names = (await readdir(join(here, "src"))).filter((name) => name.endsWith(".css")).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(here, "src", name), "utf8")));
  const { transform } = await import("esbuild");
  const { code } = await transform(texts.join("\n"), { loader: "css", minify: true, charset: "ascii" });
  return code.trim();
}

async function main() {
  const text = await page();
  if (process.argv.includes("--check")) {
    const committed = await readFile(target, "utf8").catch(() => "");
    if (committed !== text) {
      console.error("viewer.html differs from its sources: run `npm run build` in viewer/ and commit the result");
      process.exitCode = 1;
    }
    return;
  }
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
  console.log(`viewer.html: ${(text.length / 1024).toFixed(0)} KiB`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
