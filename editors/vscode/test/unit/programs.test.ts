import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { suite, test } from "node:test";
import type { Step } from "../../src/installation";
import { run, system } from "../../src/programs";

/** A step that runs some JavaScript: the one program that is surely here. */
function step(script: string): Step {
  return { title: "The step", file: process.execPath, args: ["-e", script] };
}

const never = new AbortController().signal;

suite("programs of this machine", () => {
  test("only a file that can be run is one", async (context) => {
    const folder = await mkdtemp(path.join(tmpdir(), "gproj-"));
    context.after(() => rm(folder, { recursive: true }));
    const plain = path.join(folder, "plain");
    await writeFile(plain, "", { mode: 0o644 });
    assert.ok(await system.isProgram(process.execPath));
    assert.ok(!(await system.isProgram(folder)));
    assert.ok(!(await system.isProgram(path.join(folder, "none"))));
    assert.ok(system.windows || !(await system.isProgram(plain)));
  });

  test("what one says is told, and nothing where it fails", async () => {
    assert.equal(await system.output(process.execPath, ["-p", "6 * 7"]), "42\n");
    assert.equal(await system.output(process.execPath, ["-e", "process.exit(3)"]), undefined);
    assert.equal(await system.output("/nowhere", []), undefined);
  });

  test("a step is heard line by line, and runs beside the folder that is open", async () => {
    const heard: string[] = [];
    const told = (line: string): void => {
      heard.push(line);
    };
    await run(
      step("console.log(process.cwd()); console.log('two'); process.stdout.write('three')"),
      told,
      never,
    );
    assert.deepEqual(heard, [homedir(), "two", "three"]);
  });

  test("a step that fails, or can't be run, says so", async () => {
    await assert.rejects(
      run(step("process.exit(3)"), () => undefined, never),
      /The step failed.*3/,
    );
    await assert.rejects(
      run({ title: "", file: "/nowhere", args: [] }, () => undefined, never),
      /ENOENT/,
    );
  });

  test("a step that nobody wants any more is ended", async () => {
    const stop = new AbortController();
    const forever = run(
      step("console.log('here'); setInterval(() => {}, 1000)"),
      () => {
        stop.abort();
      },
      stop.signal,
    );
    await assert.rejects(forever, { name: "AbortError" });
  });
});
