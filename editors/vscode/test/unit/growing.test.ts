import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { inline, Texts } from "../../src/growing";
import type { Extent, Growth } from "../../src/protocol";

const URI = "file:///a.sql";

function range(line: number): Extent {
  return { start: { line, character: 0 }, end: { line, character: 2 } };
}

/** The texts after some steps, as lines and texts. */
function after(...steps: [number, Growth][]): readonly [number, string][] {
  const texts = new Texts();
  for (const [stream, growth] of steps) {
    texts.take({ ...growth, uri: URI, version: 1, stream });
  }
  return texts.of(URI, 1).map(({ range: { start }, text }) => [start.line, text]);
}

const hole = (line: number): Growth => ({ kind: "hole", range: range(line), sort: "Column" });
const text = (written: string): Growth => ({ kind: "text", text: written });

suite("a text that grows", () => {
  test("is seen whole each time, in its hole", () => {
    assert.deepEqual(after([1, { kind: "begin" }], [1, hole(4)], [1, text("na")], [1, text("name")]), [
      [4, "name"],
    ]);
  });

  test("is seen at the cursor that it is written on from", () => {
    const at = range(7);
    assert.deepEqual(after([1, { kind: "begin", range: at }], [1, text("FROM t")]), [[7, "FROM t"]]);
  });

  test("stays seen while the next hole has its turn", () => {
    const steps: [number, Growth][] = [
      [1, { kind: "begin" }],
      [1, hole(0)],
      [1, { kind: "filled", text: "id" }],
      [1, hole(1)],
      [1, text("na")],
    ];
    assert.deepEqual(after(...steps), [
      [0, "id"],
      [1, "na"],
    ]);
  });

  test("is void where the work begins anew, and gone at the end", () => {
    const begun: [number, Growth][] = [
      [1, { kind: "begin" }],
      [1, hole(0)],
      [1, text("id")],
    ];
    assert.deepEqual(after(...begun, [1, { kind: "begin" }]), []);
    assert.deepEqual(after(...begun, [1, { kind: "end" }]), []);
  });

  test("is not shown of a hole that stays", () => {
    assert.deepEqual(
      after([1, { kind: "begin" }], [1, hole(0)], [1, text("i")], [1, { kind: "left", reason: "" }]),
      [],
    );
  });

  test("a later request takes its place, and what comes late of the earlier one is nothing", () => {
    const steps: [number, Growth][] = [
      [1, { kind: "begin" }],
      [1, hole(0)],
      [2, { kind: "begin" }],
      [2, hole(1)],
      [1, text("late")],
      [1, { kind: "begin" }],
      [1, { kind: "end" }],
      [2, text("new")],
    ];
    assert.deepEqual(after(...steps), [[1, "new"]]);
  });

  test("is not shown in another version of the document", () => {
    const texts = new Texts();
    for (const growth of [{ kind: "begin" } as const, hole(0), text("id")]) {
      texts.take({ ...growth, uri: URI, version: 1, stream: 1 });
    }
    assert.equal(texts.of(URI, 2).length, 0);
    assert.equal(texts.of("file:///b.sql", 1).length, 0);
    assert.equal(texts.of(URI, 1).length, 1);
    texts.clear();
    assert.equal(texts.of(URI, 1).length, 0);
  });

  test("a decoration has one line", () => {
    assert.equal(inline("a\r\nb\nc"), "a ⏎ b ⏎ c");
  });
});
