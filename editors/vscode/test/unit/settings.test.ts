import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { told, type Made } from "../../src/settings";

const PROPERTIES = [
  "gproj.engine",
  "gproj.model",
  "gproj.server.path",
  "gproj.holes.decorate",
  "other.engine",
];

function settings(made: Readonly<Record<string, Made>>, trusted = true): Readonly<Record<string, unknown>> {
  return told(PROPERTIES, (key) => made[key], trusted);
}

suite("the settings that the server is told", () => {
  test("a default of the extension is none: it would win over gproj.toml", () => {
    assert.deepEqual(settings({ engine: { defaultValue: "llguidance" } as Made }), {});
  });

  test("the nearest place counts", () => {
    const engine = { globalValue: "llama", workspaceValue: "xgrammar" };
    assert.deepEqual(settings({ engine }), { engine: "xgrammar" });
    assert.deepEqual(settings({ engine: { ...engine, workspaceFolderValue: "llguidance" } }), {
      engine: "llguidance",
    });
  });

  test("a folder that is not trusted says nothing", () => {
    const model = { globalValue: "mine.gguf", workspaceValue: "theirs.gguf" };
    assert.deepEqual(settings({ model }, false), { model: "mine.gguf" });
    assert.deepEqual(settings({ model: { workspaceValue: "theirs.gguf" } }, false), {});
  });

  test("an empty text and a false are said, nothing at all is not", () => {
    assert.deepEqual(settings({ model: { globalValue: "" }, engine: { globalValue: null } }), { model: "" });
  });

  test("the extension keeps its own to itself", () => {
    assert.deepEqual(
      settings({ "server.path": { globalValue: "/x" }, "holes.decorate": { globalValue: false } }),
      {},
    );
  });
});
