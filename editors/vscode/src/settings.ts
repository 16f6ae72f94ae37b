/**
 * The settings that the user made, as the server takes them.
 *
 * An editor's settings win over gproj.toml, so a default of the extension must not be told as if the user had said it.
 */

/** Where a setting was made, as `WorkspaceConfiguration.inspect` tells it. */
export interface Made {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

export const SECTION = "gproj";

/** What is the extension's own; all else under `gproj.` is the server's. */
const OWN = ["server.", "holes.", "trace."];

/**
 * What was set, by key without the section.
 *
 * @param properties - Every setting that the extension contributes, with the section.
 * @param inspect - Tells where a setting was made.
 * @param trusted - Whether the folder's own settings count.
 */
export function told(
  properties: Iterable<string>,
  inspect: (key: string) => Made | undefined,
  trusted: boolean,
): Readonly<Record<string, unknown>> {
  const keys = [...properties]
    .filter((each) => each.startsWith(`${SECTION}.`))
    .map((each) => each.slice(SECTION.length + 1));
  const values = keys
    .filter((key) => !OWN.some((prefix) => key.startsWith(prefix)))
    .map((key): [string, unknown] => [key, value(inspect(key), trusted)]);
  return Object.fromEntries(values.filter(([, set]) => set !== undefined && set !== null));
}

function value(made: Made | undefined, trusted: boolean): unknown {
  return trusted
    ? (made?.workspaceFolderValue ?? made?.workspaceValue ?? made?.globalValue)
    : made?.globalValue;
}
