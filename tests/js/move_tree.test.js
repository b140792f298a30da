import assert from "node:assert/strict";
import test from "node:test";
import { cornerPairs, MoveTree, parseRotation } from "../../src/fourcorners/web/static/move_tree.js";

const never = () => assert.fail("the server was asked");

function knownTree(...moves) {
  const tree = new MoveTree(never, never);
  tree.reset(moves);
  return tree;
}

/** A tree of a position with too many moves to send; the test answers the questions in `asked`. */
function unknownTree() {
  const asked = [];
  let fetched = 0;
  const tree = new MoveTree(
    (tokens) => new Promise((answer) => asked.push({ tokens, answer })),
    () => {
      fetched += 1;
    },
  );
  tree.reset(null);
  return { tree, asked, fetched: () => fetched };
}

test("continuations follow from the list of moves", () => {
  const tree = knownTree("a1 b2", "a1 c3", "d4");
  assert.deepEqual(tree.continuation([]), { next: new Set(["a1", "d4"]), isMove: false });
  assert.deepEqual(tree.continuation(["a1"]), { next: new Set(["b2", "c3"]), isMove: false });
  assert.deepEqual(tree.continuation(["d4"]), { next: new Set(), isMove: true });
  assert.deepEqual(tree.continuation(["e5"]), { next: new Set(), isMove: false });
});

test("a move may be the beginning of another", () => {
  assert.deepEqual(knownTree("a1", "a1 swap").continuation(["a1"]), { next: new Set(["swap"]), isMove: true });
});

test("a new position forgets the old moves", () => {
  const tree = knownTree("a1 b2");
  tree.reset(["c3"]);
  assert.deepEqual(tree.continuation([]).next, new Set(["c3"]));
  assert.equal(tree.continuation(["a1"]).next.size, 0);
});

test("the server is asked once for each beginning", async () => {
  const { tree, asked, fetched } = unknownTree();
  assert.deepEqual(
    asked.map(({ tokens }) => tokens),
    [[]],
  );
  assert.equal(tree.continuation([]), null);
  const both = Promise.all([tree.resolve([]), tree.resolve([])]);
  assert.equal(asked.length, 1);
  asked[0].answer({ next: ["a1"], move: false });
  const expected = { next: new Set(["a1"]), isMove: false };
  assert.deepEqual(await both, [expected, expected]);
  assert.deepEqual(tree.continuation([]), expected);
  assert.equal(fetched(), 1);
});

test("an answer about an old position is dropped", async () => {
  const { tree, asked, fetched } = unknownTree();
  const resolved = tree.resolve([]);
  tree.reset(["c3"]);
  asked[0].answer({ next: ["a1"], move: false });
  assert.deepEqual(await resolved, { next: new Set(), isMove: false });
  assert.deepEqual(tree.continuation([]).next, new Set(["c3"]));
  assert.equal(fetched(), 0);
});

test("a question is asked again after the connection was lost", async () => {
  const { tree, asked } = unknownTree();
  const resolved = tree.resolve([]);
  asked[0].answer(null);
  assert.equal((await resolved).next.size, 0);
  assert.equal(tree.continuation([]), null);
  assert.equal(asked.length, 2);
});

test("rotations are those in which a piece fits anywhere", () => {
  const tree = knownTree("X b2 r3", "X b2 r1", "X c3 r1", "Y b2 r0", "Z b2");
  assert.deepEqual(tree.rotations("X"), [1, 3]);
  assert.deepEqual(tree.rotations("Z"), []);
  assert.equal(unknownTree().tree.rotations("X"), null);
});

test("tokens of rotations have a number from 0 to 3", () => {
  assert.deepEqual(["r0", "r3", "r4", "r", "ar1"].map(parseRotation), [0, 3, null, null, null]);
});

test("every corner of a legal rectangle can be chosen first", () => {
  assert.deepEqual(knownTree("a1 b2", "pass").corners(), new Set(["a1", "b2", "a2", "b1"]));
  assert.equal(unknownTree().tree.corners(), null);
});

test("a rectangle is found by either pair of opposite corners", () => {
  const tree = knownTree("a1 b3");
  for (const pair of [
    ["a1", "b3"],
    ["b3", "a1"],
    ["a3", "b1"],
    ["b1", "a3"],
  ]) {
    assert.deepEqual(tree.rectangle(...pair), ["a1", "b3"]);
  }
  assert.equal(tree.rectangle("a1", "c3"), null);
});

test("a rectangle stays undecided until the server has answered", async () => {
  const { tree, asked } = unknownTree();
  assert.equal(tree.rectangle("a1", "b2"), undefined);
  const resolved = tree.resolveRectangle("a1", "b2");
  for (const { tokens, answer } of asked) answer({ next: tokens[0] === "b1" ? ["a2"] : [], move: false });
  assert.deepEqual(await resolved, ["b1", "a2"]);
});

test("corner pairs sort columns by length and rows by number", () => {
  assert.deepEqual(cornerPairs("aa2", "z10")[0], ["z2", "aa10"]);
  assert.deepEqual(cornerPairs("b9", "a10")[0], ["a9", "b10"]);
  assert.deepEqual(cornerPairs("left", "right"), [
    ["left", "right"],
    ["right", "left"],
  ]);
});

test("a beginning with which only one move begins is completed", () => {
  const tree = new MoveTree(
    () => Promise.resolve(null),
    () => {},
  );
  tree.reset(["X p1 leave:Y r0", "Z p1", "Z p1 r1", "W p1 r0", "W p1 r1"]);
  assert.equal(tree.onlyMove(["X"]), "X p1 leave:Y r0");
  assert.equal(tree.onlyMove(["Z"]), null);
  assert.equal(tree.onlyMove(["W", "p1"]), null);
  assert.equal(tree.onlyMove(["W", "p1", "r1"]), "W p1 r1");
  assert.equal(tree.onlyMove(["Q"]), null);
});
