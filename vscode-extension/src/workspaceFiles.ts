// Lists the files of the workspace that may be firmware or dumps, and asks
// the user to choose one.
import { open } from "node:fs/promises";
import * as vscode from "vscode";
import { age, DUMP_GLOB, EXCLUDE_GLOB, IMAGE_GLOB, rankDumps, rankImages, sizeText, type Candidate } from "./candidates";
import { classify, HEADER_SIZE, type FileKind } from "./elf";

/** Most files of a kind that are looked into; a workspace with more is asked through the file dialog. */
const MAX_FILES = 200;

/** The ARM images of the workspace, those near the dump first. */
export async function findImages(dump?: string): Promise<Candidate[]> {
  return rankImages(await candidates(IMAGE_GLOB), dump);
}

/** The crash dumps of the workspace, the newest first. */
export async function findDumps(): Promise<Candidate[]> {
  return rankDumps(await candidates(DUMP_GLOB));
}

/** Asks for the firmware ELF, of a dump where one is given; undefined when the user gives up. */
export async function pickImage(dump?: string): Promise<string | undefined> {
  const what = dump === undefined ? "the program of the target" : "the program that was running when it crashed";
  return pickFile("Firmware ELF", what, await findImages(dump));
}

/** Asks for the crash dump; undefined when the user gives up. */
export async function pickDump(): Promise<string | undefined> {
  return pickFile("Crash dump", "the file that the crash left behind", await findDumps());
}

/** Tells what a file is; "other" for one that cannot be read, which the adapter then explains. */
export async function kindOf(file: string): Promise<FileKind> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(HEADER_SIZE), 0, HEADER_SIZE, 0);
      return classify(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch {
    return "other";
  }
}

interface FileItem extends vscode.QuickPickItem {
  /** Undefined for the item that opens the file dialog. */
  file?: string;
}

async function pickFile(title: string, what: string, offered: Candidate[]): Promise<string | undefined> {
  if (offered.length > 0) {
    const now = Date.now();
    const items: FileItem[] = offered.map((c) => ({
      label: c.relative.split("/").pop() ?? c.relative,
      description: c.relative.split("/").slice(0, -1).join("/"),
      detail: `${sizeText(c.size)}, ${age(c.modified, now)}`,
      file: c.file,
    }));
    items.push({ label: "$(folder-opened) Browse..." });
    const chosen = await vscode.window.showQuickPick(items, {
      title,
      placeHolder: `Choose ${what}`,
      matchOnDescription: true,
    });
    if (chosen === undefined || chosen.file !== undefined) {
      return chosen?.file;
    }
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const opened = await vscode.window.showOpenDialog({
    title: `${title}: ${what}`,
    openLabel: "Choose",
    ...(folder && { defaultUri: folder }),
  });
  return opened?.[0]?.fsPath;
}

async function candidates(glob: string): Promise<Candidate[]> {
  const uris = await vscode.workspace.findFiles(glob, EXCLUDE_GLOB, MAX_FILES);
  const found = await Promise.all(uris.filter((uri) => uri.scheme === "file").map(candidate));
  return found.filter((c) => c !== undefined);
}

async function candidate(uri: vscode.Uri): Promise<Candidate | undefined> {
  try {
    const stat = await vscode.workspace.fs.stat(uri);
    return {
      relative: vscode.workspace.asRelativePath(uri),
      file: uri.fsPath,
      size: stat.size,
      modified: stat.mtime,
      kind: await kindOf(uri.fsPath),
    };
  } catch {
    return undefined; // deleted since it was listed
  }
}
