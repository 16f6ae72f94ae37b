import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { holeAt, holesOf, share, type Hint } from "../../src/hole";

function hint(
  line: number,
  from: number,
  to: number,
  message: string,
  code = "hole",
  source = "gproj",
): Hint {
  return {
    range: { start: { line, character: from }, end: { line, character: to } },
    message,
    code,
    source,
  };
}

const HINTS = [
  hint(2, 0, 2, "Table: nothing is declared: say where"),
  hint(0, 7, 9, "Column: 2 candidates: id, name"),
  hint(1, 0, 4, "no such column", "ghost-reference"),
  hint(1, 0, 4, "a hole in a road", "hole", "somebody else"),
];

suite("the holes of a document", () => {
  test("are the server's hints of that kind, in the order of the text", () => {
    assert.deepEqual(
      holesOf(HINTS).map(({ sort, about }) => [sort, about]),
      [
        ["Column", "2 candidates: id, name"],
        ["Table", "nothing is declared: say where"],
      ],
    );
  });

  test("the one at a cursor is the one that it is in or beside", () => {
    const holes = holesOf(HINTS);
    const at = (line: number, character: number): string | undefined => holeAt(holes, line, character)?.sort;
    assert.deepEqual([at(0, 7), at(0, 8), at(0, 9)], ["Column", "Column", "Column"]);
    assert.deepEqual([at(0, 6), at(0, 10), at(1, 2)], [undefined, undefined, undefined]);
    assert.equal(at(2, 0), "Table");
  });

  test("one over several lines holds what is between", () => {
    const long = [
      {
        ...hint(1, 5, 0, "Query: open"),
        range: { start: { line: 1, character: 5 }, end: { line: 3, character: 1 } },
      },
    ];
    assert.equal(holeAt(holesOf(long), 2, 80)?.sort, "Query");
    assert.equal(holeAt(holesOf(long), 3, 2), undefined);
  });

  test("a probability is told in whole parts of a hundred", () => {
    assert.deepEqual([1, 0.714, 0.01, 0.0004].map(share), ["100 %", "71 %", "1 %", "< 1 %"]);
  });
});
