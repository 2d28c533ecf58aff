// Runs code-server, which is VS Code behind a web server, on a loopback port.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const installer = fileURLToPath(new URL("install-code-server.sh", import.meta.url));

/** Longest time until the server listens, milliseconds. */
const START_TIMEOUT = 60_000;

/** Settings of the editor: nothing that moves, asks or calls out. */
const settings = {
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "window.menuBarVisibility": "compact",
  "editor.minimap.enabled": false,
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "remote.autoForwardPorts": false,
  "chat.commandCenter.enabled": false,
  "telemetry.telemetryLevel": "off",
};

/** A running code-server. */
export class CodeServer {
  /**
   * @param {import("node:child_process").ChildProcess} child
   * @param {string} url where the workbench is
   */
  constructor(child, url) {
    this.child = child;
    this.url = url;
  }

  /**
   * Installs code-server where it is missing, the extension into it, and starts it.
   * @param {{vsix: string, folder: string, log: string}} options folder is for the server's own files
   */
  static async start({ vsix, folder, log }) {
    const entry = execFileSync(installer, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
    const userData = path.join(folder, "user-data");
    await mkdir(path.join(userData, "User"), { recursive: true });
    await writeFile(path.join(userData, "User/settings.json"), JSON.stringify(settings));
    const config = path.join(folder, "config.yaml");
    await writeFile(config, "auth: none\ncert: false\n");
    const common = [
      entry,
      ...["--config", config],
      ...["--user-data-dir", userData],
      ...["--extensions-dir", path.join(folder, "extensions")],
      ...["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override"],
    ];
    const env = environment();
    execFileSync(process.execPath, [...common, "--install-extension", vsix], { env, stdio: ["ignore", "pipe", "pipe"] });
    const child = spawn(process.execPath, [...common, "--auth", "none", "--bind-addr", "127.0.0.1:0"], {
      env,
      detached: true, // a process group of its own: the server leaves its extension hosts behind
      stdio: ["ignore", "pipe", "pipe"],
    });
    const server = new CodeServer(child, "");
    process.once("exit", () => server.signal("SIGKILL"));
    for (const signal of ["SIGINT", "SIGTERM"]) {
      process.once(signal, () => process.exit(1));
    }
    try {
      server.url = await listening(child, log);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Ends the server and its extension hosts. */
  async stop() {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      this.signal("SIGTERM");
      const timer = setTimeout(() => this.signal("SIGKILL"), 5000);
      await exited;
      clearTimeout(timer);
    }
    this.signal("SIGKILL"); // what is left of the group
  }

  /**
   * Sends a signal to the processes of the server; there may be none any more.
   * @param {NodeJS.Signals} signal
   */
  signal(signal) {
    try {
      process.kill(-Number(this.child.pid), signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) {
        throw error;
      }
    }
  }
}

/** The environment without what would make code-server believe that it runs inside VS Code. */
function environment() {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VSCODE_|CODE_SERVER_|PASSWORD$|PORT$)/.test(name)));
  // No gallery: the server has to stay on this machine.
  return { ...env, EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "http://127.0.0.1:9" }) };
}

/**
 * Waits for the line that names the address and writes all output to log.
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} log
 * @returns {Promise<string>}
 */
function listening(child, log) {
  const file = createWriteStream(log);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`code-server does not listen after ${START_TIMEOUT / 1000} s; see ${log}`)), START_TIMEOUT);
    let output = "";
    /** @param {Buffer} chunk */
    const read = (chunk) => {
      file.write(chunk);
      output += chunk.toString();
      const [, url] = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
      if (url !== undefined) {
        clearTimeout(timer);
        resolve(url);
      }
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`code-server ended with ${code}; see ${log}`));
    });
  });
}
