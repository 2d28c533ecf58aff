// Bundles the extension into out/extension.js, and with --tests each file of
// test/ into out/test/, where node --test finds it.
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.resolve(fileURLToPath(import.meta.url), "../..");

/** @type {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  mainFields: ["module", "main"], // the "main" of jsonc-parser is UMD, which cannot be bundled
  logLevel: "warning",
};

if (process.argv.includes("--tests")) {
  rmSync(path.join(root, "out/test"), { recursive: true, force: true });
  const tests = readdirSync(path.join(root, "test")).filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    entryPoints: tests.map((name) => path.join("test", name)),
    outdir: "out/test",
    sourcemap: "inline",
  });
} else {
  await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "out/extension.js",
    external: ["vscode"],
    minify: true,
    sourcemap: process.argv.includes("--sourcemap"),
  });
}
