// The end-to-end test: a real VS Code, the packaged extension with the real
// program inside, and a recorded crash. See README.md.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before } from "node:test";
import { CRASH_LOG, launchFile, MISSING, readTruth, returnAddress, writeWorkspace } from "./fixture.mjs";
import { scenarios, Stage } from "./stage.mjs";

/** @type {Stage} */
let stage;
/** @type {import("./workbench.mjs").Workbench} */
let workbench;
/** @type {import("./fixture.mjs").Frame[]} */
let truth;

before(async () => {
  truth = await readTruth();
  stage = await Stage.open({ name: "crash", write: writeWorkspace, closed: ["Watch", "Breakpoints"] });
  workbench = stage.workbench;
});

after(() => stage?.close());

const scenario = scenarios(() => stage);

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

/**
 * Asserts that the Call Stack view shows the true stack.
 * @param {import("./fixture.mjs").Frame[]} frames
 */
async function assertCallStack(frames = truth) {
  const rows = await workbench.callStack(frames.length);
  assert.deepEqual(
    rows.map((row) => (row.file === "" ? row.label : `${row.label} ${position(row)}`)),
    frames.map(shown),
  );
}

/**
 * Asserts that the editor shows the line of a frame.
 * @param {number} index
 */
async function assertEditorShows(index) {
  const { file, line } = truth[index] ?? {};
  assert.ok(file && line, `frame ${index} of the fixture must have a source line`);
  await workbench.editor.waitForLine(path.basename(file), line);
}

scenario("F5 shows the call stack of the crash and opens the line that faulted", "call-stack", async () => {
  await workbench.pressF5();
  await assertCallStack();
  await assertEditorShows(truth.findIndex((frame) => frame.kind === "exception") + 1);
  assert.match(await workbench.editor.exceptionText(), /HardFault\s+`ldr r3, \[r3, #0\]` with r3 = 0xdeadbee0: read of address 0xdeadbee0/);
  await workbench.variable("s", /^0x[0-9a-f]+ <sensors/);
  await workbench.expandVariable("s");
  await workbench.variable("raw", /^0xdeadbee0/); // what the fault says
});

scenario("a click on a frame opens its line", "third-frame", async () => {
  const main = truth.findIndex((frame) => frame.function === "main");
  await workbench.clickFrame(main);
  await assertEditorShows(main);
  await workbench.clickFrame(2);
  await assertEditorShows(2);
});

scenario("a frame has its registers, and says how it was found", "unwind", async () => {
  const caller = truth.findIndex((frame) => frame.function === "dispatch");
  await workbench.clickFrame(caller);
  await assertEditorShows(caller);
  await workbench.setScope("Registers", true);
  const registers = await workbench.variables("pc");
  const pc = registers.find((row) => row.startsWith("pc ="));
  assert.equal(pc?.slice(0, "pc = 0x00000000".length), `pc = ${truth[caller]?.pc}`);
  await workbench.setScope("Registers", false);
  await workbench.setScope("Unwind", true);
  const facts = await workbench.variables("found by");
  assert.ok(facts.some((row) => row.startsWith("rule = ")), `no rule in ${facts.join("; ")}`);
});

scenario("the Disassembly View opens at the PC of the frame and marks it", "disassembly", async () => {
  const fault = truth.findIndex((frame) => frame.kind === "exception") + 1;
  for (const index of [fault, fault + 1]) {
    await workbench.clickFrame(index);
    await assertEditorShows(index);
    const row = await workbench.editor.disassemblyAtPC();
    assert.ok(row.includes(truth[index]?.pc ?? "no such frame"), row);
    await stage.screenshot(`disassembly-${index}`);
    await workbench.editor.close();
  }
});

scenario("the command opens a dump with no configuration", "command", async () => {
  await workbench.stopDebugging();
  await workbench.palette.runCommand("pushmask: Debug a Crash Dump...");
  await answerPicks();
  await assertCallStack();
  await workbench.stopDebugging();
});

scenario("a crash log opens with the stack of the code that faulted", "log-stack", async () => {
  await workbench.palette.runCommand("pushmask: Debug a Crash Dump...");
  await answerPicks(CRASH_LOG);
  const fault = truth.findIndex((frame) => frame.kind === "exception") + 1;
  await assertCallStack(truth.slice(fault));
  await assertEditorShows(fault);
  await stage.screenshot("log-stack-shown");
  await workbench.stopDebugging();
});

/**
 * Chooses dump and firmware in the lists that ask for them.
 * @param {string} dump
 */
async function answerPicks(dump = "crash.core") {
  const offered = await workbench.palette.listed("Crash dump"); // the newest first
  assert.deepEqual(offered.sort(), ["Browse...", "crash.core", CRASH_LOG].sort());
  await workbench.palette.choose(dump);
  assert.deepEqual(await workbench.palette.listed("Firmware ELF"), ["fw.elf", "Browse..."]);
  await workbench.palette.choose("fw.elf");
}

scenario("a missing dump gives one readable error", "missing-dump", async () => {
  await workbench.palette.startConfiguration(MISSING);
  assert.match(await workbench.errorText(), /no-such\.core/);
  await workbench.page.keyboard.press("Escape");
});

scenario("an address in a crash log says its function and line", "crash-log", async () => {
  const frame = truth.find(({ function: name }) => name === "filter_mean");
  assert.ok(frame);
  await workbench.editor.open(CRASH_LOG);
  const text = await workbench.editor.hoverText(returnAddress(frame.pc));
  assert.ok(text.includes(frame.function) && text.includes(position(frame)), text);
});

scenario("F5 with no launch.json asks what to debug, and for dump and firmware", "no-launch-json", async () => {
  await rm(launchFile(stage.workspace));
  await workbench.editor.open("main.c");
  await workbench.pressF5();
  assert.deepEqual(await workbench.palette.listed("Debug ARM firmware"), ["Crash dump", "GDB server that runs", "Another target"]);
  await workbench.palette.choose("Crash dump");
  await answerPicks();
  await assertCallStack();
});
