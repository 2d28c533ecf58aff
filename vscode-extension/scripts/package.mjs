// Makes the VSIX of this machine, or of each --target, with the pushmask
// program inside:
//
//   npm run package [-- --target darwin-arm64 --target win32-x64 ...]
//
// Needs Go; uses no network once Go's modules are there. The result is
// build/pushmask-<target>.vsix in the repository.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createVSIX } from "@vscode/vsce";

const extension = path.resolve(fileURLToPath(import.meta.url), "../..");
const repository = path.dirname(extension);

/**
 * What the Go compiler calls a VS Code target. Alpine needs no build of its
 * own: the program is linked statically.
 * @type {Record<string, {GOOS: string, GOARCH: string, GOARM?: string}>}
 */
const goTargets = {
  "linux-x64": { GOOS: "linux", GOARCH: "amd64" },
  "linux-arm64": { GOOS: "linux", GOARCH: "arm64" },
  "linux-armhf": { GOOS: "linux", GOARCH: "arm", GOARM: "7" },
  "alpine-x64": { GOOS: "linux", GOARCH: "amd64" },
  "alpine-arm64": { GOOS: "linux", GOARCH: "arm64" },
  "darwin-x64": { GOOS: "darwin", GOARCH: "amd64" },
  "darwin-arm64": { GOOS: "darwin", GOARCH: "arm64" },
  "win32-x64": { GOOS: "windows", GOARCH: "amd64" },
  "win32-arm64": { GOOS: "windows", GOARCH: "arm64" },
};

// Both live in the root of the repository and have to be in the VSIX.
for (const name of ["LICENSE", "THIRD_PARTY_NOTICES"]) {
  copyFileSync(path.join(repository, name), path.join(extension, name));
}

const { values } = parseArgs({ options: { target: { type: "string", multiple: true } } });
for (const target of values.target ?? [`${process.platform}-${process.arch}`]) {
  await makePackage(target);
}

/** @param {string} target a target of VS Code, such as linux-x64 */
async function makePackage(target) {
  const go = goTargets[target];
  if (go === undefined) {
    console.error(`package: unknown target ${target}; known are ${Object.keys(goTargets).join(", ")}`);
    process.exit(2);
  }
  const folder = path.join(extension, "bin");
  const program = path.join(folder, go.GOOS === "windows" ? "pushmask.exe" : "pushmask");
  rmSync(folder, { recursive: true, force: true });
  const built = spawnSync("go", ["build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/pushmask"], {
    cwd: repository,
    env: { ...process.env, ...go, CGO_ENABLED: "0" },
    stdio: "inherit",
  });
  if (built.status !== 0) {
    console.error(`package: go build for ${target} failed${built.error ? `: ${built.error.message}` : ""}`);
    process.exit(1);
  }
  mkdirSync(path.join(repository, "build"), { recursive: true });
  await createVSIX({
    cwd: extension,
    target,
    packagePath: path.join(repository, "build", `pushmask-${target}.vsix`),
    dependencies: false, // the bundle has them
    allowMissingRepository: true,
  });
}
