// The best timed run of each game: it only grows, and damaged storage counts as none.

import assert from "node:assert/strict";
import test from "node:test";
import { loadBestRun, saveRun } from "../../src/fourcorners/web/static/puzzle_record.js";
import { FakeStorage, replace } from "./fakes.js";

test("only a better run is remembered, for each game", (t) => {
  replace(t, globalThis, { localStorage: new FakeStorage() });
  assert.equal(loadBestRun("a-game"), 0);
  assert.equal(saveRun("a-game", 0), false);
  assert.equal(saveRun("a-game", 5), true);
  assert.equal(saveRun("a-game", 4), false);
  assert.equal(saveRun("b-game", 1), true);
  assert.deepEqual([loadBestRun("a-game"), loadBestRun("b-game")], [5, 1]);
});

test("what is no number of puzzles counts as none", (t) => {
  const localStorage = new FakeStorage();
  replace(t, globalThis, { localStorage });
  for (const text of ["", "x", "-3", "1.5", "{}"]) {
    localStorage.setItem("best-run a-game", text);
    assert.equal(loadBestRun("a-game"), 0);
  }
});
