/** Texts while the model writes them: what `gproj/stream` has told so far, by document. */

import type { Extent, Streamed } from "./protocol";

/** One hole whose text grows. */
export interface Piece {
  readonly range: Extent;
  readonly text: string;
}

interface Growing {
  readonly stream: number;
  readonly version: number;
  readonly pieces: readonly Piece[];
}

/** What is shown in each document; a later request takes the place of an earlier one. */
export class Texts {
  readonly #growing = new Map<string, Growing>();

  /** Take one step; steps of a request that another one came after have no effect. */
  take(step: Streamed): void {
    const now = this.#growing.get(step.uri);
    if (now !== undefined && step.stream < now.stream) {
      return;
    }
    if (step.kind === "begin") {
      const pieces = step.range === undefined ? [] : [{ range: step.range, text: "" }];
      this.#growing.set(step.uri, { stream: step.stream, version: step.version, pieces });
    } else if (now?.stream === step.stream) {
      if (step.kind === "end") {
        this.#growing.delete(step.uri);
      } else {
        this.#growing.set(step.uri, { ...now, pieces: grown(now.pieces, step) });
      }
    }
  }

  /** What grows in a version of a document; nothing where it is of another one. */
  of(uri: string, version: number): readonly Piece[] {
    const now = this.#growing.get(uri);
    return now?.version === version ? now.pieces.filter((each) => each.text !== "") : [];
  }

  /** Forget it all: there is another server. */
  clear(): void {
    this.#growing.clear();
  }
}

function grown(
  pieces: readonly Piece[],
  step: Exclude<Streamed, { kind: "begin" } | { kind: "end" }>,
): readonly Piece[] {
  const [before, last] = [pieces.slice(0, -1), pieces.at(-1)];
  switch (step.kind) {
    case "hole":
      return [...pieces, { range: step.range, text: "" }];
    case "text":
    case "filled":
      return last === undefined ? pieces : [...before, { ...last, text: step.text }];
    case "left":
      return before;
  }
}

/** A text in the one line that a decoration has. */
export function inline(text: string): string {
  return text.replaceAll(/\r\n|[\n\r]/g, " ⏎ ");
}
