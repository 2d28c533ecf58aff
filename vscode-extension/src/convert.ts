// The command "Convert a Cortex-Debug Configuration...".
import type { JSONPath } from "jsonc-parser";
import * as vscode from "vscode";
import { foreignConfigurations, type Foreign } from "./cortexDebug";

/** A file that may hold debug configurations, and where in it. */
interface Source {
  uri: vscode.Uri;
  path: JSONPath;
}

interface ForeignItem extends vscode.QuickPickItem {
  document: vscode.TextDocument;
  foreign: Foreign;
}

/**
 * Puts a copy of the configuration that the user chooses, with our type,
 * behind it. The file is shown and not saved: the user looks at it first.
 */
export async function convertConfiguration(): Promise<void> {
  const items = (await Promise.all(sources().map(offered))).flat();
  if (items.length === 0) {
    void vscode.window.showInformationMessage('No launch.json of this workspace has a configuration of type "cortex-debug" or "mcu-debug".');
    return;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: "Convert a Cortex-Debug configuration",
    placeHolder: "Choose the configuration to copy with the type changed",
  });
  if (chosen === undefined) {
    return;
  }
  const { document, foreign } = chosen;
  const at = document.positionAt(foreign.end);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, at, foreign.insert);
  const editor = await vscode.window.showTextDocument(document);
  await vscode.workspace.applyEdit(edit);
  const copy = new vscode.Range(at, document.positionAt(foreign.end + foreign.insert.length));
  editor.revealRange(copy, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  editor.selection = new vscode.Selection(copy.start, copy.end);
}

function sources(): Source[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => ({
    uri: vscode.Uri.joinPath(uri, ".vscode", "launch.json"),
    path: ["configurations"],
  }));
  const workspace = vscode.workspace.workspaceFile;
  return workspace?.scheme === "file" ? [...folders, { uri: workspace, path: ["launch", "configurations"] }] : folders;
}

async function offered({ uri, path }: Source): Promise<ForeignItem[]> {
  let document: vscode.TextDocument;
  try {
    document = await vscode.workspace.openTextDocument(uri);
  } catch {
    return []; // a folder without launch.json
  }
  return foreignConfigurations(document.getText(), path).map((foreign) => ({
    label: foreign.name,
    description: foreign.type,
    detail: vscode.workspace.asRelativePath(uri),
    document,
    foreign,
  }));
}
