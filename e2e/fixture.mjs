// Makes the workspace that the test opens, from the firmware in testdata, and
// reads the true stack of its crash.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const firmware = fileURLToPath(new URL("../testdata/firmware", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));

/** The recorded crash in use: a folder of testdata/firmware. */
const CASE = "demo";

/** Folder of the sources in the debug information of the firmware: see build.sh there. */
const RECORDED_ROOT = "/firmware/";

/** A log in the workspace: what a handler of the firmware prints of the same crash. */
export const CRASH_LOG = "crash.log";

/** Names of the launch configurations. */
const CRASH = "Crash of the firmware";
export const MISSING = "Crash with a missing dump";

/**
 * A line of the call stack. An exception entry has no position.
 * @typedef {{kind: string, pc: string, function: string, file?: string, line?: number}} Frame
 */

/**
 * Writes the workspace: the sources, the ELF, the dump, a launch.json and a crash log.
 * @param {string} folder
 */
export async function writeWorkspace(folder) {
  await mkdir(path.join(folder, ".vscode"), { recursive: true });
  await mkdir(path.join(folder, "build"));
  for (const sources of ["app", "board"]) {
    await cp(path.join(firmware, sources), path.join(folder, sources), { recursive: true });
  }
  for (const file of ["fw.elf", "crash.core"]) {
    await cp(path.join(firmware, CASE, file), path.join(folder, "build", file));
  }
  const common = { type: "pushmask", request: "launch", program: "${workspaceFolder}/build/fw.elf" };
  const launch = {
    version: "0.2.0",
    configurations: [
      { ...common, name: CRASH, coreFile: "${workspaceFolder}/build/crash.core" },
      { ...common, name: MISSING, coreFile: "${workspaceFolder}/build/no-such.core" },
    ],
  };
  await writeFile(launchFile(folder), JSON.stringify(launch, null, 2));
  await writeFile(path.join(folder, ".vscode/settings.json"), JSON.stringify({ "pushmask.executable": "build/fw.elf" }));
  await cp(path.join(here, CRASH_LOG), path.join(folder, CRASH_LOG));
}

/**
 * The return address of a frame's call as it lies on the stack: with the Thumb
 * bit, which the true stack leaves out.
 * @param {string} pc
 */
export function returnAddress(pc) {
  return `0x${(Number(pc) | 1).toString(16).padStart(8, "0")}`;
}

/** @param {string} folder */
export function launchFile(folder) {
  return path.join(folder, ".vscode/launch.json");
}

/**
 * Reads the true stack: lines of kind, PC, function and file:line.
 * @returns {Promise<Frame[]>}
 */
export async function readTruth() {
  const text = await readFile(path.join(firmware, CASE, "want.txt"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [kind = "", pc = "", name = "", where = ""] = line.split(/\s+/);
      const [, file, number] = /^(.*):(\d+)$/.exec(where) ?? [];
      if (file === undefined) {
        return { kind, pc, function: name };
      }
      return { kind, pc, function: name, file: file.replace(RECORDED_ROOT, ""), line: Number(number) };
    });
}
