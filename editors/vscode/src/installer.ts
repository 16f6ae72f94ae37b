/** Installs the server into the extension's own environment: only when the user says so, never in a folder that is not trusted. */

import { mkdir } from "node:fs/promises";
import * as vscode from "vscode";
import { messageOf } from "./failure";
import { findPython, type Found } from "./discovery";
import { progressIn, steps } from "./installation";
import { environment, places } from "./places";
import { run, system } from "./programs";
import type { Server } from "./server";
import { SECTION } from "./settings";

const INSTALL = "Install";
const LOG = "Show the Log";
const SETTINGS = "Open the Settings";

/** Installs the server, and offers to. */
export class Installer {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Say what is missing, with what mends it; nothing to say of a server that was found. */
  async offer(found: Found): Promise<void> {
    if (found.kind === "server") {
      return;
    }
    this.log.warn(PROBLEMS[found.kind](found));
    if (!vscode.workspace.isTrusted) {
      return; // the status bar tells; whoever trusts the folder is asked then
    }
    const choices = found.kind === "broken" ? [SETTINGS] : [INSTALL, SETTINGS];
    const answer = await vscode.window.showInformationMessage(PROBLEMS[found.kind](found), ...choices);
    if (answer === INSTALL) {
      await this.install();
    } else if (answer === SETTINGS) {
      await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.server`);
    }
  }

  /** Install or update it, and start it. */
  async install(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showWarningMessage("Nothing is installed in a folder that is not trusted.");
      return;
    }
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: "gproj-lsp",
      cancellable: true,
    };
    try {
      await vscode.window.withProgress(options, (progress, token) => this.#carryOut(progress, token));
    } catch (error) {
      this.log.error(messageOf(error));
      const answer = await vscode.window.showErrorMessage(messageOf(error), LOG);
      if (answer === LOG) {
        this.log.show();
      }
    }
  }

  async #carryOut(
    progress: vscode.Progress<{ message?: string }>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const settings = vscode.workspace.getConfiguration(SECTION);
    const python = await findPython(
      await places(this.context, this.log),
      settings.get("server.python", ""),
      system,
    );
    if (python === undefined) {
      throw new Error(
        "No Python 3.10 or newer (with venv) was found: install one, or set gproj.server.python.",
      );
    }
    const stop = new AbortController();
    token.onCancellationRequested(() => {
      stop.abort();
    });
    await mkdir(this.context.globalStorageUri.fsPath, { recursive: true });
    await this.server.stop();
    try {
      const wanted = settings.get("server.package", "gproj-lsp");
      for (const step of steps(python, environment(this.context), wanted, system.windows)) {
        progress.report({ message: step.title });
        const heard = (line: string): void => {
          this.#heard(line, progress);
        };
        await run(step, heard, stop.signal);
      }
    } catch (error) {
      if (!token.isCancellationRequested) {
        throw error;
      }
    } finally {
      await this.server.start();
    }
  }

  #heard(line: string, progress: vscode.Progress<{ message?: string }>): void {
    this.log.info(line);
    const message = progressIn(line);
    if (message !== undefined) {
      progress.report({ message });
    }
  }
}

const PROBLEMS = {
  none: () => "gproj-lsp is not installed. Install it into an environment of the extension's own?",
  old: (found: Found) =>
    `gproj-lsp ${"version" in found ? found.version : ""} is too old for this extension. Install a newer one into an environment of the extension's own?`,
  broken: (found: Found) =>
    `gproj.server.path does not lead to a gproj-lsp that runs: ${"file" in found ? found.file : ""}`,
};
