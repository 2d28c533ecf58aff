import assert from "node:assert/strict";
import { test } from "node:test";
import { classify, HEADER_SIZE } from "../src/elf";

/** An ELF header up to e_machine, written out byte by byte. */
function header(change: Record<number, number> = {}): Uint8Array {
  const bytes = Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 40, 0);
  for (const [offset, value] of Object.entries(change)) {
    bytes[Number(offset)] = value;
  }
  return bytes;
}

const cases = [
  { name: "executable", bytes: header(), want: "image" },
  { name: "position independent executable", bytes: header({ 16: 3 }), want: "image" },
  { name: "core file", bytes: header({ 16: 4 }), want: "core" },
  { name: "object file", bytes: header({ 16: 1 }), want: "other" },
  { name: "AArch64", bytes: header({ 4: 2, 18: 183 }), want: "other" },
  { name: "x86", bytes: header({ 18: 3 }), want: "other" },
  { name: "big-endian", bytes: header({ 5: 2, 16: 0, 17: 2, 18: 0, 19: 40 }), want: "other" },
  { name: "no ELF", bytes: header({ 0: 0 }), want: "other" },
  { name: "cut short", bytes: header().subarray(0, HEADER_SIZE - 1), want: "other" },
  { name: "empty", bytes: new Uint8Array(), want: "other" },
];

for (const { name, bytes, want } of cases) {
  test(`classify: ${name}`, () => {
    assert.equal(classify(bytes), want);
  });
}

test("classify: part of a larger buffer", () => {
  const buffer = new Uint8Array(64);
  buffer.set(header({ 16: 4 }), 7);
  assert.equal(classify(buffer.subarray(7, 7 + HEADER_SIZE)), "core");
});
