// VS Code on a workspace for the tests of one file, with a picture of each.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CodeServer } from "./codeServer.mjs";
import { Workbench } from "./workbench.mjs";

const build = fileURLToPath(new URL("../build", import.meta.url));
const vsix = path.join(build, `pushmask-${process.platform}-${process.arch}.vsix`);

/** A window with the packaged extension. */
export class Stage {
  /**
   * @param {string} pictures folder of the pictures and of the log of code-server
   * @param {string} folder of everything that lives as long as the window
   * @param {CodeServer} server
   * @param {Workbench} workbench
   */
  constructor(pictures, folder, server, workbench) {
    this.pictures = pictures;
    this.folder = folder;
    this.server = server;
    this.workbench = workbench;
  }

  /** The folder that the window shows. */
  get workspace() {
    return path.join(this.folder, "firmware");
  }

  /**
   * Opens a window on a workspace and waits until a session can be started.
   * @param {{name: string, write: (folder: string) => Promise<void>, closed: string[]}} options
   *   name is that of the folder of pictures, write makes the workspace, closed are the sections of the Run view to close
   */
  static async open({ name, write, closed }) {
    assert.ok(existsSync(vsix), `${vsix} is missing: run "npm run package"`);
    const pictures = path.join(build, "e2e", name);
    await rm(pictures, { recursive: true, force: true });
    await mkdir(pictures, { recursive: true });
    const folder = await mkdtemp(path.join(tmpdir(), "pushmask-e2e-"));
    const workspace = path.join(folder, "firmware");
    await write(workspace);
    const server = await CodeServer.start({ vsix, folder, log: path.join(pictures, "code-server.log") });
    const workbench = await Workbench.open({ url: server.url, folder: workspace }).catch(async (error) => {
      await server.stop();
      throw error;
    });
    const stage = new Stage(pictures, folder, server, workbench);
    try {
      await stage.pictured("start", async () => {
        await workbench.waitUntilReady();
        await workbench.arrangeRunView(closed);
      });
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  async close() {
    await this.workbench.close();
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * Runs steps and leaves a picture: of their end, or of the moment they failed.
   * @param {string} picture
   * @param {() => Promise<void>} steps
   */
  async pictured(picture, steps) {
    try {
      await steps();
    } catch (error) {
      console.error(`picture of the failure: ${await this.screenshot(`${picture}-failed`)}`);
      throw error;
    }
    await this.screenshot(picture);
  }

  /** @param {string} name */
  screenshot(name) {
    return this.workbench.screenshot(this.pictures, name);
  }
}

/**
 * Makes the function that declares a test of a window and leaves a picture of
 * its end.
 * @param {() => Stage} stage the window, which is open when the tests run
 */
export function scenarios(stage) {
  /**
   * @param {string} name
   * @param {string} picture
   * @param {() => Promise<void>} steps
   */
  return (name, picture, steps) => test(name, () => stage().pictured(picture, steps));
}
