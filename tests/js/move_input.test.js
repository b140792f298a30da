import assert from "node:assert/strict";
import test from "node:test";
import { MoveInput } from "../../src/fourcorners/web/static/move_input.js";
import { makeNode } from "./fakes.js";

/**
 * A move input over a picture with these elements ("pick a1"), at the turn of someone here. `nodes` has the elements
 * by token, `played` the moves that were sent, `events` what else was reported.
 */
function start(elements, moves, options = {}) {
  const nodes = Object.fromEntries(
    elements.map((text) => {
      const [gesture, token] = text.split(" ");
      return [token, makeNode(token, gesture)];
    }),
  );
  const played = [];
  const events = [];
  const game = {
    complete: () => Promise.resolve(null),
    play: (move) => {
      played.push(move);
      return Promise.resolve({ type: "done" });
    },
  };
  const input = new MoveInput({ nodes: () => Object.values(nodes), isPast: false }, { ...game, ...options.game });
  for (const name of ["why", "not-mine", "lost-move"]) input.on(name, (detail) => events.push([name, detail]));
  input.reset(moves, options.isMine ?? true, options);
  return { input, nodes, played, events };
}

const states = (input, nodes) =>
  Object.fromEntries(Object.entries(nodes).map(([token, node]) => [token, input.state(node)]));

test("a move of one token is played at once", async () => {
  const { input, nodes, played } = start(["pick a1", "pick b2"], ["a1"]);
  assert.deepEqual(states(input, nodes), { a1: "can", b2: "" });
  await input.point(nodes.a1);
  assert.deepEqual(played, ["a1"]);
});

test("an element that cannot be chosen is explained and not played", async () => {
  const { input, nodes, played, events } = start(["pick a1", "pick b2"], ["a1"]);
  await input.point(nodes.b2);
  assert.deepEqual(played, []);
  assert.deepEqual(events, [["why", { text: "b2", node: nodes.b2 }]]);
});

test("pointing while another is to move is reported", async () => {
  const { input, nodes, events } = start(["pick a1"], ["a1"], { isMine: false });
  assert.equal(input.state(nodes.a1), "");
  await input.point(nodes.a1);
  assert.deepEqual(events, [["not-mine", { text: "a1", node: nodes.a1 }]]);
});

test("a move that may continue waits for a button", async () => {
  const { input, nodes, played } = start(["pick a1"], ["a1", "a1 swap"]);
  await input.point(nodes.a1);
  assert.deepEqual(played, []);
  assert.equal(input.isPlayable, true);
  assert.deepEqual(input.buttons(), ["swap"]);
  await input.choose("swap");
  assert.deepEqual(played, ["a1 swap"]);
});

test("the only choice that is left on a button is made at once", async () => {
  const { input, nodes, played } = start(["pick a1"], ["a1 swap"]);
  await input.point(nodes.a1);
  assert.deepEqual(played, ["a1 swap"]);
});

test("a move that must be confirmed is played on confirmation only", async () => {
  const { input, nodes, played } = start(["pick a1", "pick b2"], ["a1", "b2"]);
  input.needsConfirmation = true;
  await input.point(nodes.a1);
  assert.equal(input.awaitsConfirmation, true);
  await input.point(nodes.b2);
  assert.deepEqual(input.prefix, ["b2"]);
  assert.deepEqual(played, []);
  await input.play();
  assert.deepEqual(played, ["b2"]);
});

test("the same place again, or no more asking, plays a move that waits for confirmation", async () => {
  const { input, nodes, played } = start(["pick a1", "pick b2"], ["a1", "b2"]);
  input.needsConfirmation = true;
  await input.point(nodes.a1);
  await input.point(nodes.b2);
  assert.deepEqual(played, []);
  await input.point(nodes.b2);
  assert.deepEqual(played, ["b2"]);
  input.reset(["a1", "b2"], true);
  await input.point(nodes.a1);
  input.trust();
  assert.deepEqual(played, ["b2", "a1"]);
  input.trust();
  assert.deepEqual(played, ["b2", "a1"]);
});

test("the last corner again confirms a rectangle, whichever corners it is written with", async () => {
  const { input, nodes, played } = start(["span a1", "span a2", "span b1", "span b2"], ["a1 b2"]);
  input.needsConfirmation = true;
  await input.point(nodes.b1);
  await input.point(nodes.a2);
  assert.deepEqual(played, []);
  await input.point(nodes.a2);
  assert.deepEqual(played, ["a1 b2"]);
});

test("a typed move is not confirmed by what was chosen before", async () => {
  const { input, nodes, played } = start(["pick a1", "pick b2"], ["a1", "b2"]);
  input.needsConfirmation = true;
  await input.point(nodes.a1);
  input.take("b2");
  await input.point(nodes.a1);
  assert.deepEqual(input.prefix, ["a1"]);
  assert.deepEqual(played, []);
});

test("a change of mind starts over, but plays no whole move", async () => {
  const { input, nodes, played, events } = start(
    ["pick a1", "pick b2", "pick c3", "pick d4"],
    ["a1 c3", "b2 d4", "d4"],
  );
  await input.point(nodes.a1);
  await input.point(nodes.b2);
  assert.deepEqual(input.prefix, ["b2"]);
  input.cancel();
  await input.point(nodes.a1);
  await input.point(nodes.d4);
  assert.deepEqual(played, []);
  assert.equal(events.at(-1)[0], "why");
});

test("a rectangle is chosen by any two opposite corners", async () => {
  const { input, nodes, played } = start(["span a1", "span a2", "span b1", "span b2", "span c3"], ["a1 b2"]);
  assert.deepEqual(states(input, nodes), { a1: "can", a2: "can", b1: "can", b2: "can", c3: "" });
  await input.point(nodes.b1);
  assert.deepEqual(states(input, nodes), { a1: "", a2: "can", b1: "can", b2: "", c3: "" });
  assert.equal(input.describe(nodes.c3), "b1 c3");
  await input.point(nodes.a2);
  assert.deepEqual(played, ["a1 b2"]);
});

test("the first corner is dropped by choosing it again", async () => {
  const { input, nodes } = start(["span a1", "span b2"], ["a1 b2"]);
  await input.point(nodes.a1);
  assert.equal(input.isActive, true);
  await input.point(nodes.a1);
  assert.equal(input.isActive, false);
});

test("a carried piece is rotated, dropped and played as it was rotated", async () => {
  const moves = ["X p1 r0", "X p1 r1", "X p2 r1"];
  const { input, nodes, played } = start(["carry X", "drop p1", "drop p2", "drop p3"], moves);
  await input.point(nodes.X);
  assert.deepEqual(input.rotations, [0, 1]);
  assert.deepEqual(states(input, nodes), { X: "can", p1: "can", p2: "turned", p3: "" });
  input.rotate(1);
  assert.equal(input.rotation, 1);
  assert.equal(input.state(nodes.p2), "can");
  await input.point(nodes.p1);
  assert.deepEqual(played, ["X p1 r1"]);
});

test("a piece that does not fit as it is rotated asks how to rotate it", async () => {
  const { input, nodes, played } = start(["carry X", "drop p1", "drop p2"], ["X p1 r0", "X p2 r1", "X p2 r2"]);
  await input.point(nodes.X);
  await input.point(nodes.p2);
  assert.deepEqual(played, []);
  assert.equal(input.mustRotate(), true);
  assert.deepEqual(input.buttons(), ["r1", "r2"]);
});

test("the only rotation that fits is laid without a question", async () => {
  const { input, nodes, played } = start(["carry X", "drop p1", "drop p2"], ["X p1 r0", "X p2 r1"]);
  await input.point(nodes.X);
  assert.equal(input.isCarrying, true);
  await input.point(nodes.p2);
  assert.equal(input.isCarrying, false);
  assert.deepEqual(played, ["X p2 r1"]);
});

test("the only rotation that fits waits if what it does must be told first", async () => {
  const { input, nodes, played } = start(["carry X", "drop p2"], ["X p1 r0", "X p2 r1"]);
  input.reset(["X p1 r0", "X p2 r1"], true, { effects: { "X p2 r1": "discards Y" } });
  await input.point(nodes.X);
  await input.point(nodes.p2);
  assert.deepEqual(played, []);
  assert.deepEqual(input.buttons(), ["r1"]);
  await input.choose("r1", { isTold: true });
  assert.deepEqual(played, ["X p2 r1"]);
});

test("a piece is put back by choosing it again", async () => {
  const { input, nodes } = start(["carry X", "drop p1"], ["X p1"]);
  await input.point(nodes.X);
  assert.equal(input.carried?.token, "X");
  await input.point(nodes.X);
  assert.equal(input.carried, null);
});

test("a refused move is reported with its reason, and can be chosen again", async () => {
  const game = { play: () => Promise.resolve({ type: "refused", sentence: "a1 is taken" }) };
  const { input, nodes, events } = start(["pick a1"], ["a1"], { game });
  await input.point(nodes.a1);
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(events, [["lost-move", { move: "a1", sentence: "a1 is taken" }]]);
  assert.equal(input.state(nodes.a1), "can");
});

test("nothing can be chosen while a move is on its way", async () => {
  let answer;
  const game = { play: () => new Promise((resolve) => (answer = resolve)) };
  const { input, nodes } = start(["pick a1", "pick b2"], ["a1", "b2"], { game });
  await input.point(nodes.a1);
  assert.equal(input.isBusy, true);
  assert.deepEqual(states(input, nodes), { a1: "", b2: "" });
  answer({ type: "done" });
  await new Promise((done) => setImmediate(done));
  assert.equal(input.isBusy, false);
});

test("moves that are tried are shown and not played", async () => {
  const { input, nodes, played } = start(["pick a1", "pick b2"], ["a1", "b2"], { isExploring: true });
  await input.point(nodes.a1);
  assert.deepEqual(input.prefix, ["a1"]);
  await input.point(nodes.b2);
  assert.deepEqual(input.prefix, ["b2"]);
  assert.deepEqual(played, []);
  assert.equal(input.isPlayable, false);
});

test("a forced choice is not made at once if what the move does has not been told", async () => {
  const moves = ["X p1 leave:Y r0", "X p2 r0"];
  const { input, nodes, played } = start(["carry X", "drop p1", "drop p2"], moves);
  input.reset(moves, true, { effects: { "X p1 leave:Y r0": "discards X" } });
  await input.point(nodes.X);
  await input.point(nodes.p1);
  assert.deepEqual(played, []);
  assert.deepEqual(input.buttons(), ["leave:Y"]);
  assert.equal(input.effect(["X", "p1", "leave:Y"]), "discards X");
  await input.choose("leave:Y", { isTold: true });
  assert.deepEqual(played, ["X p1 leave:Y r0"]);
});

test("what all choices do alike is told once, and only if there are several", async () => {
  const turns = ["X p1 leave:Y r0", "X p1 leave:Y r1"];
  const effects = Object.fromEntries(turns.map((move) => [move, "discards X"]));
  const { input, nodes } = start(["carry X", "drop p1"], [...turns, "X p1 leave:X r0"]);
  input.reset([...turns, "X p1 leave:X r0"], true, { effects: { ...effects, "X p1 leave:X r0": "discards Y" } });
  await input.point(nodes.X);
  await input.point(nodes.p1);
  assert.deepEqual(input.buttons(), ["leave:X", "leave:Y"]);
  assert.equal(input.sharedEffect, "");
  await input.choose("leave:Y", { isTold: true });
  assert.deepEqual(input.buttons(), ["r0", "r1"]);
  assert.equal(input.sharedEffect, "discards X");
  input.reset(["X p1 leave:Y r0", "X p1 leave:Z r0"], true, { effects: { "X p1 leave:Y r0": "discards X" } });
  assert.equal(input.sharedEffect, "");
});

test("a move that can be played although it can continue tells what it does when it stops", async () => {
  const moves = ["X p1 leave:Y r0", "X p1 leave:Y r0 take:Z", "X p1 leave:Z r1"];
  const effects = { "X p1 leave:Y r0": "discards X and Z", "X p1 leave:Y r0 take:Z": "discards X" };
  const { input, nodes } = start(["carry X", "drop p1"], moves);
  input.reset(moves, true, { effects });
  await input.point(nodes.X);
  await input.point(nodes.p1);
  assert.equal(input.effect(["X", "p1", "leave:Y"]), "");
  await input.choose("leave:Y", { isTold: true });
  assert.equal(input.isPlayable, true);
  assert.equal(input.playedEffect, "discards X and Z");
  assert.equal(input.effect([...input.prefix, "take:Z"]), "discards X");
});

test("a typed move is read in capitals and small letters, where one move can be meant", async () => {
  const { input } = start([], ["R2ax 1,-2 r1", "R2ox 1,-2 r1", "pass"]);
  for (const [typed, move] of [
    ["r2AX  1,-2 R1", "R2ax 1,-2 r1"],
    ["PASS", "pass"],
    ["R2ax 1,-2 r1", "R2ax 1,-2 r1"],
    ["R3ax", "R3ax"],
    ["#C4 C4D4", "#c4 c4d4"],
    ["", ""],
  ]) {
    assert.equal(await input.read(typed), move, typed);
  }
});

test("a typed move is read token by token where the server knows what can follow", async () => {
  const following = { "": ["b2", "c3"], b2: ["d4"] };
  const complete = (tokens) => Promise.resolve({ next: following[tokens.join(" ")] ?? [], move: false });
  const { input } = start([], null, { game: { complete } });
  assert.equal(await input.read("B2 D4"), "b2 d4");
});
