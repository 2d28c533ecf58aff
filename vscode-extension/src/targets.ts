// Asks what to debug where no configuration says it.
import * as vscode from "vscode";
import { anyDump, anyTarget, type Configuration } from "./configuration";

interface TargetItem extends vscode.QuickPickItem {
  /** Null for the item that opens launch.json. */
  configuration: Configuration | null;
}

const choices: TargetItem[] = [
  { label: "Crash dump", detail: "What a crash left behind: a core file, a dump, a log", configuration: anyDump() },
  { label: "GDB server that runs", detail: "OpenOCD, J-Link, pyOCD, ST-LINK, Black Magic Probe, QEMU: attach to its target", configuration: anyTarget() },
  { label: "Another target", detail: "Write a launch.json, for example to program a board or to start QEMU", configuration: null },
];

/** Asks for the kind of target: its configuration, null to open launch.json, undefined when the user gives up. */
export async function chooseTarget(): Promise<Configuration | null | undefined> {
  const chosen = await vscode.window.showQuickPick(choices, { title: "Debug ARM firmware", placeHolder: "Choose what to debug" });
  return chosen?.configuration;
}

/** Asks for the address of a GDB server; undefined when the user gives up. */
export async function askAddress(): Promise<string | undefined> {
  const address = await vscode.window.showInputBox({
    title: "GDB server",
    prompt: "Its address: host:port, a Unix socket, or a serial device such as /dev/ttyACM0 or COM3",
    value: "localhost:3333",
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === "" ? "An address is needed." : undefined),
  });
  return address?.trim();
}

/** The command "Attach to a GDB Server...". */
export async function attach(): Promise<void> {
  await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], anyTarget());
}
