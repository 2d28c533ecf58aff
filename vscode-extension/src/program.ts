// Finds the pushmask program with the settings of this window, and tells the
// user when there is none.
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { findBinary, type BinaryResult } from "./binary";

/** Looks for the program anew: the setting may have changed. */
export function findProgram(context: vscode.ExtensionContext): BinaryResult {
  return findBinary({
    configured: vscode.workspace.getConfiguration("pushmask").get<string>("path", ""),
    extensionFolder: context.extensionPath,
    homeFolder: homedir(),
    searchPath: process.env["PATH"] ?? "",
    platform: process.platform,
    isExecutable,
  });
}

/** Shows why there is no program, with the ways out. */
export async function reportNoProgram(message: string): Promise<void> {
  const locate = "Locate Program...";
  const settings = "Open Settings";
  const answer = await vscode.window.showErrorMessage(message, locate, settings);
  if (answer === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "pushmask.path");
  } else if (answer === locate) {
    const [file] = (await vscode.window.showOpenDialog({ title: "The pushmask program", openLabel: "Use" })) ?? [];
    if (file !== undefined) {
      await vscode.workspace.getConfiguration("pushmask").update("path", file.fsPath, vscode.ConfigurationTarget.Global);
    }
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
