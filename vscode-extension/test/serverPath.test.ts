import assert from "node:assert/strict";
import { test } from "node:test";
import { serverPath } from "../src/serverPath";

const settings = new Map<string, unknown>([
  ["openocdPath", "/opt/openocd"],
  ["JLinkGDBServerPath", { linux: "/opt/jlink", windows: "C:\\jlink.exe" }],
  ["pyocdPath", null],
  ["stutilPath", ""],
]);

const cases: { name: string; attributes: Record<string, unknown>; platform?: NodeJS.Platform; want: string | undefined }[] = [
  { name: "one for all systems", attributes: { servertype: "openocd" }, want: "/opt/openocd" },
  { name: "servertype in another case", attributes: { servertype: "OpenOCD" }, want: "/opt/openocd" },
  { name: "one for this system", attributes: { servertype: "jlink" }, want: "/opt/jlink" },
  { name: "one for Windows", attributes: { servertype: "jlink" }, platform: "win32", want: "C:\\jlink.exe" },
  { name: "none for this system", attributes: { servertype: "jlink" }, platform: "darwin", want: undefined },
  { name: "a system that Cortex-Debug does not know", attributes: { servertype: "jlink" }, platform: "freebsd", want: undefined },
  { name: "the default of a setting", attributes: { servertype: "pyocd" }, want: undefined },
  { name: "an empty setting", attributes: { servertype: "stutil" }, want: undefined },
  { name: "no such setting", attributes: { servertype: "stlink" }, want: undefined },
  { name: "an older attribute", attributes: { servertype: "stlink", stlinkPath: "/opt/st" }, want: "/opt/st" },
  { name: "the older attribute of another server", attributes: { servertype: "openocd", stlinkPath: "/opt/st" }, want: "/opt/openocd" },
  { name: "the configuration has one", attributes: { servertype: "openocd", serverpath: "/mine" }, want: undefined },
  { name: "a server that runs", attributes: { servertype: "external" }, want: undefined },
  { name: "no server", attributes: {}, want: undefined },
];

for (const { name, attributes, platform, want } of cases) {
  test(`serverPath: ${name}`, () => {
    const config = { type: "pushmask", request: "launch", name: "n", ...attributes };
    assert.equal(serverPath(config, settings, platform ?? "linux"), want);
  });
}
