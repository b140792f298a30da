// Waiting for any opponent: what the page asks, where it goes, and when it offers the computer.

import assert from "node:assert/strict";
import test from "node:test";
import { looksForOpponent, PairingWait } from "../../src/fourcorners/web/static/pairing_wait.js";
import { FakeStorage, replace } from "./fakes.js";

const FREE = { taken: false, mine: false, kept: false };
const OWN = { taken: true, mine: true, kept: false };
const WAITING = {
  settings: { pairing: "slow", rated: true },
  host: true,
  may: ["add-computer"],
  chairs: [OWN, FREE],
  game: { id: "sqez" },
};

/** Begin to wait at table t1; the server answers with `tables`, then always with `table`. "" is no answer. */
function wait(t, table, state = WAITING, tables = []) {
  const asked = [];
  const hashes = [];
  const wishes = [];
  const visited = [];
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  replace(t, globalThis, {
    fetch: (address, { body }) => {
      asked.push(address);
      hashes.push(body.get("hash"));
      wishes.push([body.get("speed"), body.get("rated")]);
      const found = tables.shift() ?? table;
      return found ? Promise.resolve({ json: () => Promise.resolve({ table: found }) }) : Promise.reject(new Error());
    },
    location: { pathname: "/play/t1", assign: (address) => visited.push(address) },
  });
  const pairing = new PairingWait();
  pairing.update(state);
  return { pairing, asked, hashes, wishes, visited };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a waiting page asks every ten seconds, and goes where someone else waits", async (t) => {
  const { asked, wishes, visited } = wait(t, "t2");
  t.mock.timers.tick(9_000);
  assert.deepEqual(asked, []);
  t.mock.timers.tick(1_500);
  await settle();
  assert.deepEqual(asked, ["/lobby/pair/sqez"]);
  assert.deepEqual(wishes, [["slow", "true"]]);
  assert.deepEqual(visited, ["/play/t2"]);
});

test("the time waited goes on where the page was loaded again", (t) => {
  const { pairing } = wait(t, "t1");
  assert.equal(pairing.waited.value, 0);
  t.mock.timers.tick(3_000);
  assert.equal(pairing.waited.value, 3);
  const again = new PairingWait(40);
  again.update(WAITING);
  t.mock.timers.tick(2_000);
  assert.equal(again.waited.value, 42);
});

test("the computer is offered after twenty seconds", (t) => {
  const { pairing } = wait(t, "t1");
  t.mock.timers.tick(19_000);
  assert.equal(pairing.hasWaited.value, false);
  t.mock.timers.tick(2_000);
  assert.equal(pairing.hasWaited.value, true);
});

test("a waiting page stays at its own table", async (t) => {
  const { visited } = wait(t, "t1");
  t.mock.timers.tick(10_500);
  await settle();
  assert.deepEqual(visited, []);
});

test("a page whose game has started asks no more and goes nowhere", async (t) => {
  const { pairing, asked, visited } = wait(t, "t2");
  t.mock.timers.tick(10_500);
  pairing.update(null);
  await settle();
  t.mock.timers.tick(60_000);
  assert.equal(asked.length, 1);
  assert.deepEqual(visited, []);
});

test("a value for the shuffle is offered again only while no game can have got it", async (t) => {
  replace(t, globalThis, { localStorage: new FakeStorage() });
  const { hashes } = wait(t, "t1", { ...WAITING, chairs: [OWN, OWN], shuffle: true }, ["t1", "t1", "", "t2"]);
  for (let count = 1; count <= 5; count++) {
    t.mock.timers.tick(10_000);
    while (hashes.length < count) await settle();
    await settle();
  }
  for (const own of hashes) assert.match(own, /^[0-9a-f]{64}$/);
  assert.deepEqual(
    hashes.map((own) => hashes.indexOf(own)),
    [0, 0, 0, 3, 4],
  );
});

for (const [who, change] of Object.entries({
  "a visitor": { host: false },
  "another table's host": { settings: {} },
})) {
  test(`${who} does not look for opponents`, (t) => {
    const { pairing, asked } = wait(t, "t2", { ...WAITING, ...change });
    t.mock.timers.tick(60_000);
    assert.equal(looksForOpponent({ ...WAITING, ...change }), false);
    assert.equal(pairing.hasWaited.value, false);
    assert.deepEqual(asked, []);
  });
}
