/** Text that somebody asked for at the cursor: by the server's own request, so that it is seen while it grows. */

import * as vscode from "vscode";
import { messageOf } from "./failure";
import { COMPLETE, completionsOf, reasonOf, type Extent } from "./protocol";
import type { Server } from "./server";

/** Where it is wanted, as long as it is; why there is none goes to the log. */
export interface Wish {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
  readonly token: vscode.CancellationToken;
  readonly log: vscode.LogOutputChannel;
}

/** The texts, best first. */
export async function writtenOn(server: Server, wish: Wish): Promise<vscode.InlineCompletionItem[]> {
  const asked = { textDocument: { uri: wish.document.uri.toString() }, position: wish.position };
  try {
    const answer = await server.request(COMPLETE, asked, wish.token);
    const found = completionsOf(answer);
    if (found.length === 0) {
      wish.log.info(`no text at the cursor: ${reasonOf(answer)}`);
    }
    return found.map(({ text, range }) => new vscode.InlineCompletionItem(text, rangeOf(range)));
  } catch (error) {
    wish.log.info(`no text at the cursor: ${messageOf(error)}`);
    return [];
  }
}

/** A range as the editor has it. */
export function rangeOf({ start, end }: Extent): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
