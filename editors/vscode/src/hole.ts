/** Holes of a document, as the server's hints tell them. */

import type { Extent } from "./protocol";

/** A diagnostic as far as it matters here. */
export interface Hint<R extends Extent = Extent> {
  readonly range: R;
  readonly message: string;
  readonly source?: string | undefined;
  readonly code?: unknown;
}

/** A place to fill. */
export interface Hole<R extends Extent = Extent> {
  readonly range: R;
  /** What kind of thing is missing, such as `Column`. */
  readonly sort: string;
  /** What the server says of it: how many candidates, or why there are none. */
  readonly about: string;
}

/** The holes among a document's diagnostics, in the order of the text. */
export function holesOf<R extends Extent>(hints: readonly Hint<R>[]): readonly Hole<R>[] {
  return hints
    .filter(({ source, code }) => source === "gproj" && code === "hole")
    .map(({ range, message }) => {
      const [sort = "", ...about] = message.split(": ");
      return { range, sort, about: about.join(": ") };
    })
    .sort((one, other) => compare(one.range, other.range));
}

/** The hole that a cursor is in or beside, if there is one. */
export function holeAt<R extends Extent>(
  holes: readonly Hole<R>[],
  line: number,
  character: number,
): Hole<R> | undefined {
  return holes.find(
    ({ range: { start, end } }) =>
      (start.line < line || (start.line === line && start.character <= character)) &&
      (end.line > line || (end.line === line && end.character >= character)),
  );
}

function compare(one: Extent, other: Extent): number {
  return one.start.line - other.start.line || one.start.character - other.start.character;
}

/** A probability for people. */
export function share(probability: number): string {
  return probability < 0.01 ? "< 1 %" : `${String(Math.round(probability * 100))} %`;
}
