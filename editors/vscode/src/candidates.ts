/** What may stand in a hole: as the model ranks it, or, without a model, as the server completes it. */

import * as vscode from "vscode";
import { labelsOf, rankingOf, type Candidate } from "./protocol";
import type { Hole } from "./hole";
import type { Server } from "./server";
import { Turns } from "./turns";

/** A hole of a document. */
export type DocumentHole = Hole<vscode.Range>;

const MOST = 12;

/** Asks for one hole after another, and keeps what was said of the version of each document. */
export class Candidates {
  readonly #turns = new Turns();
  readonly #kept = new WeakMap<
    vscode.TextDocument,
    { version: number; of: Map<string, readonly Candidate[]> }
  >();

  constructor(private readonly server: Server) {}

  /** What may stand in a hole, likeliest first; nothing where the document changed meanwhile. */
  of(document: vscode.TextDocument, hole: DocumentHole): Promise<readonly Candidate[]> {
    const { version } = document;
    return this.#turns.take(async () => {
      if (document.version !== version) {
        return [];
      }
      const key = JSON.stringify(hole.range);
      const found = this.#known(document).get(key) ?? (await this.#ask(document, hole));
      if (document.version === version && found.length > 0) {
        this.#known(document).set(key, found);
      }
      return found;
    });
  }

  /** Forget it all: the model or the schema is another one. */
  forget(document: vscode.TextDocument): void {
    this.#kept.delete(document);
  }

  async #ask(document: vscode.TextDocument, { range }: DocumentHole): Promise<readonly Candidate[]> {
    const argument = { uri: document.uri.toString(), position: range.start, limit: MOST };
    try {
      return rankingOf(await this.server.command("gproj.candidates", argument)).candidates;
    } catch {
      const asked = { textDocument: { uri: argument.uri }, position: range.end };
      const names = labelsOf(await this.server.request("textDocument/completion", asked));
      return names.slice(0, MOST).map((text) => ({ text }));
    }
  }

  #known(document: vscode.TextDocument): Map<string, readonly Candidate[]> {
    const kept = this.#kept.get(document);
    if (kept?.version === document.version) {
      return kept.of;
    }
    const of = new Map<string, readonly Candidate[]>();
    this.#kept.set(document, { version: document.version, of });
    return of;
  }
}
