// Gives VS Code debug configurations and the debug adapter.
import * as vscode from "vscode";
import { wakeCompanions } from "./companions";
import {
  complete,
  dumpConfiguration,
  dumpOf,
  isEmpty,
  missing,
  mistake,
  type Configuration,
} from "./configuration";
import { findProgram, reportNoProgram } from "./program";
import { serverPath } from "./serverPath";
import { askAddress, chooseTarget } from "./targets";
import { findDumps, findImages, pickDump, pickImage } from "./workspaceFiles";

/** Most dumps that are offered in the list of configurations. */
const MAX_OFFERED = 5;

/** Completes configurations before a session starts. */
export class ConfigurationProvider implements vscode.DebugConfigurationProvider {
  constructor(private readonly context: vscode.ExtensionContext) {}

  /** An empty configuration is F5 with no launch.json. */
  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    config: vscode.DebugConfiguration,
  ): vscode.ProviderResult<vscode.DebugConfiguration> {
    return isEmpty(config) ? chooseTarget() : config;
  }

  /** Runs after ${...} and platform blocks are resolved, so that what is missing now is missing for good. */
  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    config: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined | null> {
    const wrong = mistake(config);
    if (wrong !== undefined) {
      void vscode.window.showErrorMessage(wrong);
      return null; // opens launch.json
    }
    if (config["debugServer"] === undefined) {
      const program = findProgram(this.context);
      if (!program.found) {
        void reportNoProgram(program.message);
        return undefined;
      }
    }
    const completed = await this.askForMissing(folder ?? vscode.workspace.workspaceFolders?.[0], config);
    if (completed !== undefined) {
      await wakeCompanions();
    }
    return completed;
  }

  private async askForMissing(folder: vscode.WorkspaceFolder | undefined, config: Configuration): Promise<Configuration | undefined> {
    const open = missing(config);
    const dump = open.dump ? await pickDump() : undefined;
    const gdbTarget = open.gdbTarget ? await askAddress() : undefined;
    if ((open.dump && dump === undefined) || (open.gdbTarget && gdbTarget === undefined)) {
      return undefined;
    }
    const image = open.image ? await pickImage(dump ?? dumpOf(config)) : undefined;
    if (open.image && image === undefined) {
      return undefined;
    }
    const serverpath = serverPath(config, vscode.workspace.getConfiguration("cortex-debug", folder), process.platform);
    return complete(config, { image, dump, gdbTarget, serverpath }, folder?.uri.fsPath);
  }
}

/** Offers the newest dumps of the workspace, each with the image nearest to it, in the list of configurations. */
export class DumpOffers implements vscode.DebugConfigurationProvider {
  async provideDebugConfigurations(): Promise<vscode.DebugConfiguration[]> {
    const dumps = await findDumps();
    const offers = dumps.slice(0, MAX_OFFERED).map(async (dump) => {
      const [image] = await findImages(dump.file);
      return image && dumpConfiguration(image.file, dump.file);
    });
    return (await Promise.all(offers)).filter((config) => config !== undefined);
  }
}

/** Starts `pushmask dap`, which speaks the Debug Adapter Protocol on its standard input and output. */
export class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  constructor(private readonly context: vscode.ExtensionContext) {}

  createDebugAdapterDescriptor(): vscode.DebugAdapterDescriptor {
    const program = findProgram(this.context);
    if (!program.found) {
      throw new Error(program.message);
    }
    return new vscode.DebugAdapterExecutable(program.file, ["dap"]);
  }
}
