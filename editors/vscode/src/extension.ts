/** Where the extension begins: its parts, put together. */

import * as vscode from "vscode";
import { Candidates } from "./candidates";
import { Commands } from "./commands";
import { keepContext } from "./context";
import { HoleView } from "./holeView";
import { Installer } from "./installer";
import { Marks } from "./marks";
import { Pages } from "./pages";
import { onPythonChanged } from "./places";
import { Server } from "./server";
import { SECTION } from "./settings";
import { StatusBar } from "./statusBar";

/** Called by the editor when a document of ours, or a folder with a gproj.toml, is opened. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("gproj-lsp", { log: true });
  const server = new Server(context, log);
  const installer = new Installer(context, server, log);
  const candidates = new Candidates(server);
  const pages = new Pages();
  const start = async (): Promise<void> => {
    await installer.offer(await server.start());
  };
  context.subscriptions.push(
    log,
    server,
    pages,
    new StatusBar(server),
    new Marks(server),
    new HoleView(server, candidates),
    new Commands(server, candidates, pages).register(),
    keepContext(server),
    vscode.commands.registerCommand("gproj.install", () => installer.install()),
    vscode.commands.registerCommand("gproj.restart", start),
    vscode.commands.registerCommand("gproj.showLog", () => {
      log.show();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(start),
    onPathChanged(start),
  );
  const python = await onPythonChanged(() => void start());
  if (python !== undefined) {
    context.subscriptions.push(python);
  }
  void start();
}

/** Another server is wanted; an event alone says little, as one comes when a folder is trusted, too. */
function onPathChanged(changed: () => Promise<void>): vscode.Disposable {
  const now = (): string => vscode.workspace.getConfiguration(SECTION).get("server.path", "");
  let last = now();
  return vscode.workspace.onDidChangeConfiguration(async () => {
    if (now() !== last) {
      last = now();
      await changed();
    }
  });
}
