import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Board, sign } from "../../src/board";
import type { State, Status } from "../../src/protocol";

const DOCUMENT = "file:///projects/shop/a.sql";

function status(uri: string, state: State, command = ""): Status {
  return { uri, state, cause: `${uri || "model"} ${state}`, command };
}

function worst(...told: Status[]): State | undefined {
  const board = new Board();
  told.forEach((each) => {
    board.put(each);
  });
  return board.worst(DOCUMENT)?.state;
}

suite("what concerns a document", () => {
  test("the model, the folders around it and itself do", () => {
    assert.equal(worst(status("", "noModel")), "noModel");
    assert.equal(worst(status("file:///projects", "schemaStale")), "schemaStale");
    assert.equal(worst(status(DOCUMENT, "excluded")), "excluded");
  });

  test("other folders and documents do not, however alike their names are", () => {
    assert.equal(worst(status("file:///projects/sh", "failed"), status(`${DOCUMENT}x`, "failed")), undefined);
  });

  test("the worst is told, and the last of what was said of one thing", () => {
    assert.equal(
      worst(status("", "loading"), status("file:///projects", "failed"), status(DOCUMENT, "excluded")),
      "failed",
    );
    assert.equal(worst(status("", "noModel"), status("", "ready")), "ready");
  });

  test("another server knows nothing of it", () => {
    const board = new Board();
    board.put(status("", "failed"));
    board.clear();
    assert.equal(board.worst(DOCUMENT), undefined);
  });
});

suite("the sign in the status bar", () => {
  test("says why, and a click mends it", () => {
    const shown = sign("running", status("", "noModel", "gproj.chooseModel"), true);
    assert.match(shown.tooltip, /model noModel/);
    assert.match(shown.tooltip, /choose a model/);
    assert.equal(shown.command, "gproj.pickModel");
    assert.equal(shown.severity, "warning");
  });

  test("a folder is trusted in the editor, and by the server only where the editor trusts it already", () => {
    const told = status("file:///elsewhere", "untrusted", "gproj.trust");
    assert.equal(sign("running", told, false).command, "workbench.trust.manage");
    const asked = sign("running", told, true);
    assert.deepEqual([asked.command, asked.arguments], ["gproj.trust", ["file:///elsewhere"]]);
  });

  test("a stale schema is read again, and what has no mend leads to the log", () => {
    const stale = status("file:///projects", "schemaStale", "gproj.refreshEnvironment");
    assert.equal(sign("running", stale, true).command, "gproj.reload");
    assert.equal(sign("running", status("", "failed"), true).command, "gproj.showLog");
    assert.equal(sign("running", status("", "failed"), true).severity, "error");
    assert.equal(sign("running", status("", "excluded"), true).severity, "none");
  });

  test("without a server it leads to one, but installs nothing in a folder that is not trusted", () => {
    assert.equal(sign("missing", undefined, true).command, "gproj.install");
    assert.equal(sign("missing", undefined, false).command, "workbench.trust.manage");
    assert.equal(sign("stopped", undefined, true).command, "gproj.restart");
    assert.match(sign("starting", undefined, true).text, /spin/);
  });

  test("what an earlier server said does not show while there is none", () => {
    assert.equal(sign("stopped", status("", "ready"), true).severity, "error");
    assert.equal(sign("running", undefined, true).severity, "none");
  });
});
