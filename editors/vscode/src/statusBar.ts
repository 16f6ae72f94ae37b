/** The item in the status bar: how the server is, why, and a click that mends it. */

import * as vscode from "vscode";
import { Board, sign, type Life, type Sign } from "./board";
import { shownDocument } from "./documents";
import type { Server } from "./server";

/** Shows how the server is for the document that a user looks at. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("gproj.status", vscode.StatusBarAlignment.Right, 90);
  readonly #board = new Board();
  readonly #parts: Pick<vscode.Disposable, "dispose">[];
  #life: Life = "starting";

  constructor(private readonly server: Server) {
    this.#item.name = "gproj-lsp";
    this.#parts = [
      this.#item,
      server.onLife((life) => {
        this.#life = life;
        this.#board.clear();
        this.#show();
      }),
      server.onStatus((status) => {
        this.#board.put(status);
        this.#show();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.#show();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.#show();
      }),
    ];
    this.#show();
  }

  dispose(): void {
    vscode.Disposable.from(...this.#parts).dispose();
  }

  #show(): void {
    void vscode.commands.executeCommand("setContext", "gproj.running", this.#life === "running");
    const document = shownDocument(this.server.selector);
    if (document === undefined) {
      this.#item.hide();
      return;
    }
    this.#draw(sign(this.#life, this.#board.worst(document.uri.toString()), vscode.workspace.isTrusted));
  }

  #draw(shown: Sign): void {
    this.#item.text = shown.text;
    this.#item.tooltip = shown.tooltip;
    this.#item.accessibilityInformation = { label: `gproj-lsp: ${shown.tooltip}` };
    this.#item.command = { title: shown.tooltip, command: shown.command, arguments: [...shown.arguments] };
    this.#item.backgroundColor =
      shown.severity === "none"
        ? undefined
        : new vscode.ThemeColor(`statusBarItem.${shown.severity}Background`);
    this.#item.show();
  }
}
