import assert from "node:assert/strict";
import { test } from "node:test";
import { age, folderDistance, rankDumps, rankImages, sizeText, type Candidate } from "../src/candidates";

function candidate(relative: string, kind: Candidate["kind"], modified = 0, size = 1): Candidate {
  return { relative, file: `/ws/${relative}`, kind, modified, size };
}

const names = (candidates: Candidate[]) => candidates.map((c) => c.relative);

test("rankImages: newest first, no dumps, no other files", () => {
  const ranked = rankImages([
    candidate("old.elf", "image", 1),
    candidate("crash.elf", "core", 9),
    candidate("host.out", "other", 9),
    candidate("new.elf", "image", 2),
  ]);
  assert.deepEqual(names(ranked), ["new.elf", "old.elf"]);
});

test("rankImages: the image beside the dump comes before a newer one elsewhere", () => {
  const ranked = rankImages(
    [candidate("boot/build/boot.elf", "image", 9), candidate("app/build/app.elf", "image", 1), candidate("app/app.elf", "image", 5)],
    "/ws/app/build/crash.core",
  );
  assert.deepEqual(names(ranked), ["app/build/app.elf", "app/app.elf", "boot/build/boot.elf"]);
});

test("rankDumps: newest first, core files before others of the same age, no images, no empty files", () => {
  const ranked = rankDumps([
    candidate("b.dmp", "other", 5),
    candidate("empty.dmp", "other", 9, 0),
    candidate("fw.core", "image", 9),
    candidate("z.core", "core", 5),
    candidate("a.core", "core", 7),
  ]);
  assert.deepEqual(names(ranked), ["a.core", "z.core", "b.dmp"]);
});

const distances: [string, string, number][] = [
  ["/ws/a/x.elf", "/ws/a/y.core", 0],
  ["/ws/a/x.elf", "/ws/y.core", 1],
  ["/ws/a/b/x.elf", "/ws/c/y.core", 3],
  ["C:\\ws\\a\\x.elf", "C:\\ws\\y.core", 1],
];

for (const [a, b, want] of distances) {
  test(`folderDistance: ${a} to ${b}`, () => {
    assert.equal(folderDistance(a, b), want);
    assert.equal(folderDistance(b, a), want);
  });
}

const second = 1000;
const hour = 3600 * second;
const ages: [number, string][] = [
  [-5 * second, "just now"],
  [59 * second, "just now"],
  [60 * second, "1 minute ago"],
  [59 * 60 * second, "59 minutes ago"],
  [hour, "1 hour ago"],
  [23 * hour, "23 hours ago"],
  [24 * hour, "1 day ago"],
  [400 * 24 * hour, "400 days ago"],
];

for (const [elapsed, want] of ages) {
  test(`age: ${elapsed / second} s`, () => {
    assert.equal(age(1e12, 1e12 + elapsed), want);
  });
}

const sizes: [number, string][] = [
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [98_765, "96 KiB"],
  [2_831_155, "2.7 MiB"],
];

for (const [bytes, want] of sizes) {
  test(`sizeText: ${bytes}`, () => {
    assert.equal(sizeText(bytes), want);
  });
}
