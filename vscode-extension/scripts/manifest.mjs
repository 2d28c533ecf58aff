// Writes the attributes of attributes.mjs into package.json, where VS Code
// reads them; with --check it only tells whether they are there.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { attributes } from "../attributes.mjs";

const file = fileURLToPath(new URL("../package.json", import.meta.url));
const before = readFileSync(file, "utf8");
const manifest = JSON.parse(before);
const [contributed] = manifest.contributes.debuggers;
contributed.configurationAttributes = {
  launch: { properties: attributes("launch") },
  attach: { properties: attributes("attach") },
};
const after = `${JSON.stringify(manifest, null, 2)}\n`;
if (!process.argv.includes("--check")) {
  writeFileSync(file, after);
} else if (after !== before) {
  console.error(`${file} differs from attributes.mjs: run "npm run manifest --workspace vscode-extension"`);
  process.exit(1);
}
