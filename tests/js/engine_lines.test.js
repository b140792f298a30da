// The engine of an analysis: of which position it shows lines, and which of them can be played.

import assert from "node:assert/strict";
import test from "node:test";
import { EngineLines } from "../../src/fourcorners/web/static/engine_lines.js";
import { FakeStorage, FakeTime, replace } from "./fakes.js";

const LINE = { move: "b", line: ["b", "c"], seats: [0, 1], margin: 2, win: 1, lower: 2, upper: 2 };
const SEATS = { names: ["Black", "White"], parties: [[0], [1]], has_points: true };

/** Switch an engine on, of which the server answers with what a test sends. */
function startEngine(t) {
  const time = new FakeTime(t);
  const streams = [];
  const played = [];
  const fetch = (_path, { body }) => {
    const stream = new TransformStream();
    const writer = stream.writable.getWriter();
    const send = (update) => writer.write(new TextEncoder().encode(`${JSON.stringify(update)}\n`));
    streams.push({ question: JSON.parse(body), send, fail: () => writer.abort(new TypeError("network error")) });
    return Promise.resolve({ ok: true, body: stream.readable });
  };
  replace(t, globalThis, { fetch, localStorage: new FakeStorage(), addEventListener: () => {} });
  const analysis = {
    where: { game: "sqez" },
    state: { value: { seats: SEATS } },
    playLine: (moves, seats) => played.push([moves, seats]),
  };
  const engine = new EngineLines(analysis, () => {});
  if (!engine.isOn.value) engine.toggle();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Ask about a position, and return its stream. */
  const ask = async (moves) => {
    engine.update({ game: "sqez", moves });
    time.advance(200);
    await settle();
    return streams.at(-1);
  };
  return { engine, ask, played, settle };
}

const UPDATE = { state: "done", sentence: "", seat: 0, nodes: 9, share: 1, lines: [LINE] };

test("lines of the shown position are played as far as the chosen move", async (t) => {
  const { engine, ask, played, settle } = startEngine(t);
  const stream = await ask([]);
  assert.deepEqual(stream.question, { game: "sqez", moves: [], lines: 3 });
  stream.send(UPDATE);
  await settle();
  engine.play(engine.found.value.lines[0], 1);
  assert.deepEqual(played, [[["b"], [0]]]);
});

test("lines of the position before stay for a while, but cannot be played", async (t) => {
  const { engine, ask, played, settle } = startEngine(t);
  (await ask([])).send(UPDATE);
  await settle();
  engine.update(null);
  engine.play(engine.found.value.lines[0], 1);
  await ask(["b"]);
  engine.play(engine.found.value.lines[0], 1);
  assert.deepEqual(played, []);
  assert.equal(engine.found.value.isOld, true);
});

test("what is found about the position before is not shown any more", async (t) => {
  const { engine, ask, settle } = startEngine(t);
  const old = await ask([]);
  await ask(["b"]);
  old.send(UPDATE);
  await settle();
  assert.deepEqual(engine.found.value.lines, []);
  old.fail();
  await settle();
  assert.equal(engine.found.value.sentence, "");
});

test("the engine says that the game is over only where it is, and not while a position is loading", (t) => {
  const { engine } = startEngine(t);
  engine.update(null);
  assert.equal(engine.found.value.sentence, "");
  engine.update("over");
  assert.equal(engine.found.value.sentence, "The game is over here.");
});

test("an answer that breaks off is reported like a server that cannot be reached", async (t) => {
  const { engine, ask, settle } = startEngine(t);
  (await ask([])).fail();
  await settle();
  assert.match(engine.found.value.sentence, /^The server cannot be reached\./);
});
