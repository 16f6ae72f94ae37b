/** Where this editor says that a server may be. */

import { PythonExtension } from "@vscode/python-extension";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Places } from "./discovery";
import { SECTION } from "./settings";

/** Where to look now. What lies in a folder that is not trusted is left out. */
export async function places(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<Places> {
  const trusted = vscode.workspace.isTrusted;
  const open = vscode.workspace.workspaceFolders ?? [];
  return {
    setting: vscode.workspace.getConfiguration(SECTION).get("server.path", ""),
    python: trusted ? await activePython(log) : "",
    path: (process.env.PATH ?? "").split(path.delimiter),
    own: environment(context),
    barred: trusted ? [] : open.map(({ uri }) => uri.fsPath),
  };
}

/** The folder of the extension's own environment. */
export function environment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "server");
}

/** Tells when another Python environment is active; nothing to tell where the Python extension is not there. */
export async function onPythonChanged(changed: () => void): Promise<vscode.Disposable | undefined> {
  if (vscode.extensions.getExtension(PYTHON) === undefined) {
    return undefined;
  }
  const python = await PythonExtension.api();
  return python.environments.onDidChangeActiveEnvironmentPath(changed);
}

const PYTHON = "ms-python.python";

async function activePython(log: vscode.LogOutputChannel): Promise<string> {
  if (vscode.extensions.getExtension(PYTHON) === undefined) {
    return "";
  }
  try {
    const { environments } = await PythonExtension.api();
    const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
    const found = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(resource));
    return found?.executable.uri?.fsPath ?? "";
  } catch (error) {
    log.warn(`the Python extension tells no environment: ${String(error)}`);
    return "";
  }
}
