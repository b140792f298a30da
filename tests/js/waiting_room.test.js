// Which colours somebody can choose before sitting down.

import assert from "node:assert/strict";
import test from "node:test";
import { listFreeColours } from "../../src/fourcorners/web/static/waiting_room.js";

const NAMES = { R: "red", B: "blue", G: "green", Y: "yellow" };

test("the colours of those who sit are not free; those of open seats and of nobody are", () => {
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
