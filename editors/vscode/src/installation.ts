/** The extension's own environment: what makes it, step by step. */

import * as path from "node:path";
import { programsOf } from "./discovery";

/** A program to run, and what the user is told meanwhile. */
export interface Step {
  readonly title: string;
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * What makes an environment with the server in it, or brings the one that is there up to date.
 *
 * @param python - Makes it.
 * @param environment - Its folder.
 * @param wanted - What pip installs.
 */
export function steps(
  python: string,
  environment: string,
  wanted: string,
  windows: boolean,
): readonly Step[] {
  const inside = path.join(programsOf(environment, windows), windows ? "python.exe" : "python");
  const pip = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--upgrade"];
  return [
    { title: "Making an environment", file: python, args: ["-I", "-m", "venv", environment] },
    { title: `Installing ${wanted}`, file: inside, args: [...pip, "--", wanted] },
  ];
}

/** What of pip's output tells how far it is; undefined: nothing that a user wants to see. */
export function progressIn(line: string): string | undefined {
  const match =
    /^\s*(Collecting|Downloading|Building wheel for|Installing collected packages)\b:?\s*([^\s(]+)/.exec(
      line,
    );
  if (match === null) {
    return undefined;
  }
  const [, what = "", name = ""] = match;
  return what.startsWith("Installing") ? "Installing packages" : `${what} ${path.basename(name)}`;
}
