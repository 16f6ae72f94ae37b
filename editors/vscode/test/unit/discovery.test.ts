import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { findPython, findServer, isAtLeast, versionIn, type Places, type System } from "../../src/discovery";

const PLACES: Places = { setting: "", python: "", path: [], own: "/store/server", barred: [] };

/** A system with some programs, each with what it writes; undefined: it fails. */
function having(
  programs: Readonly<Record<string, string | undefined>>,
  windows = false,
): System & { run: string[] } {
  const run: string[] = [];
  return {
    run,
    windows,
    isProgram: (file) => Promise.resolve(file in programs),
    output: (file) => {
      run.push(file);
      return Promise.resolve(programs[file]);
    },
  };
}

suite("which server is used", () => {
  test("the setting's, whatever else there is", async () => {
    const system = having({ "/set/gproj-lsp": "gproj-lsp 0.3.0", "/bin/gproj-lsp": "gproj-lsp 0.4.0" });
    const found = await findServer({ ...PLACES, setting: "/set/gproj-lsp", path: ["/bin"] }, system);
    assert.deepEqual(found, { kind: "server", file: "/set/gproj-lsp", version: "0.3.0", from: "setting" });
  });

  test("a setting that leads nowhere is told, and nothing takes its place unseen", async () => {
    const system = having({ "/bin/gproj-lsp": "gproj-lsp 0.4.0" });
    const found = await findServer({ ...PLACES, setting: "/gone", path: ["/bin"] }, system);
    assert.deepEqual(found, { kind: "broken", file: "/gone" });
  });

  test("the active environment's, then PATH's, then the extension's own", async () => {
    const programs: Record<string, string> = {
      "/venv/bin/gproj-lsp": "gproj-lsp 0.1.0",
      "/bin/gproj-lsp": "gproj-lsp 0.1.0",
      "/store/server/bin/gproj-lsp": "gproj-lsp 0.1.0",
    };
    const places = { ...PLACES, python: "/venv/bin/python", path: ["/bin"] };
    const order: string[] = [];
    for (;;) {
      const found = await findServer(places, having(programs));
      if (found.kind !== "server") {
        break;
      }
      order.push(found.from);
      programs[found.file] = "";
    }
    assert.deepEqual(order, ["environment", "path", "own"]);
  });

  test("one that is too old gives way to one that is not, and is told where there is none", async () => {
    const old = { "/bin/gproj-lsp": "gproj-lsp 0.0.9" };
    const places = { ...PLACES, path: ["/bin"] };
    assert.equal((await findServer(places, having(old))).kind, "old");
    const both = having({ ...old, "/store/server/bin/gproj-lsp": "gproj-lsp 0.1.0" });
    assert.deepEqual(await findServer(places, both), {
      kind: "server",
      file: "/store/server/bin/gproj-lsp",
      version: "0.1.0",
      from: "own",
    });
  });

  test("no relative folder of PATH is looked at, and none that is not trusted", async () => {
    const system = having({
      "bin/gproj-lsp": "gproj-lsp 0.1.0",
      "/projects/bin/gproj-lsp": "gproj-lsp 0.1.0",
      "/projects/gproj-lsp": "gproj-lsp 0.1.0",
      "/projects2/gproj-lsp": "gproj-lsp 0.1.0",
    });
    const path = ["bin", ".", "", "/projects/bin", "/projects"];
    assert.deepEqual(await findServer({ ...PLACES, path, barred: ["/projects"] }, system), { kind: "none" });
    assert.deepEqual(system.run, []);
    const beside = await findServer(
      { ...PLACES, path: [...path, "/projects2"], barred: ["/projects"] },
      system,
    );
    assert.equal(beside.kind, "server");
  });

  test("on Windows programs have their names and folders", async () => {
    const system = having({ "/store/server/Scripts/gproj-lsp.exe": "gproj-lsp 0.1.0" }, true);
    assert.equal((await findServer(PLACES, system)).kind, "server");
  });
});

suite("which Python makes the environment", () => {
  const python = having({
    "/venv/bin/python": "3.9.2",
    "/old/python3": "3.8.1",
    "/broken/python3": undefined,
    "/new/python3": "3.13.0",
  });

  test("the first that is recent enough and has venv", async () => {
    const places = { ...PLACES, python: "/venv/bin/python", path: ["/old", "/broken", "/none", "/new"] };
    assert.equal(await findPython(places, "", python), "/new/python3");
  });

  test("the one that is set, or none", async () => {
    const places = { ...PLACES, path: ["/new"] };
    assert.equal(await findPython(places, "/new/python3", python), "/new/python3");
    assert.equal(await findPython(places, "/old/python3", python), undefined);
  });
});

test("versions are compared number by number", () => {
  assert.deepEqual(versionIn("gproj-lsp 0.12.3rc1 (x)"), [0, 12, 3]);
  assert.deepEqual(versionIn("Python 3.10"), [3, 10, 0]);
  assert.equal(versionIn("gproj-lsp"), undefined);
  assert.ok(isAtLeast([0, 10, 0], [0, 9, 9]));
  assert.ok(isAtLeast([1, 2, 3], [1, 2, 3]));
  assert.ok(!isAtLeast([0, 9, 9], [1, 0, 0]));
});
