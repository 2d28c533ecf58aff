// Entry point: registers what package.json contributes.
import * as vscode from "vscode";
import { DEBUG_TYPE } from "./configuration";
import { convertConfiguration } from "./convert";
import { debugCrashDump } from "./crashDump";
import { CrashLogs } from "./crashLogs";
import { AdapterFactory, ConfigurationProvider, DumpOffers } from "./debugging";
import { LiveSessions, resetTarget } from "./liveSessions";
import { attach } from "./targets";
import { pickDump, pickImage } from "./workspaceFiles";

export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.commands.registerCommand("pushmask.debugCrashDump", debugCrashDump),
    vscode.commands.registerCommand("pushmask.attach", attach),
    vscode.commands.registerCommand("pushmask.resetTarget", resetTarget),
    vscode.commands.registerCommand("pushmask.convertConfiguration", convertConfiguration),
    vscode.commands.registerCommand("pushmask.pickImage", () => pickImage()),
    vscode.commands.registerCommand("pushmask.pickDump", () => pickDump()),
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, new ConfigurationProvider(context)),
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, new DumpOffers(), vscode.DebugConfigurationProviderTriggerKind.Dynamic),
    vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, new AdapterFactory(context)),
    new CrashLogs(context),
    new LiveSessions(),
  );
}
