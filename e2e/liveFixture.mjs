// Makes the workspace of the test of live targets, from the firmware in
// testdata that makes its tour again and again.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const firmware = fileURLToPath(new URL("../testdata/live", import.meta.url));

/** The build in use, a folder of testdata/live, and the machine of QEMU that runs it. */
const CASE = "m3-O0";
export const MACHINE = "mps2-an385";
export const ELF = path.join(firmware, CASE, "fw.elf");

/** Names of the launch configurations. */
const ATTACH = "Attach to the running firmware";
export const LAUNCH = "Launch in QEMU";
export const ABSENT = "Attach to nobody";
export const FOREIGN = "Board on the desk";

/**
 * Writes the workspace: the sources, the ELF and a launch.json. F5 starts the
 * first configuration.
 * @param {string} folder
 * @param {string} gdbTarget address of the GDB server
 */
export async function writeLiveWorkspace(folder, gdbTarget) {
  await mkdir(path.join(folder, ".vscode"), { recursive: true });
  await mkdir(path.join(folder, "build"));
  for (const sources of ["app", "board"]) {
    await cp(path.join(firmware, sources), path.join(folder, sources), { recursive: true });
  }
  await cp(ELF, path.join(folder, "build/fw.elf"));
  const configurations = [
    {
      type: "pushmask",
      request: "attach",
      name: ATTACH,
      servertype: "external",
      cwd: "${workspaceFolder}",
      executable: "build/fw.elf",
      gdbTarget: "localhost:1",
      linux: { gdbTarget },
      overrideAttachCommands: [],
      overrideResetCommands: ["monitor system_reset"],
    },
    {
      type: "pushmask",
      request: "launch",
      name: LAUNCH,
      servertype: "qemu",
      machine: MACHINE,
      executable: "build/fw.elf",
      runToEntryPoint: "main",
    },
    { type: "pushmask", request: "attach", name: ABSENT, executable: "build/fw.elf", gdbTarget: "127.0.0.1:1" },
    { type: "cortex-debug", name: FOREIGN, gdbTarget: "localhost:3333" },
  ];
  await writeFile(path.join(folder, ".vscode/launch.json"), JSON.stringify({ version: "0.2.0", configurations }, null, 2));
}

/**
 * The number of the only line of a source file that holds a text.
 * @param {string} file below testdata/live
 * @param {string} text
 */
export async function lineOf(file, text) {
  const lines = (await readFile(path.join(firmware, file), "utf8")).split("\n");
  const found = lines.flatMap((line, index) => (line.includes(text) ? [index + 1] : []));
  const [line] = found;
  if (line === undefined || found.length > 1) {
    throw new Error(`${file} has ${found.length} lines with ${text}`);
  }
  return line;
}
