// Waiting for any opponent: what the page asks, where it goes, and when it offers the computer.

import assert from "node:assert/strict";
import test from "node:test";
import { PairingWait } from "../../src/fourcorners/web/static/pairing_wait.js";
import { installElements, replace } from "./fakes.js";

const FREE = { taken: false, mine: false, kept: false };
const OWN = { taken: true, mine: true, kept: false };
const WAITING = {
  settings: { pairing: true },
  host: true,
  may: ["computer"],
  chairs: [OWN, FREE],
  game: { id: "sqez" },
};

/** Begin to wait at table t1; the server answers every question with `table`. */
function wait(t, table, state = WAITING) {
  const asked = [];
  const visited = [];
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  installElements(t);
  replace(t, globalThis, {
    fetch: (address) => {
      asked.push(address);
      return Promise.resolve({ json: () => Promise.resolve({ table }) });
    },
    location: { pathname: "/play/t1", assign: (address) => visited.push(address) },
  });
  const pairing = new PairingWait(() => {});
  pairing.update(state);
  return { pairing, asked, visited };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a waiting page asks every ten seconds, and goes where somebody else waits", async (t) => {
  const { asked, visited } = wait(t, "t2");
  t.mock.timers.tick(9_000);
  assert.deepEqual(asked, []);
  t.mock.timers.tick(1_500);
  await settle();
  assert.deepEqual(asked, ["/lobby/pair/sqez"]);
  assert.deepEqual(visited, ["/play/t2"]);
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
  pairing.stop();
  await settle();
  t.mock.timers.tick(60_000);
  assert.equal(asked.length, 1);
  assert.deepEqual(visited, []);
});

for (const [who, change] of Object.entries({
  "a visitor": { host: false },
  "another table's host": { settings: {} },
})) {
  test(`${who} does not look for opponents`, (t) => {
    const { pairing, asked } = wait(t, "t2", { ...WAITING, ...change });
    t.mock.timers.tick(60_000);
    assert.equal(pairing.isLooking, false);
    assert.deepEqual(asked, []);
  });
}
