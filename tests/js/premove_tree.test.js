// Conditional premoves as a tree: lines that share their beginning, replies that replace others, and what is deleted.

import assert from "node:assert/strict";
import test from "node:test";
import {
  addLine,
  buildTree,
  countMoves,
  findMove,
  listLines,
  listRow,
  prune,
} from "../../src/fourcorners/web/static/premove_tree.js";

const LINES = [
  ["a", "B", "c", "D"],
  ["a", "B", "e", "F"],
  ["g", "H"],
];
const MOVERS = LINES.map((line) => line.map((_, index) => index % 2));
const makeTree = () => buildTree(LINES, MOVERS);

test("lines with the same beginning share their moves, and are the same when they are read again", () => {
  const tree = makeTree();
  assert.equal(countMoves(tree), 8);
  assert.deepEqual(listLines(tree, 1), LINES);
  assert.deepEqual(findMove(tree, ["a", "B"])?.path, ["a", "B"]);
  assert.equal(findMove(tree, ["a", "H"]), null);
});

test("another reply takes the place of the first with all that follows it", () => {
  const tree = makeTree();
  addLine(tree, ["a", "X"], [0, 1], 1);
  assert.deepEqual(listLines(tree, 1), [
    ["a", "X"],
    ["g", "H"],
  ]);
});

test("another move of the others is added beside the first", () => {
  const tree = makeTree();
  addLine(tree, ["a", "B", "i", "J"], [0, 1, 0, 1], 1);
  assert.equal(countMoves(tree), 10);
});

test("a deleted branch leaves no line without a reply", () => {
  const tree = makeTree();
  prune(findMove(tree, ["a", "B", "c", "D"]));
  assert.deepEqual(listLines(tree, 1), [
    ["a", "B", "e", "F"],
    ["g", "H"],
  ]);
  prune(findMove(tree, ["a", "B", "e"]));
  assert.deepEqual(listLines(tree, 1), [
    ["a", "B"],
    ["g", "H"],
  ]);
  prune(findMove(tree, ["a"]));
  prune(findMove(tree, ["g", "H"]));
  assert.deepEqual(listLines(tree, 1), []);
});

test("a row ends with the turn of the seat, which may have several moves, or where the others have a choice", () => {
  const tree = buildTree([["a", "b", "C", "D", "e", "F"]], [[0, 0, 1, 1, 0, 1]]);
  const rows = listRow(tree.children[0], 1).map((node) => node.move);
  assert.deepEqual(rows, ["a", "b", "C", "D"]);
  addLine(tree, ["a", "x", "Y"], [0, 0, 1], 1);
  assert.deepEqual(
    listRow(tree.children[0], 1).map((node) => node.move),
    ["a"],
  );
});
