import assert from "node:assert/strict";
import { test } from "node:test";

import { groupOutcomes } from "../../src/fourcorners/web/static/exercise_summary.js";

test("a series of exercises ends with what was found, what was not, and what was not tried", () => {
  const results = ["first", "shown", "first", null, "later", "missed"];
  const outcomes = results.map((result, number) => ({ name: `puzzle ${number + 1}`, link: "", result }));
  const groups = groupOutcomes(outcomes).map(({ words, outcomes }) => `${words}: ${outcomes.map(({ name }) => name)}`);
  assert.deepEqual(groups, [
    "Found at once: puzzle 1,puzzle 3",
    "Found after another try or a hint: puzzle 5",
    "Not found, but shown: puzzle 2",
    "Not found: puzzle 6",
    "Not tried: puzzle 4",
  ]);
});
