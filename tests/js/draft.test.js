import assert from "node:assert/strict";
import test from "node:test";
import { keepDraft } from "../../src/fourcorners/web/static/draft.js";
import { FakeTime, installWindow, replace } from "./fakes.js";

test("a draft is kept with what else the entry holds, and again after the browser has refused", (t) => {
  const time = new FakeTime(t);
  const { page, document } = installWindow(t);
  const history = {
    state: { other: 1, draft: { moves: ["a1"] } },
    replaceState: (state) => Object.assign(history, { state }),
  };
  replace(t, globalThis, { history });
  t.mock.method(performance, "getEntriesByType", () => [{ type: "reload" }]);
  const moves = ["a1"];
  assert.deepEqual(
    keepDraft("moves", () => [...moves]),
    ["a1"],
  );
  assert.equal(
    keepDraft("fields", () => ({ title: "Homework" })),
    null,
  );
  moves.push("b2");
  document.dispatchEvent(new Event("input"));
  assert.deepEqual(history.state.draft, { moves: ["a1"] });
  time.advance(1000);
  assert.deepEqual(history.state, { other: 1, draft: { moves: ["a1", "b2"], fields: { title: "Homework" } } });

  moves.push("c3");
  const { replaceState } = history;
  history.replaceState = () => assert.fail("too often");
  page.dispatchEvent(new Event("beforeunload"));
  assert.deepEqual(history.state.draft.moves, ["a1", "b2"]);
  history.replaceState = replaceState;
  page.dispatchEvent(new Event("pagehide"));
  assert.deepEqual(history.state.draft.moves, ["a1", "b2", "c3"]);
});

test("a new visit to the same address begins without the draft", (t) => {
  installWindow(t);
  replace(t, globalThis, { history: { state: { draft: { moves: ["a1"] } } } });
  for (const [type, kept] of [
    ["navigate", null],
    ["back_forward", ["a1"]],
  ]) {
    t.mock.method(performance, "getEntriesByType", () => [{ type }]);
    assert.deepEqual(
      keepDraft("moves", () => []),
      kept,
    );
  }
});
