import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  completionsOf,
  labelsOf,
  markdownOf,
  modelsOf,
  rankingOf,
  statusOf,
  streamedOf,
} from "../../src/protocol";

const RANGE = { start: { line: 0, character: 7 }, end: { line: 0, character: 9 } };
const STREAMED = { uri: "file:///a.sql", version: 3, stream: 1 };

suite("what the server says", () => {
  test("a status has a state that is known", () => {
    const told = { uri: "", state: "noModel", cause: "no such file", command: "gproj.chooseModel" };
    assert.deepEqual(statusOf(told), told);
    assert.deepEqual(statusOf({ uri: "", state: "ready" }), {
      uri: "",
      state: "ready",
      cause: "",
      command: "",
    });
    assert.equal(statusOf({ uri: "", state: "better than ever" }), undefined);
    assert.equal(statusOf({ state: "ready" }), undefined);
  });

  test("a step of a text is of a kind that is shown", () => {
    for (const growth of [
      { kind: "begin" },
      { kind: "begin", range: RANGE },
      { kind: "hole", range: RANGE, sort: "Column" },
      { kind: "text", text: "na" },
      { kind: "filled", text: "name" },
      { kind: "left", reason: "nothing fits" },
      { kind: "end" },
    ]) {
      assert.deepEqual(streamedOf({ ...STREAMED, ...growth }), { ...STREAMED, ...growth });
    }
    assert.equal(streamedOf({ ...STREAMED, kind: "candidates", candidates: [] }), undefined);
    assert.equal(streamedOf({ ...STREAMED, kind: "hole" }), undefined);
    assert.equal(streamedOf({ kind: "begin" }), undefined);
  });

  test("candidates without a text are left out", () => {
    const candidates = [{ text: "id", probability: 0.5 }, { text: "name" }, {}, null];
    assert.deepEqual(rankingOf({ candidates, remaining: 0.1 }), {
      candidates: [{ text: "id", probability: 0.5 }, { text: "name" }],
      remaining: 0.1,
    });
  });

  test("what is not as it should be is nothing, and no failure", () => {
    for (const given of [
      undefined,
      null,
      3,
      "text",
      [],
      [1],
      {},
      { candidates: 3, items: {}, models: "x" },
    ]) {
      assert.equal(statusOf(given), undefined);
      assert.equal(streamedOf(given), undefined);
      assert.deepEqual(rankingOf(given).candidates, []);
      assert.equal(markdownOf(given), "");
      assert.deepEqual(modelsOf(given), { model: "", models: [] });
      assert.deepEqual(labelsOf(given), []);
    }
  });

  test("text to write on with has its place", () => {
    const items = [{ insertText: "FROM t", range: RANGE }, { insertText: "nowhere" }, null];
    assert.deepEqual(completionsOf({ items, reason: "" }), [{ text: "FROM t", range: RANGE }]);
    assert.deepEqual(completionsOf(null), []);
  });

  test("completions come as a list or with more around it", () => {
    assert.deepEqual(labelsOf([{ label: "id" }, {}]), ["id"]);
    assert.deepEqual(labelsOf({ isIncomplete: false, items: [{ label: "id" }] }), ["id"]);
  });
});
