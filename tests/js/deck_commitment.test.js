import assert from "node:assert/strict";
import test from "node:test";
import { DeckCommitment } from "../../src/fourcorners/web/static/deck_commitment.js";
import { installElements } from "./fakes.js";

test("a hash is shown during the game, and the nonce after it", (t) => {
  const byId = installElements(t);
  const commitment = new DeckCommitment();
  commitment.update({ commitment: null, nonce: null });
  assert.equal(byId("fair").hidden, true);
  commitment.update({ commitment: "abc", nonce: null });
  assert.equal(byId("fair").hidden, false);
  assert.equal(byId("fair-commitment").textContent, "abc");
  assert.deepEqual([byId("fair-told").hidden, byId("fair-untold").hidden], [true, false]);
  commitment.update({ commitment: "abc", nonce: "n1" });
  assert.equal(byId("fair-nonce").textContent, "n1");
  assert.deepEqual([byId("fair-told").hidden, byId("fair-untold").hidden], [false, true]);
});
