// Bundles the unit tests with the sources that they test, and runs them.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = join(dirname(fileURLToPath(import.meta.url)), "unit");
const names = (await readdir(folder)).filter((name) => name.endsWith(".test.mjs")).sort();
const out = await mkdtemp(join(tmpdir(), "keller-unit-"));
await build({
  entryPoints: names.map((name) => join(folder, name)),
  bundle: true,
  format: "esm",
  platform: "node",
  outdir: out,
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
});
const { status } = spawnSync(process.execPath, ["--test", ...names.map((name) => join(out, name))], {
  stdio: "inherit",
  env: { ...process.env, KELLER_VIEWER: join(folder, "../..") },
});
await rm(out, { recursive: true });
process.exitCode = status ?? 1;
