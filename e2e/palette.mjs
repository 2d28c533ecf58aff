// Drives the palette of VS Code, and the lists and questions that look like it.

/** Longest time until a command is known, milliseconds: the workbench is loading. */
const LOAD_TIMEOUT = 90_000;

// The palette opens at once or not at all.
const PALETTE_TIMEOUT = 5_000;
const PALETTE_ATTEMPTS = 6;

/** The box at the top of a window. */
export class Palette {
  /** @param {import("playwright-core").Page} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * Waits until a command can be found.
   * @param {string} command
   */
  async waitForCommand(command) {
    const until = Date.now() + LOAD_TIMEOUT;
    while (Date.now() < until) {
      await this.type(`>${command}`);
      const row = this.row(command);
      const shown = await row.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
      await this.close();
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
    await this.type(`>${title}`);
    await this.choose(title);
  }

  /**
   * Starts a launch configuration by its name.
   * @param {string} name
   */
  async startConfiguration(name) {
    await this.type(`debug ${name}`);
    await this.choose(name);
  }

  /**
   * Chooses a row of the list that is open, by its whole label.
   * @param {string} label
   */
  async choose(label) {
    await this.row(label).click();
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
  async type(text) {
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

  async close() {
    await this.page.keyboard.press("Escape");
    await this.page.locator(".quick-input-widget:visible").waitFor({ state: "hidden" });
  }

  /** @param {string} label the whole label */
  row(label) {
    const name = this.page.locator(".quick-input-list-row:first-child .label-name").getByText(label, { exact: true });
    return this.page.locator(".quick-input-widget:visible .monaco-list-row").filter({ has: name }).first();
  }
}
