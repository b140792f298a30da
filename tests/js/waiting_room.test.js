// Before the start: which colours someone can choose, and who can cancel the game.

import assert from "node:assert/strict";
import test from "node:test";
import { canCancel, listFreeColours } from "../../src/fourcorners/web/static/table_state.js";

const NAMES = { R: "red", B: "blue", G: "green", Y: "yellow" };

test("the colours of those who sit are not free; those of open seats and of no one are", () => {
  const chairs = [{ taken: true }, { taken: false }, { taken: false }];
  const state = { game: { colours: { value: "GYR", names: NAMES } }, chairs };
  assert.deepEqual(listFreeColours(state, 1), [
    ["Y", "yellow"],
    ["R", "red"],
    ["B", "blue"],
  ]);
});

test("there is nothing to choose in games without colours", () => {
  assert.deepEqual(listFreeColours({ game: { colours: null }, chairs: [{ taken: false }] }, 0), []);
});

test("the host can cancel a game as long as no one else has or keeps a seat", () => {
  const own = { taken: true, mine: true };
  const free = { taken: false, mine: false };
  const other = { taken: true, mine: false };
  const kinds = ["person", "person"];
  assert.equal(canCancel({ host: true, chairs: [own, free], kinds }), true);
  assert.equal(canCancel({ host: true, chairs: [own, other], kinds: ["person", "computer:1"] }), true);
  assert.equal(canCancel({ host: true, chairs: [own, other], kinds }), false);
  assert.equal(canCancel({ host: true, chairs: [own, { ...free, kept: true }], kinds }), false);
  assert.equal(canCancel({ host: false, chairs: [other, free], kinds }), false);
});
