import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, dumpConfiguration, dumpOf, emptyConfiguration, imageOf, isEmpty, missing, mistake, type Configuration } from "../src/configuration";

function configuration(attributes: Record<string, unknown>): Configuration {
  return { type: "pushmask", request: "launch", name: "crash", ...attributes };
}

test("isEmpty: VS Code's empty configuration, and no other", () => {
  assert.ok(isEmpty({}));
  assert.ok(!isEmpty(emptyConfiguration()));
});

test("imageOf and dumpOf read every accepted name", () => {
  assert.equal(imageOf(configuration({ program: "a" })), "a");
  assert.equal(imageOf(configuration({ executable: "a" })), "a");
  assert.equal(dumpOf(configuration({ coreFile: "c" })), "c");
  assert.equal(dumpOf(configuration({ coreDumpPath: "c" })), "c");
  assert.equal(dumpOf(configuration({ coreFilePath: "c" })), "c");
  assert.equal(dumpOf(configuration({ coreFile: "", coreFilePath: "c" })), "c");
});

test("missing: an empty path counts as missing", () => {
  assert.deepEqual(missing(configuration({})), { image: true, dump: true });
  assert.deepEqual(missing(configuration({ program: "a", coreFile: "" })), { image: false, dump: true });
  assert.deepEqual(missing(dumpConfiguration("a", "c")), { image: false, dump: false });
});

test("dumpConfiguration is named after the dump", () => {
  assert.equal(dumpConfiguration("/ws/fw.elf", "/ws/dumps/crash.core").name, "crash.core");
  assert.equal(dumpConfiguration("C:\\fw.elf", "C:\\dumps\\crash.core").name, "crash.core");
});

test("complete: answers and cwd are added, the rest is passed on untouched", () => {
  const given = configuration({ executable: "fw.elf", svdFile: "x.svd" });
  assert.deepEqual(complete(given, { dump: "/c" }, "/ws"), configuration({ executable: "fw.elf", svdFile: "x.svd", coreFile: "/c", cwd: "/ws" }));
  assert.deepEqual(given, configuration({ executable: "fw.elf", svdFile: "x.svd" }), "the argument must not change");
});

test("complete: a cwd that is there stays, and without a folder there is none", () => {
  assert.equal(complete(configuration({ cwd: "/b" }), {}, "/ws")["cwd"], "/b");
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
