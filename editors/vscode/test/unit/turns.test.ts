import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "../../src/turns";

test("one after another, though one fails", async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const work = (name: string, fails: boolean): Promise<string> =>
    turns.take(async () => {
      seen.push(`${name} begins`);
      await new Promise(setImmediate);
      seen.push(`${name} ends`);
      if (fails) {
        throw new Error(name);
      }
      return name;
    });
  const [one, two] = await Promise.allSettled([work("a", true), work("b", false)]);
  assert.deepEqual(seen, ["a begins", "a ends", "b begins", "b ends"]);
  assert.equal(one.status, "rejected");
  assert.deepEqual(two, { status: "fulfilled", value: "b" });
});
