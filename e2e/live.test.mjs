// The end-to-end test of live targets: firmware that runs in QEMU, debugged in
// a real VS Code. See README.md.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before } from "node:test";
import { ABSENT, ELF, FOREIGN, LAUNCH, lineOf, MACHINE, writeLiveWorkspace } from "./liveFixture.mjs";
import { ended, processes, Qemu } from "./qemu.mjs";
import { scenarios, Stage } from "./stage.mjs";

/** @type {Qemu} */
let qemu;
/** @type {Stage} */
let stage;
/** @type {import("./workbench.mjs").Workbench} */
let workbench;

before(async () => {
  qemu = await Qemu.start({ machine: MACHINE, elf: ELF });
  stage = await Stage.open({
    name: "live",
    write: (folder) => writeLiveWorkspace(folder, qemu.address),
    closed: ["Breakpoints"],
  });
  workbench = stage.workbench;
});

after(async () => {
  await stage?.close();
  await qemu?.stop();
});

const scenario = scenarios(() => stage);

/**
 * Waits until the program stands in a line of app/steps.c.
 * @param {string} text of the line
 * @param {string[]} functions from that of the line to its callers
 */
async function standsIn(text, functions) {
  await workbench.editor.waitForLine("steps.c", await lineOf("app/steps.c", text));
  await workbench.waitForFunctions(functions);
}

scenario("a click in the gutter sets a breakpoint, and the running firmware hits it", "breakpoint", async () => {
  await workbench.editor.open("steps.c");
  const line = await lineOf("app/steps.c", "int sum = leaf(n);");
  await workbench.editor.goToLine(line);
  await workbench.editor.clickGutter(line);
  await workbench.editor.waitForBreakpoint(line, "codicon-debug-breakpoint");
  await workbench.pressF5();
  await workbench.callStack(1);
  await workbench.toolbar("Continue");
  await standsIn("int sum = leaf(n);", ["tour", "main"]);
});

scenario("step into, over and out move the line", "steps", async () => {
  await workbench.toolbar("Step Into");
  await standsIn("int y = x * 3;", ["leaf", "tour", "main"]);
  await workbench.toolbar("Step Over");
  await standsIn("return y + 1;", ["leaf", "tour"]);
  await workbench.toolbar("Step Out");
  await standsIn("int sum = leaf(n);", ["tour", "main"]);
  await workbench.toolbar("Step Over");
  await standsIn("sum += nested(n);", ["tour", "main"]);
  const n = Number.parseInt(await workbench.variable("n", /^\d/));
  await workbench.variable("sum", new RegExp(`^${3 * n + 1}\\b`)); // what leaf returned
});

scenario("a watch changes from round to round", "watch", async () => {
  await workbench.addWatch("station");
  await workbench.expandWatched("station");
  await workbench.watched("name", /^0x[0-9a-f]+ "north"$/);
  await workbench.addWatch("counter");
  const before = Number.parseInt(await workbench.watched("counter", /^\d+/));
  await workbench.toolbar("Continue");
  await workbench.watched("counter", new RegExp(`^${before + 1}\\b`));
  await standsIn("int sum = leaf(n);", ["tour", "main"]);
});

/** The value of n for which the conditional breakpoint stops. */
let wanted = 0;

scenario("a conditional breakpoint stops where its condition holds", "condition", async () => {
  await workbench.addWatch("n");
  wanted = (Number.parseInt(await workbench.watched("n", /^\d/)) + 3) % 8; // n is counter modulo 8
  const line = await lineOf("app/steps.c", "int sum = leaf(n);");
  await workbench.editor.clickGutter(line);
  await workbench.editor.goToLine(line);
  await workbench.editor.addConditionalBreakpoint(`n == ${wanted}`);
  await workbench.editor.waitForBreakpoint(line, "codicon-debug-breakpoint-conditional");
  await workbench.toolbar("Continue");
  await workbench.watched("n", new RegExp(`^${wanted}\\b`));
  await standsIn("int sum = leaf(n);", ["tour", "main"]);
});

scenario("Reset Target starts the firmware anew", "reset", async () => {
  await workbench.toolbar("Reset Target");
  await workbench.watched("counter", new RegExp(`^${wanted}\\b`));
  await standsIn("int sum = leaf(n);", ["tour", "main"]);
});

scenario("Pause stops the firmware wherever it is", "pause", async () => {
  await workbench.editor.clickGutter(await lineOf("app/steps.c", "int sum = leaf(n);"));
  await workbench.toolbar("Continue");
  await workbench.toolbar("Pause");
  await workbench.waitForState("Paused on pause");
  await workbench.waitForFunction("main");
});

scenario("a breakpoint set while the firmware runs is hit", "running", async () => {
  await workbench.toolbar("Continue");
  await workbench.waitForState("Running");
  await workbench.editor.open("steps.c");
  const line = await lineOf("app/steps.c", "int y = x * 3;");
  await workbench.editor.goToLine(line);
  await workbench.editor.clickGutter(line);
  await standsIn("int y = x * 3;", ["leaf"]);
});

scenario("Disconnect lets the firmware run on", "disconnect", async () => {
  await workbench.toolbar("Disconnect");
  await workbench.waitUntilEnded();
  await qemu.runs();
});

scenario("the command attaches with no configuration", "attach", async () => {
  await workbench.palette.runCommand("pushmask: Attach to a GDB Server...");
  await workbench.palette.answer("GDB server", qemu.address);
  assert.deepEqual(await workbench.palette.listed("Firmware ELF"), ["fw.elf", "Browse..."]);
  await workbench.palette.choose("fw.elf");
  await workbench.waitForFunction("main");
  await workbench.toolbar("Disconnect");
  await workbench.waitUntilEnded();
  await qemu.runs();
});

scenario("a launch starts QEMU, runs to main and ends QEMU", "launch", async () => {
  await workbench.palette.startConfiguration(LAUNCH);
  await workbench.editor.waitForLine("main.c", await lineOf("app/main.c", "uint32_t c = command;"));
  await workbench.waitForFunctions(["main", "Reset_Handler"]);
  const options = ["-kernel", path.join(stage.workspace, "build/fw.elf")];
  assert.equal((await processes(options)).length, 1, "there is no QEMU of this session");
  await workbench.toolbar("Stop");
  await workbench.waitUntilEnded();
  await ended(options);
});

scenario("a server that is not there gives one readable error", "no-server", async () => {
  await workbench.palette.startConfiguration(ABSENT);
  assert.match(await workbench.errorText(), /"gdbTarget": .*127\.0\.0\.1:1\b/);
  await workbench.page.keyboard.press("Escape");
});

scenario("a configuration of Cortex-Debug is copied with the type changed", "convert", async () => {
  await workbench.palette.runCommand("pushmask: Convert a Cortex-Debug Configuration...");
  assert.deepEqual(await workbench.palette.listed("Convert a Cortex-Debug configuration"), [FOREIGN]);
  await workbench.palette.choose(FOREIGN);
  const lines = await workbench.editor.lines(`"${FOREIGN} (pushmask)"`);
  const copy = ["{", '"type": "pushmask",', `"name": "${FOREIGN} (pushmask)",`, '"gdbTarget": "localhost:3333"', "}"];
  const start = lines.indexOf(copy[2] ?? "") - 2;
  assert.deepEqual(lines.slice(start, start + copy.length), copy);
});
