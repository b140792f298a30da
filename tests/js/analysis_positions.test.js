// The positions of an analysis, as the page asks for them.

import assert from "node:assert/strict";
import test from "node:test";
import { AnalysisPositions } from "../../src/fourcorners/web/static/analysis_positions.js";
import { replace } from "./fakes.js";

test("only a position that the user asked for is refused aloud", async (t) => {
  replace(t, globalThis, { fetch: () => Promise.resolve({ ok: false, json: async () => ({ sentence: "Not now." }) }) });
  const said = [];
  const positions = new AnalysisPositions({ game: "sqez" }, { show: (sentence) => said.push(sentence) });
  await positions.prefetch(["a1 b2"]);
  assert.deepEqual(said, []);
  assert.equal(await positions.fetch(["a1 b2"]), null);
  assert.deepEqual(said, ["Not now."]);
});

test("a position that was fetched before it was needed is not asked for again", async (t) => {
  let count = 0;
  replace(t, globalThis, { fetch: async () => ({ ok: true, json: async () => ({ count: ++count }) }) });
  const positions = new AnalysisPositions({ game: "sqez" }, {});
  await positions.prefetch(["a1 b2"]);
  assert.deepEqual(await positions.fetch(["a1 b2"]), { count: 1 });
});
