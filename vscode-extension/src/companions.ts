// Wakes extensions that show more of a session and work with any debug adapter.
// They sleep until a session of a debug type starts that their own manifest
// names; a type that only their settings name does not wake them.
import * as vscode from "vscode";
import { DEBUG_TYPE } from "./configuration";

/** The extensions, each with the setting that lists the debug types it looks at. */
const companions = [
  { id: "mcu-debug.rtos-views", section: "mcu-debug.rtos-views", setting: "trackDebuggers" },
  { id: "mcu-debug.memory-view", section: "memory-view", setting: "trackDebuggers" },
];

/** Activates those that are installed and look at our sessions. They miss the session unless they run when it starts. */
export async function wakeCompanions(): Promise<void> {
  const started = companions.map(async ({ id, section, setting }) => {
    const types = vscode.workspace.getConfiguration(section).get<unknown>(setting);
    if (Array.isArray(types) && types.includes(DEBUG_TYPE)) {
      await vscode.extensions.getExtension(id)?.activate();
    }
  });
  await Promise.allSettled(started); // one that fails has said so itself, and the session does without
}
