import assert from "node:assert/strict";
import test from "node:test";
import { showCommitment } from "../../src/fourcorners/web/static/panels.js";
import { installElements } from "./fakes.js";

test("a hash is shown during the game, and the nonce after it", (t) => {
  const byId = installElements(t);
  showCommitment({ commitment: null, nonce: null });
  assert.equal(byId("fair").hidden, true);
  showCommitment({ commitment: "abc", nonce: null });
  assert.equal(byId("fair").hidden, false);
  assert.equal(byId("fair-commitment").textContent, "abc");
  assert.deepEqual([byId("fair-told").hidden, byId("fair-untold").hidden], [true, false]);
  showCommitment({ commitment: "abc", nonce: "n1" });
  assert.equal(byId("fair-nonce").textContent, "n1");
  assert.deepEqual([byId("fair-told").hidden, byId("fair-untold").hidden], [false, true]);
});
