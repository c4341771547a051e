import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import test from "node:test";

const root = join(process.env.KELLER_VIEWER, "src");

const files = readdirSync(root, { recursive: true })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

const MARKUP = [
  "innerHTML",
  "outerHTML",
  "insertAdjacentHTML",
  "document.write",
  "createContextualFragment",
  "setHTMLUnsafe",
  "DOMParser",
  "srcdoc",
  "eval(",
  "new Function",
];

test("names_of_strangers_cannot_become_markup", () => {
  for (const { name, text } of files) {
    for (const word of MARKUP) assert.ok(!text.includes(word), `${name} uses ${word}`);
  }
});

test("files_are_short_and_tell_what_they_are_for", () => {
  for (const { name, text } of files) {
    assert.ok(text.split("\n").length <= 400, `${name} is too long`);
    assert.match(text, /^\/\*\*/, `${name} has no head`);
  }
});

test("types_are_named", () => {
  for (const { name, text } of files)
    assert.doesNotMatch(text, /:\s*any\b|as any\b|<any>|@ts-ignore|@ts-nocheck/, name);
});

test("modules_import_downwards_only", () => {
  const imports = new Map(
    files.map(({ name, text }) => {
      const found = [...text.matchAll(/^import (?!type)[^;]*?from "(\.[^"]+)"/gms)].map(
        (match) => `${relative(root, resolve(root, dirname(name), match[1]))}.ts`,
      );
      return [name, found];
    }),
  );
  const done = new Set();
  const visit = (name, way) => {
    assert.ok(!way.includes(name), `${[...way, name].join(" imports ")}`);
    if (done.has(name)) return;
    for (const next of imports.get(name) ?? []) visit(next, [...way, name]);
    done.add(name);
  };
  for (const { name } of files) visit(name, []);
});
