// How far someone is in lessons: it only grows, and damaged storage counts as nothing.

import assert from "node:assert/strict";
import test from "node:test";
import { loadProgress, saveProgress, sendProgress } from "../../src/fourcorners/web/static/lesson_progress.js";
import { FakeStorage, replace } from "./fakes.js";

test("progress is kept for each lesson and never shrinks", (t) => {
  replace(t, globalThis, { localStorage: new FakeStorage() });
  saveProgress("a-game/rules", 2);
  saveProgress("a-game/rules", 1);
  saveProgress("a-game/chains", 1);
  assert.deepEqual(loadProgress(), { "a-game/rules": 2, "a-game/chains": 1 });
});

test("what is not an object of progress counts as none", (t) => {
  const localStorage = new FakeStorage();
  replace(t, globalThis, { localStorage });
  for (const text of ["", "{", "null", "[1]", "3", '{"a-game/rules":"x"}']) {
    localStorage.setItem("lessons", text);
    assert.deepEqual(loadProgress(), {}, text);
  }
  saveProgress("a-game/rules", 1);
  assert.deepEqual(loadProgress(), { "a-game/rules": 1 });
});

test("an old list of explanations, stored under the same name by an earlier version, is replaced", (t) => {
  const localStorage = new FakeStorage();
  replace(t, globalThis, { localStorage });
  localStorage.setItem("lessons", '["a-game swap"]');
  saveProgress("a-game/rules", 1);
  assert.deepEqual(loadProgress(), { "a-game/rules": 1 });
});

test("what the server has stored is forgotten here, and what it does not have stays", async (t) => {
  replace(t, globalThis, { localStorage: new FakeStorage() });
  saveProgress("a-game/rules", 2);
  saveProgress("a-game/chains", 1);
  /** @type {object | null} what the server has stored, null if it keeps nothing */
  let answer = null;
  const sent = [];
  const fetch = (path, { body }) => {
    sent.push([path, JSON.parse(body)]);
    // Meanwhile the learner goes on.
    saveProgress("a-game/rules", 3);
    return Promise.resolve({ ok: true, json: () => Promise.resolve({ lessons: answer }) });
  };
  replace(t, globalThis, { fetch });
  await sendProgress();
  assert.deepEqual(loadProgress(), { "a-game/rules": 3, "a-game/chains": 1 });
  answer = {};
  await sendProgress();
  assert.deepEqual(loadProgress(), {});
  await sendProgress();
  assert.deepEqual(sent, [
    ["/api/lessons/progress", { lessons: { "a-game/rules": 2, "a-game/chains": 1 } }],
    ["/api/lessons/progress", { lessons: { "a-game/rules": 3, "a-game/chains": 1 } }],
  ]);
});
