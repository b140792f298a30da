// An analysis on its page: which position is shown, and what is kept of a comment that is being typed.

import assert from "node:assert/strict";
import test from "node:test";
import { Analysis } from "../../src/fourcorners/web/static/analysis_state.js";
import { AnalysisTree } from "../../src/fourcorners/web/static/analysis_tree.js";

const START = { depth: 0, move: "", seat: -1, comment: "", marks: [], evaluation: "" };
const SEATS = { names: ["Black", "White"], parties: [[0], [1]], has_points: true };

/** Make an analysis of a game with one move, "a"; `answers` has promises of positions by their last move. */
function makeAnalysis(answers = {}) {
  const shown = [];
  const said = [];
  const answer = (moves) => ({
    picture: { seat: moves.length % 2, seat_names: ["black", "white"] },
    mover: "black",
    words: moves.at(-1),
  });
  const page = {
    positions: { fetch: (moves) => answers[moves.at(-1)] ?? Promise.resolve(answer(moves)), prefetch: () => {} },
    toast: { show: (sentence) => said.push(sentence) },
    announce: (sentence) => said.push(sentence),
    onLeave: () => {},
    onShow: ({ words }) => shown.push(words),
  };
  const tree = new AnalysisTree([START, { ...START, depth: 1, move: "a", seat: 0 }], 1);
  return { analysis: new Analysis(tree, SEATS, page), answer, shown, said };
}

test("of positions that arrive in another order only the one asked for last is shown", async () => {
  let arrive = (_answer) => {};
  const late = new Promise((resolve) => {
    arrive = resolve;
  });
  const { analysis, answer, shown } = makeAnalysis({ a: late });
  analysis.go(analysis.tree.root.children[0]);
  analysis.go(analysis.tree.root);
  arrive(answer(["a"]));
  await late;
  assert.deepEqual(shown, [undefined]);
  assert.equal(analysis.state.value.tree.current, analysis.tree.root);
});

test("a move that is typed while its position is loading waits for it, and has the right seat", async () => {
  const { analysis } = makeAnalysis();
  await analysis.show();
  analysis.go(analysis.tree.root.children[0]);
  assert.deepEqual([analysis.isLoading.value, analysis.isShown], [true, false]);
  assert.deepEqual(await analysis.play("b"), { type: "done" });
  assert.deepEqual([analysis.isLoading.value, analysis.isShown], [false, true]);
  assert.deepEqual([analysis.tree.current.path, analysis.tree.current.seat], [["a", "b"], 1]);
});

test("a position that cannot be had takes no moves, and is asked for again when its move is chosen again", async () => {
  const answers = { a: Promise.resolve(null) };
  const { analysis, shown } = makeAnalysis(answers);
  await analysis.show();
  const [node] = analysis.tree.root.children;
  analysis.go(node);
  assert.deepEqual(await analysis.play("b"), { type: "refused" });
  assert.deepEqual([analysis.isLoading.value, analysis.isShown], [false, false]);
  delete answers.a;
  await analysis.go(node);
  assert.equal(analysis.isShown, true);
  assert.deepEqual(shown, [undefined, "a"]);
});

test("a comment that is being typed is saved where it belongs when another move is shown", () => {
  const { analysis } = makeAnalysis();
  analysis.typed = " Keeps the chain short. ";
  analysis.go(analysis.tree.root.children[0]);
  assert.deepEqual([analysis.tree.root.comment, analysis.tree.current.comment], ["Keeps the chain short.", ""]);
});

test("a move whose position comes after the analysis was left is not played", async () => {
  let arrive = (_answer) => {};
  const late = new Promise((resolve) => {
    arrive = resolve;
  });
  const { analysis, answer, shown } = makeAnalysis({ b: late });
  await analysis.show();
  const played = analysis.play("b");
  await Promise.resolve();
  analysis.leave();
  arrive(answer(["b"]));
  assert.deepEqual(await played, { type: "refused" });
  assert.deepEqual([analysis.tree.current.path, analysis.isShown, shown], [[], false, [undefined]]);
});

test("a move that the server refuses changes nothing", async () => {
  const { analysis } = makeAnalysis({ b: Promise.resolve(null) });
  assert.deepEqual(await analysis.play("b"), { type: "refused" });
  assert.deepEqual([analysis.tree.current.path, analysis.tree.canUndo], [[], false]);
});

test("a move of the game is not deleted, and one of a variation comes back", async () => {
  const { analysis, said } = makeAnalysis();
  await analysis.play("a");
  analysis.remove();
  assert.equal(said.at(-1), "A move of the game cannot be deleted.");
  await analysis.play("b");
  analysis.remove();
  assert.deepEqual(analysis.tree.current.path, ["a"]);
  analysis.undo();
  assert.deepEqual(analysis.tree.current.path, ["a", "b"]);
});
