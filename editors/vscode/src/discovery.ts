/** Which server there is: where it is looked for, in which order, and whether it is recent enough. */

import * as path from "node:path";

/** The oldest server that this extension works with. */
export const OLDEST: Version = [0, 1, 0];
/** The oldest Python that the server works with. */
export const OLDEST_PYTHON: Version = [3, 10, 0];

export type Version = readonly [number, number, number];

/** Where programs are, on this system. */
export interface System {
  readonly windows: boolean;
  /** Whether a file is there and can be run. */
  isProgram(file: string): Promise<boolean>;
  /** What a program writes to its output; undefined where it fails. */
  output(file: string, args: readonly string[]): Promise<string | undefined>;
}

/** Where to look. */
export interface Places {
  /** `gproj.server.path`; empty: not set. */
  readonly setting: string;
  /** The Python of the active environment; empty: none, or not to be used. */
  readonly python: string;
  /** The folders on PATH. */
  readonly path: readonly string[];
  /** The extension's own environment. */
  readonly own: string;
  /** Folders whose programs are not run: what is open in the editor, while it is not trusted. */
  readonly barred: readonly string[];
}

/** A server, or what is known of there being none. */
export type Found =
  | { readonly kind: "server"; readonly file: string; readonly version: string; readonly from: Source }
  | { readonly kind: "old"; readonly file: string; readonly version: string; readonly from: Source }
  | { readonly kind: "broken"; readonly file: string }
  | { readonly kind: "none" };

export type Source = "setting" | "environment" | "path" | "own";

const PROGRAM = "gproj-lsp";

/** The first server that is recent enough: where the setting says, else in the places in their order. */
export async function findServer(places: Places, system: System): Promise<Found> {
  if (places.setting !== "") {
    const found = await asked(places.setting, "setting", system);
    return found ?? { kind: "broken", file: places.setting };
  }
  let old: Found = { kind: "none" };
  for (const [file, from] of programs(places, system.windows)) {
    if (await system.isProgram(file)) {
      const found = await asked(file, from, system);
      if (found?.kind === "server") {
        return found;
      }
      old = found ?? old;
    }
  }
  return old;
}

/** A Python that can run the server, to make an environment with: the one that is set, the active one, or one on PATH. */
export async function findPython(places: Places, set: string, system: System): Promise<string | undefined> {
  const names = system.windows ? ["python.exe", "py.exe"] : ["python3", "python"];
  const onPath = names.flatMap((name) => folders(places).map((folder) => path.join(folder, name)));
  const files = set === "" ? [places.python, ...onPath] : [set];
  for (const file of files) {
    if (file !== "" && (await system.isProgram(file)) && (await isRecent(file, system))) {
      return file;
    }
  }
  return undefined;
}

/** The folder of an environment's programs. */
export function programsOf(environment: string, windows: boolean): string {
  return path.join(environment, windows ? "Scripts" : "bin");
}

/** The three numbers in a text, as in `gproj-lsp 0.1.0`. */
export function versionIn(text: string): Version | undefined {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

/** Whether a version is at least another one. */
export function isAtLeast(version: Version, least: Version): boolean {
  const differing = version.findIndex((number, index) => number !== least[index]);
  return differing === -1 || (version[differing] ?? 0) > (least[differing] ?? 0);
}

function programs(places: Places, windows: boolean): readonly [string, Source][] {
  const name = windows ? `${PROGRAM}.exe` : PROGRAM;
  const beside: [string, Source][] =
    places.python === "" ? [] : [[path.join(path.dirname(places.python), name), "environment"]];
  return [
    ...beside,
    ...folders(places).map((folder): [string, Source] => [path.join(folder, name), "path"]),
    [path.join(programsOf(places.own, windows), name), "own"],
  ];
}

/** A relative folder on PATH means one of whatever folder is current: nobody knows whose. */
function folders(places: Places): readonly string[] {
  return places.path.filter(
    (each) => path.isAbsolute(each) && !places.barred.some((bar) => isWithin(each, bar)),
  );
}

function isWithin(folder: string, bar: string): boolean {
  const inside = path.relative(bar, folder);
  return inside === "" || (!inside.startsWith("..") && !path.isAbsolute(inside));
}

async function asked(file: string, from: Source, system: System): Promise<Found | undefined> {
  const version = versionIn((await system.output(file, ["--version"])) ?? "");
  if (version === undefined) {
    return undefined;
  }
  return { kind: isAtLeast(version, OLDEST) ? "server" : "old", file, version: version.join("."), from };
}

async function isRecent(file: string, system: System): Promise<boolean> {
  const script = "import sys, venv, ensurepip; print('.'.join(map(str, sys.version_info[:3])))";
  const version = versionIn((await system.output(file, ["-I", "-c", script])) ?? "");
  return version !== undefined && isAtLeast(version, OLDEST_PYTHON);
}
