/** Programs of this machine, run beside the workspace and never from it. */

import { execFile, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { createInterface } from "node:readline";
import type { System } from "./discovery";
import type { Step } from "./installation";

const SECONDS = 30;

/** The system that the extension runs on. */
export const system: System = {
  windows: process.platform === "win32",

  async isProgram(file) {
    try {
      await access(file, constants.X_OK);
      return (await stat(file)).isFile();
    } catch {
      return false;
    }
  },

  output(file, args) {
    return new Promise((resolve) => {
      execFile(
        file,
        args,
        { cwd: homedir(), timeout: SECONDS * 1000, windowsHide: true },
        (error, stdout) => {
          resolve(error === null ? stdout : undefined);
        },
      );
    });
  },
};

/**
 * Run one step to its end.
 *
 * @param heard - Gets each line that it writes.
 * @param signal - Ends it.
 * @throws Error - It could not be run, failed, or was ended.
 */
export function run(step: Step, heard: (line: string) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(step.file, step.args, { cwd: homedir(), signal, windowsHide: true });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on("line", heard);
    }
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) {
        resolve();
      } else {
        reject(new Error(`${step.title} failed: ${step.file} ended with ${String(code)}`));
      }
    });
  });
}
