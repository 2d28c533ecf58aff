// The command "Debug a Crash Dump...".
import * as vscode from "vscode";
import { dumpConfiguration } from "./configuration";
import { kindOf, pickDump, pickImage } from "./workspaceFiles";

/**
 * Starts a session with no launch.json. From the explorer it gets the file
 * that was clicked, which may be the dump or the firmware; it asks for the rest.
 */
export async function debugCrashDump(clicked?: vscode.Uri): Promise<void> {
  const file = clicked?.fsPath;
  const isImage = file !== undefined && (await kindOf(file)) === "image";
  const dump = file !== undefined && !isImage ? file : await pickDump();
  if (dump === undefined) {
    return;
  }
  const image = isImage ? file : await pickImage(dump);
  if (image === undefined) {
    return;
  }
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(image)) ?? vscode.workspace.workspaceFolders?.[0];
  await vscode.debug.startDebugging(folder, dumpConfiguration(image, dump));
}
