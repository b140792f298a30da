// Explanations: each is shown the first time it applies in this browser, and again when somebody asks for that.

import assert from "node:assert/strict";
import test from "node:test";
import { Explanations } from "../../src/fourcorners/web/static/explanations.js";
import { FakeStorage, installElements, replace } from "./fakes.js";

const SWAP = { id: "swap", sentence: "The second player has swapped." };
const STACK = { id: "stack", sentence: "A tile may lie on another." };

/** Install a page with explanations; `spoken` are the sentences that were announced. */
function install(t, storage = new FakeStorage()) {
  const byId = installElements(t);
  byId("explanation").hidden = true;
  replace(t, globalThis, { localStorage: storage });
  const spoken = [];
  const explanations = new Explanations((sentence) => spoken.push(sentence));
  let version = 0;
  const show = (list, changes = {}) => {
    version += 1;
    const state = { game: { id: "a-game" }, version, explanations: list, plies: [[1, "c4"]], seats: [0] };
    explanations.update({ ...state, over: false, study: false, ...changes });
  };
  return { byId, show, spoken, shown: () => (byId("explanation").hidden ? "" : byId("explanation-text").textContent) };
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
  show([SWAP], { plies: [[0, "c4"]] });
  show([], { plies: [[1, "d4"]] });
  assert.equal(shown(), SWAP.sentence);
  show([], { plies: [[0, "e4"]] });
  assert.equal(shown(), "");
});

test("an explanation stays until it is dismissed or the game is over", (t) => {
  const { byId, show, shown } = install(t);
  show([SWAP]);
  show([]);
  assert.equal(shown(), SWAP.sentence);
  byId("explanation-close").dispatchEvent(new Event("click"));
  assert.equal(shown(), "");
  show([STACK]);
  show([], { over: true });
  assert.equal(shown(), "");
});

test("explanations can be shown again, and a record teaches nothing", (t) => {
  const { byId, show, shown } = install(t);
  show([SWAP]);
  byId("explanations-again").dispatchEvent(new Event("click"));
  show([SWAP]);
  assert.equal(shown(), SWAP.sentence);
  byId("explanation-close").dispatchEvent(new Event("click"));
  show([STACK], { study: true });
  assert.equal(shown(), "");
});

test("a browser that forbids storage still shows explanations, each once per page", (t) => {
  const { byId, show, shown } = install(t, new FakeStorage({ isForbidden: true }));
  show([SWAP]);
  assert.equal(shown(), SWAP.sentence);
  byId("explanation-close").dispatchEvent(new Event("click"));
  show([SWAP]);
  assert.equal(shown(), "");
});
