/** What the server shows as Markdown: Γ, a grammar, how a fill came about. Pages are read only and lie in no file. */

import * as vscode from "vscode";

const SCHEME = "gproj-page";

/** Opens pages; one of the same name takes the place of the one before. */
export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.#changes.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? "";
  }

  /** Show a text beside what is being edited. */
  async show(name: string, markdown: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `${name}.md` });
    this.#texts.set(uri.path, markdown);
    this.#changes.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }

  dispose(): void {
    this.#registered.dispose();
    this.#changes.dispose();
  }
}
