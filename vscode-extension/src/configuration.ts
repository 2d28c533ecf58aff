// Reads debug configurations. Free of the VS Code API.

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

/** The configuration that an empty one stands for. */
export function emptyConfiguration(): Configuration {
  return { type: DEBUG_TYPE, request: "launch", name: "Debug a crash dump" };
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

/** Tells what a configuration leaves open and the user has to be asked for. */
export function missing(config: Configuration): { image: boolean; dump: boolean } {
  return { image: imageOf(config) === undefined, dump: dumpOf(config) === undefined };
}

/**
 * Returns the configuration with what the user was asked for, and with cwd,
 * which the adapter needs for relative paths and to look for sources.
 */
export function complete(
  config: Configuration,
  answers: { image?: string | undefined; dump?: string | undefined },
  folder: string | undefined,
): Configuration {
  const completed = { ...config };
  if (answers.image !== undefined) {
    completed[imageAttributes[0]] = answers.image;
  }
  if (answers.dump !== undefined) {
    completed[dumpAttributes[0]] = answers.dump;
  }
  if (firstText(completed, ["cwd"]) === undefined && folder !== undefined) {
    completed["cwd"] = folder;
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
