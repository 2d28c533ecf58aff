// Drives the workbench of VS Code in a browser: every method waits for what it
// needs to see, and fails with what it waited for.
import path from "node:path";
import { chromium } from "playwright-core";
import { Editor } from "./editor.mjs";
import { Palette } from "./palette.mjs";

/** Longest time for one thing to appear, milliseconds. */
const TIMEOUT = 30_000;

/** Longest time until the workbench has loaded and knows the extension, milliseconds. */
const LOAD_TIMEOUT = 90_000;

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // The browser has to stay on this machine, too.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/**
 * A row of the Call Stack view as the user reads it; file is empty where there is none.
 * @typedef {{label: string, file: string, line?: number}} Row
 */

/** One window of VS Code. */
export class Workbench {
  /**
   * @param {import("playwright-core").Browser} browser
   * @param {import("playwright-core").Page} page
   */
  constructor(browser, page) {
    this.browser = browser;
    this.page = page;
    this.palette = new Palette(page);
    this.editor = new Editor(page, this.palette);
  }

  /**
   * Opens a window on a folder; it has loaded after {@link waitUntilReady}.
   * @param {{url: string, folder: string}} options
   */
  static async open({ url, folder }) {
    const browser = await chromium.launch({
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: flags,
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    page.setDefaultTimeout(TIMEOUT);
    const workbench = new Workbench(browser, page);
    try {
      await page.goto(`${url}/?folder=${encodeURIComponent(folder)}`);
    } catch (error) {
      await workbench.close();
      throw error;
    }
    return workbench;
  }

  /**
   * Waits until a session can be started: until the extension is known, and
   * until the extension host runs, before which F5 only opens the Run view and
   * "Start Debugging" is no command.
   */
  async waitUntilReady() {
    const explorer = this.page.locator(".monaco-workbench .explorer-folders-view .monaco-list-row").first();
    await explorer.waitFor({ timeout: LOAD_TIMEOUT });
    await this.palette.waitForCommand("pushmask: Debug a Crash Dump...");
    await this.palette.waitForCommand("Debug: Start Debugging");
  }

  async close() {
    await this.browser.close();
  }

  /**
   * Opens the Run view with room for the call stack: a wider side bar, and some
   * sections closed.
   * @param {string[]} closed
   */
  async arrangeRunView(closed) {
    await this.page.keyboard.press("Control+Shift+D");
    for (const section of closed) {
      const header = this.page.locator(".debug-viewlet .pane-header", { hasText: section });
      await header.waitFor();
      if ((await header.getAttribute("aria-expanded")) === "true") {
        await header.click();
      }
    }
    const bar = await this.page.locator(".part.sidebar").boundingBox();
    if (bar !== null) {
      const edge = bar.x + bar.width;
      await this.page.mouse.move(edge, 400);
      await this.page.mouse.down();
      await this.page.mouse.move(edge + 90, 400, { steps: 4 });
      await this.page.mouse.up();
      await this.page.mouse.move(0, 0);
    }
  }

  /** Presses F5, as a user does. */
  async pressF5() {
    await this.page.keyboard.press("F5");
  }

  /**
   * Clicks a button of the debug toolbar, once it can be clicked.
   * @param {string} title
   */
  async toolbar(title) {
    await this.page.locator(`.debug-toolbar:visible .action-label:not(.disabled)[aria-label^="${title}"]`).click();
  }

  /** Ends the debug session and waits until it is gone. */
  async stopDebugging() {
    await this.page.locator(".debug-toolbar").waitFor();
    await this.page.keyboard.press("Shift+F5");
    await this.waitUntilEnded();
  }

  /** Waits until no debug session is left. */
  async waitUntilEnded() {
    await this.page.locator(".debug-toolbar").waitFor({ state: "hidden" });
  }

  /**
   * Waits until the title of the Call Stack view tells a state.
   * @param {string} state
   */
  async waitForState(state) {
    await this.page.locator(".debug-viewlet .pane-header", { hasText: "Call Stack" }).getByText(state).waitFor();
  }

  /**
   * Waits until the Call Stack view has n frames and returns them.
   * @param {number} n
   * @returns {Promise<Row[]>}
   */
  async callStack(n) {
    const frames = this.page.locator(".debug-call-stack .stack-frame");
    await frames
      .nth(n - 1)
      .waitFor()
      .catch(async () => {
        throw new Error(`the Call Stack view has not ${n} frames but:\n${(await frames.allInnerTexts()).join("\n")}`);
      });
    return frames.evaluateAll((rows) =>
      rows.map((row) => {
        const text = (/** @type {string} */ selector) => {
          const element = row.querySelector(selector);
          return element instanceof HTMLElement && element.offsetParent !== null ? element.innerText.trim() : "";
        };
        const [, line] = /^(\d+)/.exec(text(".line-number")) ?? [];
        return {
          label: text(".label"),
          file: text(".file-name"),
          ...(line !== undefined && { line: Number(line) }),
        };
      }),
    );
  }

  /**
   * Waits until the Call Stack view starts with some functions. It shows the
   * first frame before it has the others.
   * @param {string[]} names
   */
  async waitForFunctions(names) {
    const labels = this.page.locator(".debug-call-stack .stack-frame .label");
    const start = names.map((name, index) => labels.nth(index).filter({ hasText: new RegExp(`^\\s*${name}\\s*$`) }).waitFor());
    await Promise.all(start).catch(async () => {
      throw new Error(`the Call Stack view does not start with ${names.join(", ")} but has ${(await labels.allInnerTexts()).join(", ")}`);
    });
  }

  /**
   * Waits until the Call Stack view has a function somewhere.
   * @param {string} name
   */
  async waitForFunction(name) {
    await this.page.locator(".debug-call-stack .stack-frame .label").getByText(name, { exact: true }).waitFor();
  }

  /**
   * Clicks a frame of the Call Stack view.
   * @param {number} index
   */
  async clickFrame(index) {
    await this.page.locator(".debug-call-stack .stack-frame").nth(index).click();
  }

  /**
   * Opens or closes a scope of the Variables view.
   * @param {string} name
   * @param {boolean} open
   */
  async setScope(name, open) {
    await this.scrollVariablesToTop();
    const row = this.page.locator(".debug-variables .monaco-list-row:has(.scope)", { hasText: name }).first();
    await row.waitFor();
    if ((await row.getAttribute("aria-expanded")) !== String(open)) {
      await row.locator(".monaco-tl-twistie").click();
    }
  }

  /**
   * Adds an expression to the Watch view.
   * @param {string} expression
   */
  async addWatch(expression) {
    await this.page.locator(".debug-viewlet .pane-header", { hasText: "Watch" }).hover();
    await this.page.locator('.debug-viewlet .pane-header .action-label[aria-label="Add Expression"]').click();
    await this.page.locator(".debug-watch .monaco-inputbox input").fill(expression);
    await this.page.keyboard.press("Enter");
  }

  /**
   * Waits until an expression of the Watch view has a value, and returns it.
   * @param {string} expression an identifier
   * @param {RegExp} value
   */
  watched(expression, value) {
    return this.shown(".debug-watch", expression, value);
  }

  /**
   * Waits until a variable of the scopes that are open, or a part of one, has a
   * value, and returns it.
   * @param {string} name
   * @param {RegExp} value
   */
  variable(name, value) {
    return this.shown(".debug-variables", name, value);
  }

  /**
   * @param {string} view class of the view
   * @param {string} name
   * @param {RegExp} value
   */
  async shown(view, name, value) {
    const text = this.rows(view, name).locator(".value").filter({ hasText: value });
    await text.waitFor().catch(async () => {
      const all = await this.page.locator(`${view} .monaco-list-row .expression`).allInnerTexts();
      throw new Error(`${name} is not ${value} among: ${all.join("; ").replace(/\s+/g, " ")}`);
    });
    return text.innerText();
  }

  /**
   * Shows the parts of an expression of the Watch view.
   * @param {string} expression
   */
  async expandWatched(expression) {
    await this.rows(".debug-watch", expression).locator(".monaco-tl-twistie.collapsible").click();
  }

  /**
   * Shows the parts of a variable.
   * @param {string} name
   */
  async expandVariable(name) {
    await this.rows(".debug-variables", name).locator(".monaco-tl-twistie.collapsible").click();
  }

  /**
   * @param {string} view
   * @param {string} name
   */
  rows(view, name) {
    return this.page.locator(`${view} .monaco-list-row`).filter({ has: this.page.locator(".expression .name", { hasText: new RegExp(`^${name}\\b`) }) });
  }

  /**
   * Returns the variables of the scopes that are open, as "name = value". The
   * view has only the rows in sight, so it is scrolled to its end.
   * @param {string} expected name of a variable to wait for
   */
  async variables(expected) {
    const rows = this.page.locator(".debug-variables .monaco-list-row .expression");
    const seen = new Set();
    const until = Date.now() + TIMEOUT;
    await this.scrollVariablesToTop();
    while (Date.now() < until) {
      const before = seen.size;
      for (const text of await rows.allInnerTexts()) {
        seen.add(text.replace(/\s+/g, " ").trim());
      }
      const complete = [...seen].some((text) => text.startsWith(`${expected} =`));
      if (complete && seen.size === before) {
        await this.scrollVariablesToTop();
        return [...seen];
      }
      await this.scrollVariables(60);
    }
    throw new Error(`no variable "${expected}" among: ${[...seen].join("; ")}`);
  }

  async scrollVariablesToTop() {
    const first = this.page.locator('.debug-variables .monaco-list-rows .monaco-list-row[data-index="0"]');
    await this.page.locator(".debug-variables .monaco-list-row").first().waitFor();
    for (let i = 0; i < 100 && !(await first.isVisible()); i++) {
      await this.scrollVariables(-200);
    }
    await first.waitFor();
    await this.page.mouse.move(0, 0);
    await this.page.locator(".workbench-hover-container:visible").waitFor({ state: "hidden" });
  }

  /** @param {number} pixels down, or up when negative */
  async scrollVariables(pixels) {
    await this.page.locator(".debug-variables .monaco-list").hover();
    await this.page.mouse.wheel(0, pixels);
    await this.page.evaluate(() => new Promise(requestAnimationFrame));
  }

  /** Waits for the dialog of a failed launch and returns its text. */
  async errorText() {
    const message = this.page.locator(".monaco-dialog-box .dialog-message-container").first();
    await message.waitFor();
    return message.innerText();
  }

  /**
   * @param {string} folder
   * @param {string} name
   */
  async screenshot(folder, name) {
    const file = path.join(folder, `${name}.png`);
    await this.page.screenshot({ path: file, animations: "disabled" });
    return file;
  }
}
