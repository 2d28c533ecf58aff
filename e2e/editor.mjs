// Drives the text editor of VS Code: its lines, its gutter, what appears on them.
import assert from "node:assert/strict";

/** Longest time until a hover appears, milliseconds. */
const HOVER_TIMEOUT = 30_000;

/** Line numbers and icons beside the text. */
const margin = ".editor-group-container.active .margin:has(.margin-view-overlays)";

/** The editor in use. */
export class Editor {
  /**
   * @param {import("playwright-core").Page} page
   * @param {import("./palette.mjs").Palette} palette
   */
  constructor(page, palette) {
    this.page = page;
    this.palette = palette;
  }

  /**
   * Waits until the editor shows a file with the focused frame's highlight on a line.
   * @param {string} file name of the file, without folders
   * @param {number} line
   */
  async waitForLine(file, line) {
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
        throw new Error(`the editor does not show ${file}:${line} but ${await this.state()}`);
      });
  }

  /**
   * Opens a file of the workspace.
   * @param {string} name
   */
  async open(name) {
    await this.page.keyboard.press("Control+P");
    await this.page.locator(".quick-input-widget:visible input.input").fill(name);
    await this.palette.choose(name);
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
    const number = await this.page.locator(margin).locator(".line-numbers").getByText(String(line), { exact: true }).boundingBox();
    const gutter = await this.page.locator(margin).boundingBox();
    assert(number !== null && gutter !== null, `line ${line} is not in sight`);
    await this.page.mouse.click(gutter.x + 8, number.y + number.height / 2);
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
      { line, icon, margin },
    );
  }

  /**
   * Makes a breakpoint with a condition in the line of the cursor.
   * @param {string} condition
   */
  async addConditionalBreakpoint(condition) {
    await this.palette.runCommand("Debug: Add Conditional Breakpoint...");
    const input = this.page.locator(".breakpoint-widget .inputContainer .monaco-editor");
    await input.click();
    await this.page.keyboard.type(condition);
    await input.locator(".view-line", { hasText: condition.replaceAll(" ", "\u00a0") }).waitFor(); // the editor shows spaces as such
    await this.page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  /**
   * Points at a word in the editor until a hover appears that says more than
   * "Loading..." and returns its text.
   * @param {string} word
   */
  async hoverText(word) {
    const span = this.page.locator(".editor-group-container.active .view-line span span", { hasText: word }).first();
    const hover = this.page.locator(".monaco-hover:visible .hover-contents", { hasNotText: "Loading" }).first();
    const until = Date.now() + HOVER_TIMEOUT;
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
  async lines(text) {
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
   * mark of a frame; returns the text of the row. Undo with {@link close}.
   */
  async disassemblyAtPC() {
    await this.palette.runCommand("Open Disassembly View");
    const view = this.page.locator(".editor-group-container.active .disassembly-view");
    const mark = this.page.locator(".codicon-debug-stackframe, .codicon-debug-stackframe-focused");
    const row = view.locator(".monaco-list-row").filter({ has: mark });
    await row.waitFor().catch(async () => {
      throw new Error(`no row is marked among:\n${(await view.locator(".monaco-list-row").allInnerTexts()).join("\n")}`);
    });
    return (await row.innerText()).replace(/\s+/g, " ").trim();
  }

  async close() {
    await this.palette.runCommand("View: Close Editor");
  }

  async state() {
    const tab = await this.page.locator(".editor-group-container.active .tab.active .label-name").allInnerTexts();
    const position = await this.page.locator("#status\\.editor\\.selection").allInnerTexts();
    return `${tab.join() || "no file"} at ${position.join() || "no position"}`;
  }
}
