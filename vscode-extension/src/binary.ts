// Finds the pushmask program. Free of the VS Code API.
import * as path from "node:path";

/** What the search depends on; the file system comes in as a function. */
export interface BinarySearch {
  /** The setting pushmask.path; empty when not set. */
  configured: string;
  /** Folder of the installed extension. */
  extensionFolder: string;
  homeFolder: string;
  /** The environment variable PATH. */
  searchPath: string;
  platform: NodeJS.Platform;
  /** Tells whether a file exists and may be executed. */
  isExecutable(file: string): boolean;
}

/** Where a program was found, or everywhere it was not. */
export type BinaryResult =
  | { found: true; file: string; origin: "setting" | "bundled" | "PATH" }
  | { found: false; message: string };

/**
 * Looks for the program in this order: the setting, the copy in the extension,
 * PATH. A setting that names nothing is an error rather than a reason to look
 * on: running another program than the one asked for would be a surprise.
 */
export function findBinary(search: BinarySearch): BinaryResult {
  const configured = search.configured.trim();
  if (configured !== "") {
    return findConfigured(configured, search);
  }
  const name = programName("pushmask", search.platform);
  const bundled = pathFor(search.platform).join(search.extensionFolder, "bin", name);
  if (search.isExecutable(bundled)) {
    return { found: true, file: bundled, origin: "bundled" };
  }
  const file = findOnPath(name, search);
  if (file !== undefined) {
    return { found: true, file, origin: "PATH" };
  }
  return {
    found: false,
    message: `The pushmask program is neither at ${bundled} nor on PATH. Set "pushmask.path" to where it is.`,
  };
}

function findConfigured(configured: string, search: BinarySearch): BinaryResult {
  const paths = pathFor(search.platform);
  const expanded = configured.replace(/^~(?=$|[\\/])/, () => search.homeFolder);
  if (paths.isAbsolute(expanded)) {
    if (search.isExecutable(expanded)) {
      return { found: true, file: expanded, origin: "setting" };
    }
    return { found: false, message: `The setting "pushmask.path" names ${expanded}, which is not a program that can be run.` };
  }
  if (expanded !== paths.basename(expanded)) {
    return { found: false, message: `The setting "pushmask.path" is the relative path ${expanded}. Make it absolute.` };
  }
  const file = findOnPath(programName(expanded, search.platform), search);
  if (file !== undefined) {
    return { found: true, file, origin: "setting" };
  }
  return { found: false, message: `The setting "pushmask.path" names ${expanded}, which is not on PATH.` };
}

function findOnPath(name: string, search: BinarySearch): string | undefined {
  const paths = pathFor(search.platform);
  return search.searchPath
    .split(paths.delimiter)
    .filter((folder) => paths.isAbsolute(folder))
    .map((folder) => paths.join(folder, name))
    .find((file) => search.isExecutable(file));
}

function programName(name: string, platform: NodeJS.Platform): string {
  return platform === "win32" && !/\.exe$/i.test(name) ? `${name}.exe` : name;
}

function pathFor(platform: NodeJS.Platform): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}
