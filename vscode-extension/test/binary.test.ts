import assert from "node:assert/strict";
import { test } from "node:test";
import { findBinary, type BinarySearch } from "../src/binary";

const linux: Omit<BinarySearch, "isExecutable"> = {
  configured: "",
  extensionFolder: "/ext",
  homeFolder: "/home/ada",
  searchPath: "/usr/local/bin:/usr/bin",
  platform: "linux",
};

const windows: Omit<BinarySearch, "isExecutable"> = {
  configured: "",
  extensionFolder: "C:\\ext",
  homeFolder: "C:\\Users\\ada",
  searchPath: "C:\\Windows;C:\\tools",
  platform: "win32",
};

const cases: { name: string; search: Omit<BinarySearch, "isExecutable">; files: string[]; want: string; origin?: string }[] = [
  { name: "bundled", search: linux, files: ["/ext/bin/pushmask", "/usr/bin/pushmask"], want: "/ext/bin/pushmask", origin: "bundled" },
  { name: "bundled on Windows", search: windows, files: ["C:\\ext\\bin\\pushmask.exe"], want: "C:\\ext\\bin\\pushmask.exe", origin: "bundled" },
  { name: "first on PATH", search: linux, files: ["/usr/bin/pushmask", "/usr/local/bin/pushmask"], want: "/usr/local/bin/pushmask", origin: "PATH" },
  { name: "PATH on Windows", search: windows, files: ["C:\\tools\\pushmask.exe"], want: "C:\\tools\\pushmask.exe", origin: "PATH" },
  { name: "relative folder on PATH is not searched", search: { ...linux, searchPath: "bin:." }, files: ["bin/pushmask", "pushmask"], want: "neither at /ext/bin/pushmask nor on PATH" },
  { name: "nowhere", search: linux, files: [], want: "neither at /ext/bin/pushmask nor on PATH" },
  { name: "setting before bundled", search: { ...linux, configured: " /opt/pushmask " }, files: ["/opt/pushmask", "/ext/bin/pushmask"], want: "/opt/pushmask", origin: "setting" },
  { name: "setting in the home folder", search: { ...linux, configured: "~/go/bin/pushmask" }, files: ["/home/ada/go/bin/pushmask"], want: "/home/ada/go/bin/pushmask", origin: "setting" },
  { name: "home folder with a dollar sign", search: { ...linux, homeFolder: "/home/$&", configured: "~/pm" }, files: ["/home/$&/pm"], want: "/home/$&/pm", origin: "setting" },
  { name: "setting is a name", search: { ...linux, configured: "pushmask-dev" }, files: ["/usr/bin/pushmask-dev", "/ext/bin/pushmask"], want: "/usr/bin/pushmask-dev", origin: "setting" },
  { name: "setting is a name on Windows", search: { ...windows, configured: "pm" }, files: ["C:\\tools\\pm.exe"], want: "C:\\tools\\pm.exe", origin: "setting" },
  { name: "setting names nothing, and nothing else is tried", search: { ...linux, configured: "/opt/pushmask" }, files: ["/ext/bin/pushmask"], want: "names /opt/pushmask, which is not a program" },
  { name: "name not on PATH", search: { ...linux, configured: "pm" }, files: ["/ext/bin/pushmask"], want: "names pm, which is not on PATH" },
  { name: "relative path", search: { ...linux, configured: "build/pushmask" }, files: ["build/pushmask"], want: "relative path build/pushmask" },
];

for (const { name, search, files, want, origin } of cases) {
  test(`findBinary: ${name}`, () => {
    const got = findBinary({ ...search, isExecutable: (file) => files.includes(file) });
    if (got.found) {
      assert.deepEqual([got.file, got.origin], [want, origin]);
    } else {
      assert.equal(origin, undefined, got.message);
      assert.ok(got.message.includes(want), got.message);
    }
  });
}
