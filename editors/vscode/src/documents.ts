/** Which documents the server reads. */

import * as vscode from "vscode";

/**
 * Every document of a language that the extension is activated for, wherever it lies; the server says which of them it reads.
 *
 * @param manifest - package.json.
 */
export function selectorOf(manifest: Manifest): vscode.DocumentFilter[] {
  const languages = manifest.activationEvents
    .filter((event) => event.startsWith(EVENT))
    .map((event) => event.slice(EVENT.length));
  return languages.map((language) => ({ language }));
}

/** What of package.json is read at run time, so that it is written once. */
export interface Manifest {
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
  };
}

const EVENT = "onLanguage:";

/** The document that a user looks at, if the server reads it. */
export function shownDocument(selector: vscode.DocumentSelector): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && vscode.languages.match(selector, document) > 0 ? document : undefined;
}
