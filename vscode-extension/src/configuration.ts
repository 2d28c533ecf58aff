// Reads debug configurations. Free of the VS Code API.
import * as path from "node:path";

/** A launch.json entry of type pushmask, as far as the extension reads it. */
export interface Configuration {
  type: string;
  request: string;
  name: string;
  [attribute: string]: unknown;
}

/** The debug type of this extension. */
export const DEBUG_TYPE = "pushmask";

/** Names of the firmware ELF in a configuration; the first is written, all are read. */
const imageAttributes = ["program", "executable"] as const;

/** Names of the crash dump in a configuration; the first is written, all are read. */
const dumpAttributes = ["coreFile", "coreDumpPath", "coreFilePath"] as const;

/** Tells whether VS Code asks to debug with no launch.json: it passes an empty configuration. */
export function isEmpty(config: Partial<Configuration>): boolean {
  return !config.type && !config.request && !config.name;
}

/** A configuration that opens a dump, which the user is then asked for. */
export function anyDump(): Configuration {
  return { type: DEBUG_TYPE, request: "launch", name: "Debug a crash dump" };
}

/** A configuration that joins a live target, whose address the user is then asked for. */
export function anyTarget(): Configuration {
  return { type: DEBUG_TYPE, request: "attach", name: "Attach to a GDB server", servertype: "external" };
}

/** The configuration that opens a dump. */
export function dumpConfiguration(image: string, dump: string): Configuration {
  return { type: DEBUG_TYPE, request: "launch", name: baseName(dump), program: image, coreFile: dump };
}

/** The firmware ELF of a configuration. */
export function imageOf(config: Configuration): string | undefined {
  return firstText(config, imageAttributes);
}

/** The crash dump of a configuration. */
export function dumpOf(config: Configuration): string | undefined {
  return firstText(config, dumpAttributes);
}

/** Tells whether a configuration is for a target that runs, rather than for a crash. */
export function isLive(config: Configuration): boolean {
  return dumpOf(config) === undefined && (firstText(config, ["gdbTarget", "servertype"]) !== undefined || config.request === "attach");
}

/** What the user has to be asked for. */
export interface Missing {
  image: boolean;
  dump: boolean;
  /** The address of a GDB server. */
  gdbTarget: boolean;
}

/** Tells what a configuration leaves open. */
export function missing(config: Configuration): Missing {
  const live = isLive(config);
  const symbols = config["symbolFiles"];
  return {
    image: imageOf(config) === undefined && !(Array.isArray(symbols) && symbols.length > 0),
    dump: !live && dumpOf(config) === undefined,
    gdbTarget: live && firstText(config, ["gdbTarget"]) === undefined && (firstText(config, ["servertype"]) ?? "external") === "external",
  };
}

/** What a configuration gets from elsewhere. */
export interface Answers {
  image?: string | undefined;
  dump?: string | undefined;
  gdbTarget?: string | undefined;
  serverpath?: string | undefined;
}

/**
 * Returns the configuration with what it left open, and with cwd, which the
 * adapter needs for relative paths and to look for sources: a relative one
 * starts at the workspace folder.
 */
export function complete(config: Configuration, answers: Answers, folder: string | undefined): Configuration {
  const { image, dump, ...named } = answers;
  const given = Object.entries({ ...named, [imageAttributes[0]]: image, [dumpAttributes[0]]: dump });
  const completed: Configuration = { ...config, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
  if (folder !== undefined) {
    completed["cwd"] = path.resolve(folder, firstText(config, ["cwd"]) ?? "");
  }
  return completed;
}

/** A mistake that can be told before the adapter starts, in words for the user; undefined when there is none. */
export function mistake(config: Configuration): string | undefined {
  for (const names of [imageAttributes, dumpAttributes]) {
    const given = names.filter((name) => config[name] !== undefined);
    const wrong = given.find((name) => typeof config[name] !== "string");
    if (wrong !== undefined) {
      return `"${wrong}" in the configuration "${config.name}" must be a path in quotes.`;
    }
    const different = new Set(given.map((name) => config[name]));
    if (different.size > 1) {
      return `${given.map((name) => `"${name}"`).join(" and ")} in the configuration "${config.name}" name different files. Keep one.`;
    }
  }
  return undefined;
}

function firstText(config: Configuration, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = config[name];
    if (typeof value === "string" && value !== "") {
      return value;
    }
  }
  return undefined;
}

function baseName(file: string): string {
  return file.split(/[\\/]/).pop() ?? file;
}
