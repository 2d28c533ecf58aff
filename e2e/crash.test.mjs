// The end-to-end test: a real VS Code, the packaged extension with the real
// program inside, and a recorded crash. See README.md.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { CodeServer } from "./codeServer.mjs";
import { MISSING, readTruth, writeWorkspace } from "./fixture.mjs";
import { Workbench } from "./workbench.mjs";

const build = fileURLToPath(new URL("../build", import.meta.url));
const vsix = path.join(build, `pushmask-${process.platform}-${process.arch}.vsix`);
const pictures = path.join(build, "e2e");

/** @type {string} */
let folder;
/** @type {CodeServer} */
let server;
/** @type {Workbench} */
let workbench;
/** @type {import("./fixture.mjs").Frame[]} */
let truth;

before(async () => {
  assert.ok(existsSync(vsix), `${vsix} is missing: run "npm run package"`);
  await mkdir(pictures, { recursive: true });
  folder = await mkdtemp(path.join(tmpdir(), "pushmask-e2e-"));
  const workspace = path.join(folder, "firmware");
  await writeWorkspace(workspace);
  truth = await readTruth();
  server = await CodeServer.start({ vsix, folder, log: path.join(pictures, "code-server.log") });
  workbench = await Workbench.open({ url: server.url, folder: workspace });
  await workbench.waitForDebugger();
  await workbench.arrangeRunView();
});

after(async () => {
  await workbench?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * A test that leaves a picture: of its end, or of the moment it failed.
 * @param {string} name
 * @param {string} picture
 * @param {() => Promise<void>} steps
 */
function scenario(name, picture, steps) {
  test(name, async () => {
    try {
      await steps();
    } catch (error) {
      const file = await workbench.screenshot(pictures, `${picture}-failed`);
      console.error(`picture of the failure: ${file}`);
      throw error;
    }
    await workbench.screenshot(pictures, picture);
  });
}

/**
 * What the Call Stack view shows for a frame of the fixture.
 * @param {import("./fixture.mjs").Frame} frame
 */
function shown(frame) {
  switch (frame.kind) {
    case "exception":
      return `<exception ${frame.function}>`;
    case "inline":
      return `${frame.function} (inlined) ${position(frame)}`;
    default:
      return `${frame.function} ${position(frame)}`;
  }
}

/** @param {{file?: string, line?: number}} frame */
function position({ file, line }) {
  return `${path.basename(file ?? "")}:${line}`;
}

/** Asserts that the Call Stack view shows the true stack. */
async function assertCallStack() {
  const rows = await workbench.callStack(truth.length);
  assert.deepEqual(
    rows.map((row) => (row.file === "" ? row.label : `${row.label} ${position(row)}`)),
    truth.map(shown),
  );
}

scenario("F5 shows the call stack of the crash", "call-stack", async () => {
  await workbench.pressF5();
  await assertCallStack();
  const top = truth[0];
  assert.ok(top?.file && top.line);
  await workbench.waitForEditor(path.basename(top.file), top.line);
});

scenario("a click on the third frame opens its line, with its registers", "third-frame", async () => {
  const third = truth[2];
  assert.ok(third?.file && third.line, "the third frame of the fixture must have a source line");
  await workbench.clickFrame(2);
  await workbench.waitForEditor(path.basename(third.file), third.line);
  const registers = await workbench.variables("Registers", "pc");
  assert.ok(
    registers.some((row) => /^pc\s*[=:]\s*0x[0-9a-f]{8}/.test(row)),
    `no pc in ${registers.join("; ")}`,
  );
});

scenario("the command opens a dump with no launch.json", "command", async () => {
  await workbench.stopDebugging();
  await workbench.runCommand("pushmask: Debug a Crash Dump");
  assert.deepEqual(await workbench.listed("Crash dump"), ["crash.core", "Browse..."]);
  await workbench.choose("crash.core");
  assert.deepEqual(await workbench.listed("Firmware ELF"), ["fw.elf", "Browse..."]);
  await workbench.choose("fw.elf");
  await assertCallStack();
  await workbench.stopDebugging();
});

scenario("a missing dump gives one readable error", "missing-dump", async () => {
  await workbench.startConfiguration(MISSING);
  assert.match(await workbench.errorText(), /no-such\.core/);
});
