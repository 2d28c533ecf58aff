// What live targets have beyond the debug toolbar of VS Code.
import * as vscode from "vscode";
import { DEBUG_TYPE, isLive } from "./configuration";

/** Keeps the context key pushmask.liveSession: whether the session in view is a live target. */
export class LiveSessions implements vscode.Disposable {
  private readonly changes = vscode.debug.onDidChangeActiveDebugSession((session) => {
    const live = session?.type === DEBUG_TYPE && isLive(session.configuration);
    void vscode.commands.executeCommand("setContext", "pushmask.liveSession", live);
  });

  dispose(): void {
    this.changes.dispose();
  }
}

/** The command "Reset Target": resets the target of the session in view. */
export async function resetTarget(): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== DEBUG_TYPE) {
    return;
  }
  try {
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "Resetting the target" }, () =>
      session.customRequest("reset-device"),
    );
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}
