// Draws icon.png from icon.svg with the Chromium in $CHROMIUM, or Debian's.
// The Marketplace takes no SVG. Run by hand when the drawing changes.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = path.resolve(fileURLToPath(import.meta.url), "../..");
const svg = await readFile(path.join(root, "icon.svg"), "utf8");
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: 128, height: 128 } });
await page.setContent(`<body style="margin:0">${svg}</body>`);
await page.screenshot({ path: path.join(root, "icon.png"), omitBackground: true });
await browser.close();
