// Tells what a file is from its first bytes. Free of the VS Code API.

/** Number of bytes that {@link classify} looks at: up to e_machine. */
export const HEADER_SIZE = 20;

/** An ARM ELF that can be run, an ARM ELF core file, or anything else. */
export type FileKind = "image" | "core" | "other";

// Offsets and values of the ELF header: System V gABI, chapter 4, "ELF Header".
const EI_CLASS = 4;
const EI_DATA = 5;
const E_TYPE = 16;
const E_MACHINE = 18;
const ELFCLASS32 = 1;
const ELFDATA2LSB = 1;
const ET_EXEC = 2;
const ET_DYN = 3;
const ET_CORE = 4;
const EM_ARM = 40; // ELF for the Arm Architecture (AAELF32), section 5.2

/** Classifies a file by its first {@link HEADER_SIZE} bytes. */
export function classify(header: Uint8Array): FileKind {
  if (header.length < HEADER_SIZE) {
    return "other";
  }
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const isElf = view.getUint32(0) === 0x7f454c46; // "\x7fELF"
  if (!isElf || view.getUint8(EI_CLASS) !== ELFCLASS32 || view.getUint8(EI_DATA) !== ELFDATA2LSB) {
    return "other";
  }
  if (view.getUint16(E_MACHINE, true) !== EM_ARM) {
    return "other";
  }
  switch (view.getUint16(E_TYPE, true)) {
    case ET_EXEC:
    case ET_DYN:
      return "image";
    case ET_CORE:
      return "core";
    default:
      return "other";
  }
}
