// Drives the workbench of VS Code in a browser: every method waits for what it
// needs to see, and fails with what it waited for.
import assert from "node:assert/strict";
import path from "node:path";
import { chromium } from "playwright-core";

/** Longest time for one thing to appear, milliseconds. */
const TIMEOUT = 30_000;

/** Longest time until the workbench has loaded and knows the extension, milliseconds. */
const LOAD_TIMEOUT = 90_000;

// The palette opens at once or not at all.
const PALETTE_TIMEOUT = 5_000;
const PALETTE_ATTEMPTS = 6;

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

/** Line numbers and icons beside the text of the editor in use. */
const editorMargin = ".editor-group-container.active .margin:has(.margin-view-overlays)";

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
    await this.waitForCommand("pushmask: Debug a Crash Dump...");
    await this.waitForCommand("Debug: Start Debugging");
  }

  async close() {
    await this.browser.close();
  }

  /**
   * Waits until a command can be found.
   * @param {string} command
   */
  async waitForCommand(command) {
    const until = Date.now() + LOAD_TIMEOUT;
    while (Date.now() < until) {
      await this.typeIntoPalette(`>${command}`);
      const row = this.quickInputRow(command);
      const shown = await row.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
      await this.closePalette();
      if (shown) {
        return;
      }
    }
    throw new Error(`no command "${command}" after ${LOAD_TIMEOUT / 1000} s`);
  }

  /**
   * Runs a command by its title.
   * @param {string} title
   */
  async runCommand(title) {
    await this.typeIntoPalette(`>${title}`);
    await this.choose(title);
  }

  /**
   * Starts a launch configuration by its name.
   * @param {string} name
   */
  async startConfiguration(name) {
    await this.typeIntoPalette(`debug ${name}`);
    await this.choose(name);
  }

  /**
   * Chooses a row of the list that is open, by its whole label.
   * @param {string} label
   */
  async choose(label) {
    await this.quickInputRow(label).click();
  }

  /**
   * Waits for the list with this title and returns its rows.
   * @param {string} title
   */
  async listed(title) {
    await this.page.locator(".quick-input-widget:visible .quick-input-title", { hasText: title }).waitFor();
    const rows = this.page.locator(".quick-input-widget:visible .quick-input-list-row:first-child .label-name");
    await rows.first().waitFor();
    return (await rows.allInnerTexts()).map((text) => text.trim());
  }

  /**
   * Answers the question with this title.
   * @param {string} title
   * @param {string} text
   */
  async answer(title, text) {
    await this.page.locator(".quick-input-widget:visible .quick-input-title", { hasText: title }).waitFor();
    await this.page.locator(".quick-input-widget:visible input.input").fill(text);
    await this.page.keyboard.press("Enter");
  }

  /**
   * Opens the palette and types into it. An editor or a list that takes the
   * focus at that moment closes the palette again: then once more.
   * @param {string} text
   */
  async typeIntoPalette(text) {
    const input = this.page.locator(".quick-input-widget:visible input.input");
    for (let attempt = 1; ; attempt++) {
      await this.page.keyboard.press("F1");
      try {
        await input.waitFor({ timeout: PALETTE_TIMEOUT });
        await input.fill(text, { timeout: PALETTE_TIMEOUT });
        return;
      } catch (error) {
        if (attempt === PALETTE_ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  async closePalette() {
    await this.page.keyboard.press("Escape");
    await this.page.locator(".quick-input-widget:visible").waitFor({ state: "hidden" });
  }

  /** @param {string} label the whole label */
  quickInputRow(label) {
    const name = this.page.locator(".quick-input-list-row:first-child .label-name").getByText(label, { exact: true });
    return this.page.locator(".quick-input-widget:visible .monaco-list-row").filter({ has: name }).first();
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
   * Waits until the editor shows a file with the focused frame's highlight on a line.
   * @param {string} file name of the file, without folders
   * @param {number} line
   */
  async waitForEditor(file, line) {
    await this.page
      .waitForFunction(
        ({ file, line }) => {
          const tab = document.querySelector(".editor-group-container.active .tab.active .label-name");
          const marked = [...document.querySelectorAll(".debug-focused-stack-frame-line, .debug-top-stack-frame-line")];
          const tops = new Set(marked.map((mark) => mark.parentElement?.style.top));
          const numbers = [...document.querySelectorAll(".margin-view-overlays > div")].filter((div) => tops.has(/** @type {HTMLElement} */ (div).style.top));
          return tab?.textContent === file && numbers.some((div) => div.querySelector(".line-numbers")?.textContent === String(line));
        },
        { file, line },
      )
      .catch(async () => {
        throw new Error(`the editor does not show ${file}:${line} but ${await this.editorState()}`);
      });
  }

  /**
   * Opens a file of the workspace.
   * @param {string} name
   */
  async openFile(name) {
    await this.page.keyboard.press("Control+P");
    await this.page.locator(".quick-input-widget:visible input.input").fill(name);
    await this.choose(name);
    await this.page.locator(".editor-group-container.active .tab.active .label-name", { hasText: name }).waitFor();
  }

  /**
   * Puts the cursor at the start of a line of the editor, which shows it.
   * @param {number} line
   */
  async goToLine(line) {
    await this.page.keyboard.press("Control+G");
    const input = this.page.locator(".quick-input-widget:visible input.input");
    await input.fill(`:${line}`);
    await this.page.keyboard.press("Enter");
    await this.page.locator("#status\\.editor\\.selection", { hasText: `Ln ${line},` }).waitFor();
  }

  /**
   * Clicks in the gutter of the editor, left of a line in sight.
   * @param {number} line
   */
  async clickGutter(line) {
    const number = await this.page.locator(editorMargin).locator(".line-numbers").getByText(String(line), { exact: true }).boundingBox();
    const margin = await this.page.locator(editorMargin).boundingBox();
    assert(number !== null && margin !== null, `line ${line} is not in sight`);
    await this.page.mouse.click(margin.x + 8, number.y + number.height / 2);
  }

  /**
   * Waits until the gutter shows an icon at a line in sight.
   * @param {number} line
   * @param {string} icon class of the icon
   */
  async waitForBreakpoint(line, icon) {
    await this.page.waitForFunction(
      ({ line, icon, margin }) => {
        const numbers = [...document.querySelectorAll(`${margin} .line-numbers`)];
        const top = numbers.find((number) => number.textContent === String(line))?.getBoundingClientRect().top;
        const icons = [...document.querySelectorAll(`${margin} .${icon}`)];
        return icons.some((element) => Math.abs(element.getBoundingClientRect().top - (top ?? -100)) < 5);
      },
      { line, icon, margin: editorMargin },
    );
  }

  /**
   * Points at a word in the editor until a hover appears that says more than
   * "Loading..." and returns its text.
   * @param {string} word
   */
  async hoverText(word) {
    const span = this.page.locator(".editor-group-container.active .view-line span span", { hasText: word }).first();
    const hover = this.page.locator(".monaco-hover:visible .hover-contents", { hasNotText: "Loading" }).first();
    const until = Date.now() + TIMEOUT;
    while (Date.now() < until) {
      await this.page.mouse.move(0, 0);
      await span.hover();
      const shown = await hover.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
      if (shown) {
        return hover.innerText();
      }
    }
    throw new Error(`nothing appears when the mouse is on ${word}`);
  }

  /**
   * Waits until a line in sight of the editor has a text, and returns the lines
   * in sight without the white space at their ends.
   * @param {string} text
   */
  async editorLines(text) {
    const lines = this.page.locator(".editor-group-container.active .view-line");
    await lines.getByText(text).first().waitFor(); // takes any white space for a space
    const shown = await lines.evaluateAll((all) => all.map((line) => ({ text: line.textContent ?? "", top: line.getBoundingClientRect().top })));
    return shown.sort((a, b) => a.top - b.top).map((line) => line.text.replace(/\s/g, " ").trim());
  }

  /** Waits for the box in the editor that says why the program stopped and returns its text. */
  async exceptionText() {
    const box = this.page.locator(".editor-group-container.active .exception-widget");
    await box.waitFor();
    return box.innerText();
  }

  /**
   * Opens the disassembly of the focused frame and waits for the row with the
   * mark of a frame; returns the text of the row. Undo with {@link closeEditor}.
   */
  async disassemblyAtPC() {
    await this.runCommand("Open Disassembly View");
    const view = this.page.locator(".editor-group-container.active .disassembly-view");
    const mark = this.page.locator(".codicon-debug-stackframe, .codicon-debug-stackframe-focused");
    const row = view.locator(".monaco-list-row").filter({ has: mark });
    await row.waitFor().catch(async () => {
      throw new Error(`no row is marked among:\n${(await view.locator(".monaco-list-row").allInnerTexts()).join("\n")}`);
    });
    return (await row.innerText()).replace(/\s+/g, " ").trim();
  }

  async closeEditor() {
    await this.runCommand("View: Close Editor");
  }

  /**
   * Makes a breakpoint with a condition in the line of the cursor.
   * @param {string} condition
   */
  async addConditionalBreakpoint(condition) {
    await this.runCommand("Debug: Add Conditional Breakpoint...");
    const input = this.page.locator(".breakpoint-widget .inputContainer .monaco-editor");
    await input.click();
    await this.page.keyboard.type(condition);
    await input.locator(".view-line", { hasText: condition.replaceAll(" ", "\u00a0") }).waitFor(); // the editor shows spaces as such
    await this.page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  async editorState() {
    const tab = await this.page.locator(".editor-group-container.active .tab.active .label-name").allInnerTexts();
    const position = await this.page.locator("#status\\.editor\\.selection").allInnerTexts();
    return `${tab.join() || "no file"} at ${position.join() || "no position"}`;
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
  async watched(expression, value) {
    const rows = this.page.locator(".debug-watch .monaco-list-row .expression");
    const named = rows.filter({ has: this.page.locator(".name", { hasText: new RegExp(`^${expression}\\b`) }) });
    const text = named.locator(".value").filter({ hasText: value });
    await text.waitFor().catch(async () => {
      throw new Error(`${expression} is not ${value} among: ${(await rows.allInnerTexts()).join("; ").replace(/\s+/g, " ")}`);
    });
    return text.innerText();
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
