import assert from "node:assert/strict";
import test from "node:test";
import { ConnectionBanner, describeLoss, describeRetry } from "../../src/fourcorners/web/static/connection_banner.js";
import { Emitter } from "../../src/fourcorners/web/static/events.js";
import { FakeTime, installElements } from "./fakes.js";

test("a loss names its reason and what becomes of a move", () => {
  const loss = { reason: "", wasShown: true, moves: [] };
  assert.equal(describeLoss(loss), "Connection lost.");
  assert.equal(describeLoss({ ...loss, wasShown: false }), "Cannot reach the server.");
  assert.equal(describeLoss({ ...loss, reason: "The server restarts." }), "The server restarts.");
  assert.equal(
    describeLoss({ ...loss, moves: ["b2 d4"] }),
    "Connection lost. Your move b2 d4 will be sent when you are back online.",
  );
});

test("the wait is counted in whole seconds", () => {
  assert.deepEqual([4001, 4000, 1, 0, -5].map(describeRetry), [
    "Reconnecting in 5 s.",
    "Reconnecting in 4 s.",
    "Reconnecting in 1 s.",
    "Reconnecting…",
    "Reconnecting…",
  ]);
});

/** A banner, and what it shows. */
function start(t) {
  const time = new FakeTime(t);
  const byId = installElements(t);
  const client = Object.assign(new Emitter(), { socket: new Emitter(), unansweredMoves: [] });
  new ConnectionBanner(client);
  const shown = () => ({
    text: byId("line").classList.contains("shown") ? byId("link").textContent : "",
    wait: byId("line-wait").textContent,
    canRetry: !byId("line-now").hidden,
  });
  return { time, client, shown };
}

test("a page that opens quickly says nothing", (t) => {
  const { time, client, shown } = start(t);
  client.socket.emit("trying", null);
  time.advance(1499);
  client.emit("found", null);
  time.advance(5000);
  assert.equal(shown().text, "");
});

test("a page that opens slowly says that it is connecting", (t) => {
  const { time, client, shown } = start(t);
  client.socket.emit("trying", null);
  time.advance(1500);
  assert.equal(shown().text, "Connecting…");
});

test("a loss is counted down until the next attempt, and success is shown for a moment", (t) => {
  const { time, client, shown } = start(t);
  client.emit("found", null);
  client.socket.emit("lost", { wait: 2500, sentence: "" });
  assert.deepEqual(shown(), { text: "Connection lost.", wait: "Reconnecting in 3 s.", canRetry: true });
  time.advance(1000);
  assert.equal(shown().wait, "Reconnecting in 2 s.");
  client.socket.emit("trying", null);
  assert.deepEqual(shown(), { text: "Connection lost.", wait: "Reconnecting…", canRetry: false });
  time.advance(2000);
  assert.equal(shown().text, "Connection lost.");
  client.emit("found", null);
  assert.deepEqual(shown(), { text: "Reconnected.", wait: "", canRetry: false });
  time.advance(2500);
  assert.equal(shown().text, "");
});

test("a table that is gone offers no other attempt", (t) => {
  const { client, shown } = start(t);
  client.socket.emit("ended", { sentence: "There is no such table." });
  assert.deepEqual(shown(), { text: "There is no such table.", wait: "", canRetry: false });
});
