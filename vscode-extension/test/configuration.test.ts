import assert from "node:assert/strict";
import { test } from "node:test";
import { anyDump, anyTarget, complete, dumpConfiguration, dumpOf, imageOf, isEmpty, isLive, missing, mistake, type Configuration } from "../src/configuration";

function configuration(attributes: Record<string, unknown>): Configuration {
  return { type: "pushmask", request: "launch", name: "crash", ...attributes };
}

test("isEmpty: VS Code's empty configuration, and no other", () => {
  assert.ok(isEmpty({}));
  assert.ok(!isEmpty(anyDump()));
  assert.ok(!isEmpty(anyTarget()));
});

test("imageOf and dumpOf read every accepted name", () => {
  assert.equal(imageOf(configuration({ program: "a" })), "a");
  assert.equal(imageOf(configuration({ executable: "a" })), "a");
  assert.equal(dumpOf(configuration({ coreFile: "c" })), "c");
  assert.equal(dumpOf(configuration({ coreDumpPath: "c" })), "c");
  assert.equal(dumpOf(configuration({ coreFilePath: "c" })), "c");
  assert.equal(dumpOf(configuration({ coreFile: "", coreFilePath: "c" })), "c");
});

const liveness: { name: string; attributes: Record<string, unknown>; live: boolean }[] = [
  { name: "a dump", attributes: { coreFile: "c" }, live: false },
  { name: "nothing", attributes: {}, live: false },
  { name: "a server that runs", attributes: { gdbTarget: "localhost:3333" }, live: true },
  { name: "a server to start", attributes: { servertype: "openocd" }, live: true },
  { name: "attach, and no word of a dump", attributes: { request: "attach" }, live: true },
  { name: "attach to a dump", attributes: { request: "attach", coreFile: "c" }, live: false },
  { name: "empty texts", attributes: { gdbTarget: "", servertype: "" }, live: false },
];

for (const { name, attributes, live } of liveness) {
  test(`isLive: ${name}`, () => {
    assert.equal(isLive(configuration(attributes)), live);
  });
}

const gaps: { name: string; attributes: Record<string, unknown>; want: string[] }[] = [
  { name: "nothing given", attributes: {}, want: ["image", "dump"] },
  { name: "an empty path counts as missing", attributes: { program: "a", coreFile: "" }, want: ["dump"] },
  { name: "all of a dump", attributes: { program: "a", coreFile: "c" }, want: [] },
  { name: "any target", attributes: anyTarget(), want: ["image", "gdbTarget"] },
  { name: "external, no address", attributes: { servertype: "external", program: "a" }, want: ["gdbTarget"] },
  { name: "attach to an address", attributes: { request: "attach", gdbTarget: ":3333", program: "a" }, want: [] },
  { name: "a server to start", attributes: { servertype: "qemu" }, want: ["image"] },
  { name: "symbols in place of the program", attributes: { servertype: "openocd", symbolFiles: ["a.elf"] }, want: [] },
  { name: "no symbols", attributes: { servertype: "openocd", symbolFiles: [] }, want: ["image"] },
];

for (const { name, attributes, want } of gaps) {
  test(`missing: ${name}`, () => {
    const open = Object.entries(missing(configuration(attributes)));
    assert.deepEqual(
      open.filter(([, isOpen]) => isOpen).map(([what]) => what),
      want,
    );
  });
}

test("dumpConfiguration is named after the dump", () => {
  assert.equal(dumpConfiguration("/ws/fw.elf", "/ws/dumps/crash.core").name, "crash.core");
  assert.equal(dumpConfiguration("C:\\fw.elf", "C:\\dumps\\crash.core").name, "crash.core");
});

test("complete: answers and cwd are added, the rest is passed on untouched", () => {
  const given = configuration({ executable: "fw.elf", svdFile: "x.svd" });
  assert.deepEqual(complete(given, { dump: "/c" }, "/ws"), configuration({ executable: "fw.elf", svdFile: "x.svd", coreFile: "/c", cwd: "/ws" }));
  assert.deepEqual(given, configuration({ executable: "fw.elf", svdFile: "x.svd" }), "the argument must not change");
});

test("complete: the address of a server, and its program", () => {
  const given = configuration({ executable: "fw.elf" });
  assert.deepEqual(complete(given, { gdbTarget: ":3333", serverpath: "/openocd", image: undefined }, undefined), {
    ...given,
    gdbTarget: ":3333",
    serverpath: "/openocd",
  });
});

test("complete: cwd starts at the workspace folder, and without one it stays", () => {
  assert.equal(complete(configuration({ cwd: "/b" }), {}, "/ws")["cwd"], "/b");
  assert.equal(complete(configuration({ cwd: "fw/app" }), {}, "/ws")["cwd"], "/ws/fw/app");
  assert.equal(complete(configuration({ cwd: "fw" }), {}, undefined)["cwd"], "fw");
  assert.ok(!("cwd" in complete(configuration({}), {}, undefined)));
});

const mistakes: { name: string; attributes: Record<string, unknown>; want: RegExp | undefined }[] = [
  { name: "none", attributes: { program: "a", coreFile: "c" }, want: undefined },
  { name: "nothing given", attributes: {}, want: undefined },
  { name: "two names of one file", attributes: { program: "a", executable: "a" }, want: undefined },
  { name: "two images", attributes: { program: "a", executable: "b" }, want: /^"program" and "executable" .* name different files/ },
  { name: "two dumps", attributes: { coreDumpPath: "a", coreFilePath: "b" }, want: /^"coreDumpPath" and "coreFilePath" / },
  { name: "a list of dumps", attributes: { coreFile: ["a"] }, want: /^"coreFile" in the configuration "crash" must be a path/ },
  { name: "a number", attributes: { program: 7 }, want: /^"program" / },
];

for (const { name, attributes, want } of mistakes) {
  test(`mistake: ${name}`, () => {
    const got = mistake(configuration(attributes));
    if (want === undefined) {
      assert.equal(got, undefined);
    } else {
      assert.match(got ?? "", want);
    }
  });
}
