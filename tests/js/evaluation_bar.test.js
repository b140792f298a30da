// The evaluation bar: which answer it shows while the next one is on its way.

import assert from "node:assert/strict";
import test from "node:test";
import { Evaluation } from "../../src/fourcorners/web/static/evaluation_bar.js";
import { FakeStorage, FakeTime, replace } from "./fakes.js";

const ANSWER = { state: "found", sentence: "Estimate: you win by about 3, in 60 to 80 of 100 games." };
const RUNNING = { version: 1, viewer: 0, over: false, ply: 1, revealed: true, game: {}, seats: [] };

/** Return an evaluation that is on and shows an answer to the position after one ply. */
async function showAnswer(t) {
  replace(t, globalThis, { localStorage: new FakeStorage() });
  const time = new FakeTime(t);
  const evaluation = new Evaluation({ ask: async () => ANSWER });
  evaluation.toggle();
  evaluation.update(RUNNING, 1);
  time.advance(1000);
  await new Promise(setImmediate);
  assert.equal(evaluation.answer.value, ANSWER);
  return evaluation;
}

test("an answer stays, faded, until the one to the next position comes", async (t) => {
  const evaluation = await showAnswer(t);
  evaluation.update({ ...RUNNING, version: 2, ply: 2 }, 2);
  assert.deepEqual([evaluation.answer.value, evaluation.isOld.value], [ANSWER, true]);
});

test("after the last move no estimate from before it is shown", async (t) => {
  const evaluation = await showAnswer(t);
  evaluation.update({ ...RUNNING, version: 2, over: true, ply: 2 }, 2);
  assert.equal(evaluation.answer.value, null);
});
