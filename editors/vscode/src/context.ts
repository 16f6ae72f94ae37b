/** What menus, keys and views are shown for. */

import * as vscode from "vscode";
import { shownDocument } from "./documents";
import { holesOf } from "./hole";
import type { Server } from "./server";

/** Tells the editor's menus and keys whether the document that is looked at is read, and has holes. */
export function keepContext(server: Server): vscode.Disposable {
  const tell = (): void => {
    const document = shownDocument(server.selector);
    const holes = document === undefined ? [] : holesOf(vscode.languages.getDiagnostics(document.uri));
    void vscode.commands.executeCommand("setContext", "gproj.reads", document !== undefined);
    void vscode.commands.executeCommand("setContext", "gproj.holes", holes.length > 0);
  };
  tell();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(tell),
    vscode.languages.onDidChangeDiagnostics(tell),
  );
}
