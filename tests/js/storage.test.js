// What the scripts keep in the browser: the pending move and the preferences.

import assert from "node:assert/strict";
import test from "node:test";
import { PendingMove } from "../../src/fourcorners/web/static/pending_move.js";
import { loadFlag, loadPreference, saveFlag, savePreference } from "../../src/fourcorners/web/static/preferences.js";
import { FakeStorage, replace } from "./fakes.js";

const MOVE = { type: "move", id: "m1", version: 3, move: "a1 b2" };

test("a pending move is read back as it was saved, for its table only", (t) => {
  replace(t, globalThis, { sessionStorage: new FakeStorage() });
  new PendingMove("t1").save(MOVE);
  assert.deepEqual(new PendingMove("t1").read(), MOVE);
  assert.equal(new PendingMove("t2").read(), null);
});

test("an answer removes its own move, and not one that was made since", (t) => {
  replace(t, globalThis, { sessionStorage: new FakeStorage() });
  const pending = new PendingMove("t1");
  pending.save({ ...MOVE, id: "m2" });
  pending.remove("m1");
  assert.equal(pending.read()?.id, "m2");
  pending.remove("m2");
  assert.equal(pending.read(), null);
});

test("a stored value that is no move is ignored", (t) => {
  const sessionStorage = new FakeStorage();
  replace(t, globalThis, { sessionStorage });
  for (const text of ["", "{", "null", '"m1"', '{"id": "m1", "move": "a1"}', '{"id": 1, "move": "a1", "version": 3}']) {
    sessionStorage.setItem("unsent t1", text);
    assert.equal(new PendingMove("t1").read(), null, text);
  }
});

test("forbidden storage breaks nothing, and preferences last as long as the page", (t) => {
  const forbidden = new FakeStorage({ isForbidden: true });
  replace(t, globalThis, { sessionStorage: forbidden, localStorage: forbidden });
  const pending = new PendingMove("t1");
  pending.save(MOVE);
  pending.remove("m1");
  assert.equal(pending.read(), null);
  assert.equal(loadPreference("alias", "Guest"), "Guest");
  savePreference("alias", "Ada");
  assert.equal(loadPreference("alias", "Guest"), "Ada");
  assert.equal(loadFlag("sound", true), true);
});

test("a preference that a full storage refuses replaces the stored one until it can be stored", (t) => {
  const storage = new FakeStorage();
  replace(t, globalThis, { localStorage: storage });
  savePreference("look", "plain");
  t.mock.method(storage, "setItem", () => assert.fail("full"));
  savePreference("look", "wood");
  assert.equal(loadPreference("look"), "wood");
  t.mock.restoreAll();
  savePreference("look", "stone");
  assert.equal(storage.getItem("look"), "stone");
  assert.equal(loadPreference("look"), "stone");
});

test("preferences fall back only where nothing is stored", (t) => {
  replace(t, globalThis, { localStorage: new FakeStorage() });
  assert.equal(loadPreference("name", "Guest"), "Guest");
  savePreference("name", "");
  assert.equal(loadPreference("name", "Guest"), "");
  assert.equal(loadFlag("sound", true), true);
  saveFlag("sound", false);
  assert.equal(loadFlag("sound", true), false);
});
