/**
 * What the server says and takes beside the Language Server Protocol, checked where it comes in.
 *
 * The server's README describes it under "Editors".
 */

export const STATUS = "gproj/status";
export const STREAM = "gproj/stream";
export const COMPLETE = "gproj/complete";

/** A place in a document: lines and UTF-16 units, both from 0. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/** From one place up to another. */
export interface Extent {
  readonly start: Place;
  readonly end: Place;
}

/** What can be said of a model, a folder or a document. */
export const STATES = [
  "ready",
  "loading",
  "noModel",
  "schemaStale",
  "untrusted",
  "excluded",
  "failed",
] as const;
export type State = (typeof STATES)[number];

/** How one thing is: a folder or a document by its URI, or the model, which has none. */
export interface Status {
  readonly uri: string;
  readonly state: State;
  /** Why, as a user should see it. */
  readonly cause: string;
  /** The server's command that mends it, or empty. */
  readonly command: string;
}

/** What may stand in a hole. */
export interface Candidate {
  readonly text: string;
  /** What the model thinks of it; absent where no model was asked. */
  readonly probability?: number;
}

/** One step of a text that grows. */
export type Growth =
  | { readonly kind: "begin"; readonly range?: Extent }
  | { readonly kind: "end" }
  | { readonly kind: "hole"; readonly range: Extent; readonly sort: string }
  | { readonly kind: "text" | "filled"; readonly text: string }
  | { readonly kind: "left"; readonly reason: string };

/** Which request a step belongs to, and of which version of which document. */
export type Streamed = Growth & {
  readonly uri: string;
  readonly version: number;
  readonly stream: number;
};

/** A hole's candidates, likeliest first. */
export interface Ranking {
  readonly candidates: readonly Candidate[];
  /** The share of probability that is on others. */
  readonly remaining: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** A `gproj/status`; undefined where it is none. */
export function statusOf(given: unknown): Status | undefined {
  const { uri, state, cause, command } = fields(given);
  const known = STATES.find((each) => each === state);
  if (typeof uri !== "string" || known === undefined) {
    return undefined;
  }
  return { uri, state: known, cause: text(cause), command: text(command) };
}

/** A `gproj/stream`; undefined where it is none, or of a kind that is not shown in the text. */
export function streamedOf(given: unknown): Streamed | undefined {
  const found = fields(given);
  const { uri, version, stream } = found;
  const growth = growthOf(found);
  if (typeof uri !== "string" || typeof stream !== "number" || growth === undefined) {
    return undefined;
  }
  return { ...growth, uri, stream, version: typeof version === "number" ? version : 0 };
}

/** The answer of `gproj.candidates`. */
export function rankingOf(given: unknown): Ranking {
  const { candidates, remaining } = fields(given);
  const listed = Array.isArray(candidates) ? candidates.map(candidateOf) : [];
  return {
    candidates: listed.filter((each) => each !== undefined),
    remaining: typeof remaining === "number" ? remaining : 0,
  };
}

/** The `markdown` in the answer of a command that shows something; empty where there is none. */
export function markdownOf(given: unknown): string {
  return text(fields(given).markdown);
}

/** The answer of `gproj.chooseModel`: the model in use, and those at hand. */
export function modelsOf(given: unknown): { readonly model: string; readonly models: readonly string[] } {
  const { model, models } = fields(given);
  const names = Array.isArray(models) ? models.filter((each) => typeof each === "string") : [];
  return { model: text(model), models: names };
}

/** Why there is none, in the same answer. */
export function reasonOf(given: unknown): string {
  return text(fields(given).reason);
}

/** The labels in the answer of `textDocument/completion`. */
export function labelsOf(given: unknown): readonly string[] {
  const items = Array.isArray(given) ? given : fields(given).items;
  return Array.isArray(items) ? items.map((item) => text(fields(item).label)).filter(Boolean) : [];
}

/** The texts in the answer of `gproj/complete`, each with what it takes the place of. */
export function completionsOf(given: unknown): readonly { readonly text: string; readonly range: Extent }[] {
  const { items } = fields(given);
  return (Array.isArray(items) ? items : []).flatMap((item) => {
    const { insertText, range } = fields(item);
    const place = extentOf(range);
    return typeof insertText === "string" && place !== undefined ? [{ text: insertText, range: place }] : [];
  });
}

function growthOf(found: Fields): Growth | undefined {
  switch (found.kind) {
    case "begin": {
      const range = extentOf(found.range);
      return range === undefined ? { kind: "begin" } : { kind: "begin", range };
    }
    case "end":
      return { kind: "end" };
    case "hole": {
      const range = extentOf(found.range);
      return range && { kind: "hole", range, sort: text(found.sort) };
    }
    case "text":
    case "filled":
      return { kind: found.kind, text: text(found.text) };
    case "left":
      return { kind: "left", reason: text(found.reason) };
    default:
      return undefined;
  }
}

function candidateOf(given: unknown): Candidate | undefined {
  const { text: name, probability } = fields(given);
  if (typeof name !== "string") {
    return undefined;
  }
  return typeof probability === "number" ? { text: name, probability } : { text: name };
}

function extentOf(given: unknown): Extent | undefined {
  const { start, end } = fields(given);
  const [from, to] = [placeOf(start), placeOf(end)];
  return from && to && { start: from, end: to };
}

function placeOf(given: unknown): Place | undefined {
  const { line, character } = fields(given);
  return typeof line === "number" && typeof character === "number" ? { line, character } : undefined;
}

function fields(given: unknown): Fields {
  return typeof given === "object" && given !== null ? (given as Fields) : {};
}

function text(given: unknown): string {
  return typeof given === "string" ? given : "";
}
