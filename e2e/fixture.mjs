// Makes the workspace that the test opens, from the firmware in testdata, and
// reads the true stack of its crash.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const firmware = fileURLToPath(new URL("../testdata/firmware", import.meta.url));

/** The recorded crash in use: a folder of testdata/firmware. */
const CASE = "demo";

/** Folder of the sources in the debug information of the firmware: see build.sh there. */
const RECORDED_ROOT = "/firmware/";

/** Names of the launch configurations. */
const CRASH = "Crash of the firmware";
export const MISSING = "Crash with a missing dump";

/**
 * A line of the call stack. An exception entry has no position.
 * @typedef {{kind: string, function: string, file?: string, line?: number}} Frame
 */

/**
 * Writes the workspace: the sources, the ELF, the dump and a launch.json.
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
  await writeFile(path.join(folder, ".vscode/launch.json"), JSON.stringify(launch, null, 2));
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
      const [kind = "", , name = "", where = ""] = line.split(/\s+/);
      const [, file, number] = /^(.*):(\d+)$/.exec(where) ?? [];
      if (file === undefined) {
        return { kind, function: name };
      }
      return { kind, function: name, file: file.replace(RECORDED_ROOT, ""), line: Number(number) };
    });
}
