/** The tree of holes: those of the document that is looked at, and under each what may stand there. */

import * as vscode from "vscode";
import type { Candidates, DocumentHole } from "./candidates";
import { shownDocument } from "./documents";
import { messageOf } from "./failure";
import { holesOf, share } from "./hole";
import type { Candidate } from "./protocol";
import type { Server } from "./server";

/** A hole of a document in the tree. */
export interface HoleNode {
  readonly kind: "hole";
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly hole: DocumentHole;
}

/** What may stand in it. */
export interface CandidateNode {
  readonly kind: "candidate";
  readonly within: HoleNode;
  readonly candidate: Candidate;
}

interface NoteNode {
  readonly kind: "note";
  readonly text: string;
}

type Node = HoleNode | CandidateNode | NoteNode;

/**
 * Milliseconds without news after which holes are listed anew: what may stand in those that are open is asked again then, and that
 * must not come before the text that somebody who types waits for.
 */
const PAUSE = 700;

/** Lists holes; the model is asked about one when it is opened. */
export class HoleView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changes = new vscode.EventEmitter<undefined>();
  readonly #parts: Pick<vscode.Disposable, "dispose">[];
  #timer: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#changes.event;

  constructor(
    private readonly server: Server,
    private readonly candidates: Candidates,
  ) {
    const again = (): void => {
      this.#changes.fire(undefined);
    };
    this.#parts = [
      this.#changes,
      vscode.window.registerTreeDataProvider("gproj.holes", this),
      vscode.window.onDidChangeActiveTextEditor(again),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        const shown = shownDocument(server.selector)?.uri.toString();
        if (uris.some((uri) => uri.toString() === shown)) {
          clearTimeout(this.#timer);
          this.#timer = setTimeout(again, PAUSE);
        }
      }),
      server.onStatus(({ state }) => {
        const shown = shownDocument(server.selector);
        if (state === "ready" && shown !== undefined) {
          candidates.forget(shown);
          again();
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    vscode.Disposable.from(...this.#parts).dispose();
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "hole":
        return holeItem(node);
      case "candidate":
        return candidateItem(node);
      case "note":
        return new vscode.TreeItem(node.text);
    }
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      return this.#holes();
    }
    return node.kind === "hole" ? this.#listed(node) : [];
  }

  #holes(): HoleNode[] {
    const document = shownDocument(this.server.selector);
    if (document === undefined) {
      return [];
    }
    const { version } = document;
    const holes = holesOf(vscode.languages.getDiagnostics(document.uri));
    return holes.map((hole) => ({ kind: "hole", document, version, hole }));
  }

  async #listed(within: HoleNode): Promise<Node[]> {
    try {
      const found = await this.candidates.of(within.document, within.hole);
      return found.length > 0
        ? found.map((candidate) => ({ kind: "candidate", within, candidate }))
        : [{ kind: "note", text: within.hole.about || "nothing fits" }];
    } catch (error) {
      return [{ kind: "note", text: messageOf(error) }];
    }
  }
}

function holeItem({ document, hole: { range, sort, about } }: HoleNode): vscode.TreeItem {
  const item = new vscode.TreeItem(document.getText(range), vscode.TreeItemCollapsibleState.Collapsed);
  const line = range.start.line + 1;
  item.id = `${document.uri.toString()}#${line}:${range.start.character}`;
  item.description = `${sort} · line ${line}`;
  item.tooltip = about;
  item.iconPath = new vscode.ThemeIcon("symbol-field");
  item.contextValue = "hole";
  item.command = {
    title: "Show",
    command: "vscode.open",
    arguments: [document.uri, { selection: range, preserveFocus: true }],
  };
  item.accessibilityInformation = { label: `hole ${sort}, line ${line}` };
  return item;
}

function candidateItem(node: CandidateNode): vscode.TreeItem {
  const { text, probability } = node.candidate;
  const item = new vscode.TreeItem(text);
  if (probability !== undefined) {
    item.description = share(probability);
  }
  item.tooltip = `Write ${text} here`;
  item.iconPath = new vscode.ThemeIcon("symbol-constant");
  item.contextValue = "candidate";
  item.command = { title: "Write This", command: "gproj.writeListed", arguments: [node] };
  return item;
}
