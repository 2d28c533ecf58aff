// Runs the language server, which explains the code addresses in crash logs.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { findProgram, reportNoProgram } from "./program";

/** Languages of documents that may be crash logs; the server looks into no others. */
const LANGUAGES = ["plaintext", "log", "pushmask-log"];

/**
 * Runs `pushmask lsp` while the setting pushmask.executable names a firmware:
 * without one the server has nothing to look up.
 */
export class CrashLogs implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly changes: vscode.Disposable;
  /** Starts and stops run one after the other. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly context: vscode.ExtensionContext) {
    this.changes = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("pushmask.path")) {
        this.enqueue(() => this.stop());
      }
      if (event.affectsConfiguration("pushmask")) {
        this.enqueue(() => this.start());
      }
    });
    this.enqueue(() => this.start());
  }

  dispose(): void {
    this.changes.dispose();
    this.enqueue(() => this.stop());
  }

  private enqueue(step: () => Promise<void>): void {
    // The client tells the user about its own failures.
    this.last = this.last.then(step).catch(() => undefined);
  }

  private async start(): Promise<void> {
    const settings = vscode.workspace.getConfiguration("pushmask");
    const executable = settings.get<string>("executable", "");
    if (this.client !== undefined || executable === "") {
      return; // a running client passes on changed settings by itself
    }
    const program = findProgram(this.context);
    if (!program.found) {
      void reportNoProgram(program.message);
      return;
    }
    // Most of the extension's code: loaded by those who use it.
    const { LanguageClient, RevealOutputChannelOn } = await import("vscode-languageclient/node");
    this.client = new LanguageClient(
      "pushmask",
      "pushmask crash logs",
      { command: program.file, args: ["lsp"] },
      {
        documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
        initializationOptions: {
          executable,
          symbolFiles: settings.get("symbolFiles", []),
          sourceFileMap: settings.get("sourceFileMap", {}),
        },
        synchronize: { configurationSection: "pushmask" },
        revealOutputChannelOn: RevealOutputChannelOn.Never,
      },
    );
    await this.client.start();
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose();
  }
}
