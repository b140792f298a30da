// Values of moves and their list: what they say, how they are ranked and shaded.

import assert from "node:assert/strict";
import test from "node:test";
import { MoveValues } from "../../src/fourcorners/web/static/move_values.js";
import { groupByValue, stepIndex } from "../../src/fourcorners/web/static/ranking.js";
import { makeNode } from "./fakes.js";

/** Values of moves without a picture; `input` is what has been chosen. */
function makeValues(moves, counts = "margin", input = {}) {
  const chosen = { prefix: [], carried: null, firstCorner: null, tree: { rectangle: (a, b) => [a, b] }, ...input };
  const values = new MoveValues({ picture: { nodes: () => [], board: null, tray: null }, input: chosen });
  values.set(moves, counts);
  return values;
}

const MARGINS = [
  ["a1", 5],
  ["b2", 2],
  ["c3", 0],
  ["d4", -1],
];

test("a margin says who wins by how much, and which is the best", () => {
  const values = makeValues(MARGINS);
  assert.deepEqual(
    MARGINS.map(([, value]) => values.describe(value)),
    ["wins by 5, the best", "wins by 2", "draws", "loses by 1"],
  );
  assert.deepEqual(
    MARGINS.map(([, value]) => values.text(value)),
    ["+5", "+2", "0", "−1"],
  );
});

test("where only winning counts no number is shown, and a lost position has no best move", () => {
  const values = makeValues(
    [
      ["a1", 1],
      ["b2", -1],
    ],
    "win",
  );
  assert.deepEqual(
    [values.describe(1), values.describe(-1), values.text(1), values.text(-1)],
    ["wins", "loses", "W", "L"],
  );
  assert.match(values.className(1), / best$/);
  assert.doesNotMatch(makeValues([["a1", -1]], "win").className(-1), /best/);
});

test("a margin of what is left is no result", () => {
  assert.equal(makeValues(MARGINS, "rest").describe(2), "is worth +2");
});

test("shades follow the values that occur", () => {
  const values = makeValues([...MARGINS, ["e5", 3]]);
  assert.deepEqual(
    [5, 3, 2, 0, -1].map((value) => values.className(value)),
    ["worth win-3 best", "worth win-2", "worth win-1", "worth tie", "worth loss-2"],
  );
});

test("a beginning is worth as much as its best move", () => {
  const values = makeValues(
    [
      ["a1 b2", 1],
      ["a1 c3", 4],
      ["a1", 0],
    ],
    "margin",
    { prefix: ["a1"] },
  );
  assert.equal(values.getTokenValue("c3"), 4);
  assert.equal(values.describeMove(["a1", "b2"]), "a1 b2 wins by 1.");
  assert.equal(values.describeMove(["a1"]), "a1 draws. Continuing with a1 … wins by 4, the best.");
  assert.equal(values.describeMove([]), "");
  assert.equal(makeValues([["a1 b2", 1]]).describeMove(["a1"]), "a1 … wins by 1 at best.");
});

test("after a whole move another token replaces its last one", () => {
  const values = makeValues(
    [
      ["a1 b2", 1],
      ["a1 c3", 4],
    ],
    "margin",
    { prefix: ["a1", "b2"] },
  );
  assert.equal(values.getTokenValue("c3"), 4);
});

test("elements have the value of what pointing at them would choose", () => {
  const rectangles = [
    ["a1 b2", 1],
    ["a1 c3", 4],
  ];
  assert.equal(makeValues(rectangles).getNodeValue(makeNode("a2", "span")), 1);
  assert.equal(makeValues(rectangles).getNodeValue(makeNode("c3", "span")), 4);
  assert.equal(makeValues(rectangles, "margin", { firstCorner: "a1" }).getNodeValue(makeNode("b2", "span")), 1);
  const tiles = [
    ["R1 b2", 2],
    ["R2 b2", 3],
  ];
  assert.equal(makeValues(tiles).getNodeValue(makeNode("R", "carry")), 3);
  const carried = { token: "R1", isPrefix: false };
  assert.equal(makeValues(tiles, "margin", { carried, prefix: ["R1"] }).getNodeValue(makeNode("b2", "drop")), 2);
  assert.equal(makeValues(tiles).getNodeValue(makeNode("b2", "drop")), undefined);
});

test("moves are grouped by value in their order", () => {
  assert.deepEqual(
    groupByValue([
      ["a1", 3],
      ["b2", 3],
      ["c3", -1],
    ]),
    [
      [3, ["a1", "b2"]],
      [-1, ["c3"]],
    ],
  );
});

test("arrow keys stop at the ends of the list", () => {
  assert.deepEqual(
    ["ArrowRight", "ArrowUp", "Home", "End", "Enter"].map((key) => stepIndex(key, 1, 3)),
    [2, 0, 0, 2, null],
  );
  assert.equal(stepIndex("ArrowDown", 2, 3), 2);
});
