import assert from "node:assert/strict";
import test from "node:test";
import { TableClient } from "../../src/fourcorners/web/static/table_client.js";
import { FakeTime, FakeWebSocket, installWindow } from "./fakes.js";

/** A client whose socket is open and which has said hello. */
function start(t) {
  const time = new FakeTime(t);
  installWindow(t);
  return { time, client: connect() };
}

function connect() {
  const client = new TableClient("t1");
  client.connect();
  FakeWebSocket.last.open();
  return client;
}

/** The same, after the server has sent version 3 of the table. */
function startShown(t) {
  const started = start(t);
  FakeWebSocket.last.receive({ type: "state", version: 3 });
  FakeWebSocket.last.sent.length = 0;
  return started;
}

/** Lose the connection, and open the next one. */
function reconnect(time) {
  FakeWebSocket.last.end();
  time.advance(400);
  FakeWebSocket.last.open();
}

const sentTypes = () => FakeWebSocket.last.sent.map(({ type }) => type);

test("the client says hello with the version and the view that it has", (t) => {
  const { time, client } = start(t);
  assert.equal(FakeWebSocket.last.address, "wss://example.org/play/t1/live");
  assert.deepEqual(FakeWebSocket.last.sent, [{ type: "hello", version: null }]);
  FakeWebSocket.last.receive({ type: "state", version: 3 });
  client.viewer = 1;
  reconnect(time);
  assert.deepEqual(FakeWebSocket.last.sent, [{ type: "hello", version: 3, viewer: 1 }]);
});

test("a patch for another version is not shown; the whole table is asked for", (t) => {
  const { client } = startShown(t);
  const patches = [];
  client.on("patch", ({ version }) => patches.push(version));
  FakeWebSocket.last.receive({ type: "patch", from: 3, version: 4 });
  FakeWebSocket.last.receive({ type: "patch", from: 5, version: 6 });
  assert.deepEqual(patches, [4]);
  assert.equal(client.version, 4);
  assert.deepEqual(FakeWebSocket.last.sent, [{ type: "hello", version: null }]);
});

test("a command is sent again with its id and version until it is answered", async (t) => {
  const { time, client } = startShown(t);
  const answer = client.sendMove("a1");
  const [sent] = FakeWebSocket.last.sent;
  assert.deepEqual({ ...sent, id: "" }, { type: "move", id: "", version: 3, move: "a1" });
  assert.deepEqual(client.unansweredMoves, ["a1"]);
  reconnect(time);
  assert.deepEqual(sentTypes(), ["hello"]);
  FakeWebSocket.last.receive({ type: "state", version: 3 });
  assert.deepEqual(FakeWebSocket.last.sent[1], sent);
  FakeWebSocket.last.receive({ type: "refused", id: sent.id, code: "taken", sentence: "a1 is taken" });
  assert.equal((await answer).type, "refused");
  assert.deepEqual(client.unansweredMoves, []);
  reconnect(time);
  FakeWebSocket.last.receive({ type: "state", version: 3 });
  assert.deepEqual(sentTypes(), ["hello"]);
});

test("a command given without a connection is sent when there is one", (t) => {
  const { client } = start(t);
  client.command("resign", { seat: 0 });
  assert.deepEqual(sentTypes(), ["hello"]);
  FakeWebSocket.last.receive({ type: "state", version: 3 });
  assert.deepEqual(sentTypes(), ["hello", "resign"]);
});

test("a command counts as done once its board is shown", async (t) => {
  const { client } = startShown(t);
  const order = [];
  client.on("patch", () => order.push("board"));
  const answer = client.sendMove("a1").then(() => order.push("done"));
  FakeWebSocket.last.receive({ type: "done", id: FakeWebSocket.last.sent[0].id, version: 4 });
  await Promise.resolve();
  assert.deepEqual(order, []);
  FakeWebSocket.last.receive({ type: "patch", from: 3, version: 4 });
  await answer;
  assert.deepEqual(order, ["board", "done"]);
});

test("a command that cannot be read is refused", async (t) => {
  const { client } = startShown(t);
  const answer = client.command("sit", { seat: 99 });
  FakeWebSocket.last.receive({ type: "error", id: FakeWebSocket.last.sent[0].id, sentence: "there is no such seat" });
  assert.equal((await answer).sentence, "there is no such seat");
});

test("a move without an answer outlives the page", async (t) => {
  const { client } = startShown(t);
  client.sendMove("a1");
  const [sent] = FakeWebSocket.last.sent;
  const next = connect();
  assert.equal(next.recovered.move, "a1");
  FakeWebSocket.last.receive({ type: "state", version: 3 });
  assert.deepEqual(FakeWebSocket.last.sent[1], sent);
  FakeWebSocket.last.receive({ type: "stale", id: sent.id });
  assert.equal((await next.recovered.answer).type, "stale");
  assert.equal(connect().recovered, null);
});

test("the same question is asked once, and all who asked get the answer", async (t) => {
  const { client } = startShown(t);
  const answers = Promise.all([
    client.ask("look", { ply: 1 }),
    client.ask("look", { ply: 1 }),
    client.ask("look", { ply: 2 }),
  ]);
  assert.deepEqual(
    FakeWebSocket.last.sent.map(({ ply }) => ply),
    [1, 2],
  );
  FakeWebSocket.last.receive({ type: "look", ply: 2 });
  FakeWebSocket.last.receive({ type: "look", ply: 1 });
  assert.deepEqual(
    (await answers).map(({ ply }) => ply),
    [1, 1, 2],
  );
});

test("a question has no answer without a connection, or when it is lost", async (t) => {
  const { client } = startShown(t);
  const answer = client.ask("why", { text: "a1" });
  FakeWebSocket.last.end();
  assert.equal(await answer, null);
  assert.equal(await client.ask("why", { text: "a1" }), null);
  assert.equal(client.post("say", { phrase: 0 }), false);
});

test("messages that answer nothing are events", (t) => {
  const { client } = startShown(t);
  const heard = [];
  client.on("presence", ({ watching }) => heard.push(watching));
  FakeWebSocket.last.receive({ type: "presence", chairs: [true], watching: 2 });
  assert.deepEqual(heard, [2]);
});
