/** What is drawn in the text: a box around each hole, and what the model writes in it while it grows. */

import * as vscode from "vscode";
import { inline, Texts } from "./growing";
import { holesOf } from "./hole";
import type { Server } from "./server";
import { SECTION } from "./settings";
import { rangeOf } from "./writing";

/** Draws holes in every editor that is seen. */
export class Marks implements vscode.Disposable {
  readonly #hole = vscode.window.createTextEditorDecorationType({
    borderRadius: "3px",
    backgroundColor: new vscode.ThemeColor("editor.wordHighlightBackground"),
    border: "1px dashed",
    borderColor: new vscode.ThemeColor("editorInfo.foreground"),
    overviewRulerColor: new vscode.ThemeColor("editorInfo.foreground"),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
  readonly #growth = vscode.window.createTextEditorDecorationType({ opacity: "0.4" });
  readonly #texts = new Texts();
  readonly #parts: Pick<vscode.Disposable, "dispose">[];

  constructor(server: Server) {
    const all = (): void => {
      vscode.window.visibleTextEditors.forEach((editor) => {
        this.#draw(editor);
      });
    };
    this.#parts = [
      this.#hole,
      this.#growth,
      server.onLife(() => {
        this.#texts.clear();
        all();
      }),
      server.onStream((step) => {
        this.#texts.take(step);
        vscode.window.visibleTextEditors
          .filter(({ document }) => document.uri.toString() === step.uri)
          .forEach((editor) => {
            this.#drawGrowth(editor);
          });
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        const changed = new Set(uris.map(String));
        vscode.window.visibleTextEditors
          .filter(({ document }) => changed.has(document.uri.toString()))
          .forEach((editor) => {
            this.#draw(editor);
          });
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const changed = contentChanges.map(({ range }) => range);
        vscode.window.visibleTextEditors
          .filter((editor) => editor.document === document)
          .forEach((editor) => {
            this.#drop(editor, changed);
          });
      }),
      vscode.window.onDidChangeVisibleTextEditors(all),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTING)) {
          all();
        }
      }),
    ];
    all();
  }

  dispose(): void {
    vscode.Disposable.from(...this.#parts).dispose();
  }

  #draw(editor: vscode.TextEditor): void {
    const holes = isWanted() ? holesOf(vscode.languages.getDiagnostics(editor.document.uri)) : [];
    editor.setDecorations(
      this.#hole,
      holes.map(({ range }) => range),
    );
    this.#drawGrowth(editor);
  }

  /** A hole that was written in is none any more, whatever the server will say of what stands there now. */
  #drop(editor: vscode.TextEditor, changed: readonly vscode.Range[]): void {
    const holes = holesOf(vscode.languages.getDiagnostics(editor.document.uri));
    if (holes.some(({ range }) => changed.some((each) => each.intersection(range)?.isEmpty === false))) {
      editor.setDecorations(this.#hole, []);
    }
    this.#drawGrowth(editor);
  }

  #drawGrowth(editor: vscode.TextEditor): void {
    const { uri, version } = editor.document;
    const pieces = isWanted() ? this.#texts.of(uri.toString(), version) : [];
    editor.setDecorations(
      this.#growth,
      pieces.map(({ range, text }) => ({
        range: rangeOf(range),
        renderOptions: { after: { contentText: inline(text), ...GROWN } },
      })),
    );
  }
}

const SETTING = `${SECTION}.holes.decorate`;
const GROWN = {
  color: new vscode.ThemeColor("editorGhostText.foreground"),
  fontStyle: "italic",
  margin: "0 0 0 0.5ch",
};

function isWanted(): boolean {
  return vscode.workspace.getConfiguration().get(SETTING, true);
}
