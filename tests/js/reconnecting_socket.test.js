import assert from "node:assert/strict";
import test from "node:test";
import { ReconnectingSocket } from "../../src/fourcorners/web/static/reconnecting_socket.js";
import { FakeTime, FakeWebSocket, installWindow } from "./fakes.js";

/** A socket that has begun its first attempt, and what it has reported. */
function start(t) {
  const time = new FakeTime(t);
  const window = installWindow(t);
  t.mock.method(Math, "random", () => 0.5); // waits are not stretched
  const socket = new ReconnectingSocket("wss://example.org/live");
  const events = [];
  for (const name of ["trying", "open", "message", "lost", "ended"]) {
    socket.on(name, (detail) => events.push(detail ? [name, detail] : [name]));
  }
  socket.open();
  return { time, socket, events, ...window };
}

/** The same, after the server has shown the table. */
function startHealthy(t) {
  const started = start(t);
  FakeWebSocket.last.open();
  started.socket.markHealthy();
  started.events.length = 0;
  return started;
}

const losses = (events) => events.filter(([name]) => name === "lost").map(([, { wait }]) => wait);

test("messages are passed on, and beats are answered", (t) => {
  const { events } = startHealthy(t);
  FakeWebSocket.last.receive({ type: "beat", now: 5, interval: 4 });
  assert.deepEqual(events, [["message", { type: "beat", now: 5, interval: 4 }]]);
  assert.deepEqual(FakeWebSocket.last.sent, [{ type: "beat", now: 5 }]);
});

test("nothing is sent before the socket is open", (t) => {
  const { socket } = start(t);
  socket.send({ type: "cancel-solve" });
  assert.deepEqual(FakeWebSocket.last.sent, []);
  FakeWebSocket.last.open();
  socket.send({ type: "cancel-solve" });
  assert.deepEqual(FakeWebSocket.last.sent, [{ type: "cancel-solve" }]);
});

test("attempts that hang are given up after their time", (t) => {
  const { time } = start(t);
  for (const patience of [2000, 2000, 4000, 2000, 2000, 8000, 2000]) {
    const attempt = FakeWebSocket.last;
    time.advance(patience - 1);
    assert.equal(FakeWebSocket.last, attempt);
    time.advance(1);
    assert.notEqual(FakeWebSocket.last, attempt);
    assert.equal(attempt.isClosed, true);
  }
});

test("the waits after losses grow up to five seconds, and start over once the table is shown", (t) => {
  const { time, socket, events } = startHealthy(t);
  for (let loss = 0; loss < 7; loss++) {
    FakeWebSocket.last.end();
    time.advance(5000);
  }
  assert.deepEqual(losses(events), [250, 500, 1000, 2000, 4000, 5000, 5000]);
  FakeWebSocket.last.open();
  socket.markHealthy();
  FakeWebSocket.last.end();
  assert.equal(losses(events).at(-1), 250);
});

test("a silent connection is lost after ten seconds, and every message is a sign of life", (t) => {
  const { time, events } = startHealthy(t);
  time.advance(9000);
  FakeWebSocket.last.receive({ type: "beat", now: 1, interval: 4 });
  time.advance(9000);
  assert.deepEqual(losses(events), []);
  const dead = FakeWebSocket.last;
  time.advance(1000);
  assert.deepEqual(losses(events), [250]);
  assert.equal(dead.isClosed, true);
});

test("beats of an older server, which name no interval, keep the connection open", (t) => {
  const { time, events } = startHealthy(t);
  FakeWebSocket.last.receive({ type: "beat", now: 1 });
  time.advance(9999);
  FakeWebSocket.last.receive({ type: "beat", now: 2 });
  time.advance(9999);
  assert.deepEqual(losses(events), []);
  time.advance(1);
  assert.deepEqual(losses(events), [250]);
});

test("a server that is too slow gets more time on every new socket", (t) => {
  const { time, events } = start(t);
  for (const patience of [10_000, 20_000, 30_000, 40_000, 40_000]) {
    FakeWebSocket.last.open();
    const before = losses(events).length;
    time.advance(patience - 1);
    assert.equal(losses(events).length, before);
    time.advance(1);
    assert.equal(losses(events).length, before + 1);
    time.advance(5000);
  }
});

test("what an abandoned socket says is ignored", (t) => {
  const { time, events } = startHealthy(t);
  const old = FakeWebSocket.last;
  time.advance(10_250);
  events.length = 0;
  old.receive({ type: "beat", now: 1, interval: 4 });
  old.end();
  assert.deepEqual(events, []);
});

test("the server's farewell is reported, and it is tried again a second later", (t) => {
  const { time, events } = startHealthy(t);
  FakeWebSocket.last.receive({ type: "goodbye", sentence: "The server restarts." });
  FakeWebSocket.last.end(1012);
  assert.deepEqual(events.at(-1), ["lost", { wait: 1000, sentence: "The server restarts." }]);
  time.advance(1000);
  assert.equal(FakeWebSocket.all.length, 2);
});

test("too many connections are tried again after half a minute", (t) => {
  const { events } = startHealthy(t);
  FakeWebSocket.last.end(4429, "Too many connections are open.");
  assert.deepEqual(events.at(-1), ["lost", { wait: 30_000, sentence: "Too many connections are open." }]);
});

test("a table that does not exist is not tried again, unless someone asks for it", (t) => {
  const { time, socket, events, page } = startHealthy(t);
  FakeWebSocket.last.end(4404, "There is no such table.");
  assert.deepEqual(events.at(-1), ["ended", { sentence: "There is no such table." }]);
  page.dispatchEvent(new Event("online"));
  time.advance(60_000);
  assert.equal(FakeWebSocket.all.length, 1);
  socket.retry();
  assert.equal(FakeWebSocket.all.length, 2);
});

test("it is tried at once when the network is back or someone looks at the page", (t) => {
  const { page, document } = startHealthy(t);
  FakeWebSocket.last.end();
  page.dispatchEvent(new Event("online"));
  assert.equal(FakeWebSocket.all.length, 2);
  document.hidden = true;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(FakeWebSocket.all.length, 2);
  document.hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(FakeWebSocket.all.length, 3);
});

test("a connection that was closed for good hears nothing of the network any more", (t) => {
  const before = startHealthy(t);
  const removed = [];
  const { removeEventListener } = EventTarget.prototype;
  t.mock.method(EventTarget.prototype, "removeEventListener", function (name, ...rest) {
    removed.push(name);
    removeEventListener.call(this, name, ...rest);
  });
  before.socket.close();
  assert.deepEqual(removed.sort(), ["keydown", "offline", "online", "pointerdown", "visibilitychange"]);
});

test("after a change of the network the server must answer a probe within five seconds", (t) => {
  const { time, events, page } = startHealthy(t);
  page.dispatchEvent(new Event("offline"));
  assert.deepEqual(FakeWebSocket.last.sent, [{ type: "probe" }]);
  time.advance(4999);
  assert.deepEqual(losses(events), []);
  time.advance(1);
  assert.deepEqual(losses(events), [250]);
});

/** A connection that is so quiet that the next beat is due in 16 seconds. */
function startQuiet(t) {
  const started = startHealthy(t);
  FakeWebSocket.last.receive({ type: "beat", now: 1, interval: 16 });
  FakeWebSocket.last.sent.length = 0;
  return started;
}

test("a quiet connection is lost when its next beat is six seconds late", (t) => {
  const { time, events } = startQuiet(t);
  time.advance(21_999);
  assert.deepEqual(losses(events), []);
  time.advance(1);
  assert.deepEqual(losses(events), [250]);
});

test("anyone who comes back to a quiet page learns within five seconds that its connection is dead", async (t) => {
  for (const name of ["visibilitychange", "pointerdown", "keydown"]) {
    await t.test(name, (t) => {
      const { time, events, document } = startQuiet(t);
      document.dispatchEvent(new Event(name));
      document.dispatchEvent(new Event(name));
      assert.deepEqual(FakeWebSocket.last.sent, [{ type: "probe" }]);
      time.advance(5000);
      assert.deepEqual(losses(events), [250]);
    });
  }
});

test("an answered probe leaves the connection open, and a page in use needs none", (t) => {
  const { time, events, document } = startQuiet(t);
  document.dispatchEvent(new Event("pointerdown"));
  FakeWebSocket.last.receive({ type: "beat", now: 2, interval: 4 });
  time.advance(9999);
  assert.deepEqual(losses(events), []);
  document.dispatchEvent(new Event("pointerdown"));
  assert.deepEqual(FakeWebSocket.last.sent, [{ type: "probe" }, { type: "beat", now: 2 }]);
});

test("after a message to a quiet connection the next beat must come as soon as on one in use", (t) => {
  const { time, socket, events } = startQuiet(t);
  socket.send({ type: "cancel-solve" });
  time.advance(9999);
  assert.deepEqual(losses(events), []);
  time.advance(1);
  assert.deepEqual(losses(events), [250]);
});
