// The tree of an analysis: variations, promoting, deleting and undo.

import assert from "node:assert/strict";
import test from "node:test";
import { AnalysisTree } from "../../src/fourcorners/web/static/analysis_tree.js";

const START = { depth: 0, move: "", seat: -1, comment: "", marks: [], evaluation: "" };
const flat = (depth, move, seat = 0) => ({ ...START, depth, move, seat });
const names = (tree) => tree.flatten().map(({ depth, move }) => `${depth}${move}`);

function makeTree(played = 0) {
  return new AnalysisTree([START, flat(1, "a"), flat(2, "b", 1), flat(3, "c"), flat(2, "x", 1), flat(1, "y")], played);
}

test("a tree is the same after it was read and written", () => {
  assert.deepEqual(names(makeTree()), ["0", "1a", "2b", "3c", "2x", "1y"]);
});

test("another move makes a variation, and one that is known is only gone to", () => {
  const tree = makeTree();
  tree.current = tree.find(["a"]);
  assert.equal(tree.play(["b"], [1]), false);
  tree.current = tree.find(["a"]);
  assert.equal(tree.play(["z"], [1]), true);
  assert.deepEqual(tree.current.path, ["a", "z"]);
  assert.deepEqual(names(tree), ["0", "1a", "2b", "3c", "2x", "2z", "1y"]);
});

test("a promoted variation comes first wherever it branches off, but not before the game", () => {
  const tree = makeTree();
  tree.current = tree.find(["a", "b"]);
  assert.equal(tree.canPromote, false);
  tree.current = tree.find(["a", "x"]);
  assert.equal(tree.canPromote, true);
  tree.promote();
  assert.equal(tree.canPromote, false);
  assert.deepEqual(names(tree), ["0", "1a", "2x", "2b", "3c", "1y"]);
  const game = makeTree(2);
  game.current = game.find(["a", "x"]);
  game.play(["w"], [0]);
  game.current = game.find(["a"]);
  game.play(["z"], [1]);
  assert.equal(game.canPromote, true);
  game.promote();
  assert.equal(game.canPromote, false);
  assert.deepEqual(names(game), ["0", "1a", "2b", "3c", "2z", "2x", "3w", "1y"]);
});

test("the start and moves of the game cannot be deleted, others can, and undo brings them back", () => {
  const tree = makeTree(1);
  assert.equal(tree.canRemove, false);
  tree.current = tree.find(["a"]);
  assert.equal(tree.canRemove, false);
  tree.current = tree.find(["a", "b"]);
  assert.equal(tree.canRemove, true);
  tree.remove();
  assert.deepEqual(names(tree), ["0", "1a", "2x", "1y"]);
  assert.equal(tree.undo(), true);
  assert.deepEqual(names(tree), ["0", "1a", "2b", "3c", "2x", "1y"]);
  assert.deepEqual(tree.current.path, ["a", "b"]);
  assert.equal(tree.undo(), false);
});

test("notes stay with their move", () => {
  const tree = makeTree();
  tree.current = tree.find(["y"]);
  tree.note({ comment: "why not", marks: ["mistake", "circle a1"] });
  const node = tree.flatten().find(({ move }) => move === "y");
  assert.deepEqual([node.comment, node.marks], ["why not", ["mistake", "circle a1"]]);
  assert.deepEqual(tree.current.judgements, [["?", "mistake"]]);
});

test("a line of the engine is added once", () => {
  const tree = makeTree();
  tree.play(["a", "b", "k"], [0, 1, 0]);
  assert.deepEqual(tree.current.path, ["a", "b", "k"]);
  tree.current = tree.root;
  tree.play(["a", "b", "k"], [0, 1, 0]);
  assert.deepEqual(names(tree), ["0", "1a", "2b", "3c", "3k", "2x", "1y"]);
});

test("each move has a number in the order of the server, from which it is found again", () => {
  const nodes = ["", "a", "b", "c", "d"].map((move, index) => ({
    depth: [0, 1, 2, 2, 1][index],
    move,
    seat: 0,
    comment: "",
    marks: [],
    evaluation: "",
  }));
  const tree = new AnalysisTree(nodes, 0);
  assert.deepEqual(tree.flatten(), [{ ...nodes[0], seat: -1 }, ...nodes.slice(1)]);
  tree.current = tree.find(["a", "c"]);
  assert.equal(tree.number, 3);
  assert.equal(tree.at(3), tree.current);
  assert.equal(tree.at(9), tree.root);
});
