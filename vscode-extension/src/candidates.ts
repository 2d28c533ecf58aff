// Chooses and orders the files that are offered as firmware or dump. Free of
// the VS Code API.
import type { FileKind } from "./elf";

/** A file of the workspace that may be a firmware ELF or a crash dump. */
export interface Candidate {
  /** Path relative to the workspace folder, with forward slashes. */
  relative: string;
  /** Absolute path. */
  file: string;
  /** Size in bytes. */
  size: number;
  /** Time of the last change, milliseconds since 1970. */
  modified: number;
  kind: FileKind;
}

/** Names that a linked ARM firmware usually has; the last is cargo's, which has no extension. */
export const IMAGE_GLOB = "**/{*.elf,*.axf,*.out,*.ELF,*.AXF,thumbv*/debug/*,thumbv*/release/*}";

/** Names that crash dumps usually have. */
export const DUMP_GLOB = "**/{core,core.*,*.core,*.coredump,*.crash,*.crashlog,*.dmp,*.mdmp,*.dump,*.log,crash*.txt,fault_*.txt,crash*.bin,dump*.bin,crash*.zip,*.core.gz}";

/** Folders that hold neither. */
export const EXCLUDE_GLOB = "**/{.git,node_modules}/**";

/**
 * Keeps the ARM images. Images near the dump come first, then the newest: a
 * crash usually lies beside the build it came from.
 */
export function rankImages(candidates: readonly Candidate[], dump?: string): Candidate[] {
  const distance = (c: Candidate) => (dump === undefined ? 0 : folderDistance(c.file, dump));
  return candidates
    .filter((c) => c.kind === "image")
    .sort((a, b) => distance(a) - distance(b) || b.modified - a.modified || compare(a.relative, b.relative));
}

/**
 * Keeps what can be a dump: ARM core files, and files that have a dump's name
 * and are no ELF image. The newest comes first, core files before others of
 * the same age.
 */
export function rankDumps(candidates: readonly Candidate[]): Candidate[] {
  const order = (c: Candidate) => (c.kind === "core" ? 0 : 1);
  return candidates
    .filter((c) => c.kind !== "image" && c.size > 0)
    .sort((a, b) => b.modified - a.modified || order(a) - order(b) || compare(a.relative, b.relative));
}

/** Number of steps up and down between the folders of two absolute paths. */
export function folderDistance(a: string, b: string): number {
  const from = folders(a);
  const to = folders(b);
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) {
    shared++;
  }
  return from.length - shared + (to.length - shared);
}

/** Says how long ago something was, for the list of files: "3 minutes ago". */
export function age(modified: number, now: number): string {
  const minutes = Math.floor((now - modified) / 60_000);
  if (minutes < 1) {
    return "just now";
  }
  const units: [number, string][] = [
    [60 * 24, "day"],
    [60, "hour"],
    [1, "minute"],
  ];
  for (const [length, unit] of units) {
    const n = Math.floor(minutes / length);
    if (n >= 1) {
      return `${n} ${unit}${n === 1 ? "" : "s"} ago`;
    }
  }
  return "just now";
}

/** Says a size as people do: "812 B", "96 KiB", "2.7 MiB". */
export function sizeText(bytes: number): string {
  if (bytes < 1024) {
    return `${bytes} B`;
  }
  if (bytes < 1024 * 1024) {
    return `${Math.round(bytes / 1024)} KiB`;
  }
  return `${(bytes / (1024 * 1024)).toFixed(1)} MiB`;
}

function folders(file: string): string[] {
  return file.split(/[\\/]/).slice(0, -1);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
