// Explanations: each is shown the first time it applies in this browser, and again when someone asks for that.

import assert from "node:assert/strict";
import test from "node:test";
import { Explanations } from "../../src/fourcorners/web/static/explanations.js";
import { FakeStorage, replace } from "./fakes.js";

const SWAP = { id: "swap", sentence: "The second player has swapped." };
const STACK = { id: "stack", sentence: "A tile may lie on another." };

/** Install a page with explanations; `spoken` are the sentences that were announced. */
function install(t, storage = new FakeStorage()) {
  replace(t, globalThis, { localStorage: storage });
  const spoken = [];
  const explanations = new Explanations((sentence) => spoken.push(sentence));
  const plies = [];
  const show = (list, { seat = 1, ...changes } = {}) => {
    plies.push([seat, "c4"]);
    const version = plies.length;
    const state = { game: { id: "a-game" }, version, explanations: list, plies, ply: version, seats: [0] };
    explanations.update({ ...state, over: false, study: false, ...changes });
  };
  return { explanations, show, spoken, shown: () => explanations.sentence.value };
}

test("an explanation is shown and spoken once per browser and game", (t) => {
  const storage = new FakeStorage();
  const first = install(t, storage);
  first.show([SWAP]);
  assert.equal(first.shown(), SWAP.sentence);
  first.show([SWAP, STACK]);
  assert.equal(first.shown(), STACK.sentence);
  assert.deepEqual(first.spoken, [SWAP.sentence, STACK.sentence]);
  const again = install(t, storage);
  again.show([SWAP, STACK]);
  assert.equal(again.shown(), "");
  again.show([SWAP], { game: { id: "another" } });
  assert.equal(again.shown(), SWAP.sentence);
});

test("an explanation stays until the own next move", (t) => {
  const { show, shown } = install(t);
  show([SWAP], { seat: 0 });
  show([], { seat: 1 });
  assert.equal(shown(), SWAP.sentence);
  show([], { seat: 0 });
  assert.equal(shown(), "");
});

test("an explanation stays until it is dismissed or the game is over", (t) => {
  const { explanations, show, shown } = install(t);
  show([SWAP]);
  show([]);
  assert.equal(shown(), SWAP.sentence);
  explanations.hide();
  assert.equal(shown(), "");
  show([STACK]);
  show([], { over: true });
  assert.equal(shown(), "");
});

test("explanations can be shown again, and a record teaches nothing", (t) => {
  const { explanations, show, shown } = install(t);
  show([SWAP]);
  explanations.forget();
  show([SWAP]);
  assert.equal(shown(), SWAP.sentence);
  explanations.hide();
  show([STACK], { study: true });
  assert.equal(shown(), "");
});

test("a browser that forbids storage still shows explanations, each once per page", (t) => {
  const { explanations, show, shown } = install(t, new FakeStorage({ isForbidden: true }));
  show([SWAP]);
  assert.equal(shown(), SWAP.sentence);
  explanations.hide();
  show([SWAP]);
  assert.equal(shown(), "");
});
