// The colours of the seats in the form for a new game.

import assert from "node:assert/strict";
import test from "node:test";
import { chooseColour, fitColours } from "../../src/fourcorners/web/static/seat_colours.js";

const LETTERS = ["R", "B", "G", "Y"];

test("colours are added in their order, or cut off, when the number of players changes", () => {
  assert.equal(fitColours("", 3, LETTERS), "RBG");
  assert.equal(fitColours("GYR", 4, LETTERS), "GYRB");
  assert.equal(fitColours("GYRB", 3, LETTERS), "GYR");
  assert.equal(fitColours("BR", 3, LETTERS), "BRG");
});

test("a seat that chooses a colour gives its own to the seat that had it, so that all stay different", () => {
  assert.equal(chooseColour("RBG", 0, "Y"), "YBG");
  assert.equal(chooseColour("RBG", 0, "B"), "BRG");
  assert.equal(chooseColour("RBG", 2, "R"), "GBR");
  assert.equal(chooseColour("RBG", 1, "B"), "RBG");
});
