// Finds the program of a GDB server in the settings of Cortex-Debug, where its
// users have it. Free of the VS Code API.
import type { Configuration } from "./configuration";

/** The setting of Cortex-Debug for each servertype that has one (its src/frontend/configprovider.ts). */
const settingNames: Record<string, string> = {
  openocd: "openocdPath",
  jlink: "JLinkGDBServerPath",
  pyocd: "pyocdPath",
  stutil: "stutilPath",
  stlink: "stlinkPath",
  pe: "PEGDBServerPath",
};

/** How Cortex-Debug names the systems that can have a setting of their own: "openocdPath.osx". */
const systemNames: Partial<Record<NodeJS.Platform, string>> = { win32: "windows", darwin: "osx", linux: "linux" };

/**
 * The program for a configuration without serverpath: that of stlinkPath, an
 * older attribute, or of the settings. A setting has one value, or one for each
 * system.
 */
export function serverPath(config: Configuration, settings: { get(name: string): unknown }, platform: NodeJS.Platform): string | undefined {
  const servertype = String(config["servertype"]).toLowerCase();
  const name = settingNames[servertype];
  if (name === undefined || config["serverpath"]) {
    return undefined;
  }
  let value = (servertype === "stlink" && config["stlinkPath"]) || settings.get(name);
  if (typeof value === "object" && value !== null) {
    value = new Map(Object.entries(value)).get(systemNames[platform] ?? "");
  }
  return typeof value === "string" && value !== "" ? value : undefined;
}
