// Fair shuffles: the values that a browser gives, and what it finds in the record of a finished game.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import {
  checkShuffle,
  findValue,
  keepValue,
  prepareForms,
  prepareValue,
} from "../../src/fourcorners/web/static/shuffle.js";
import { describeOwnPart, ShuffleValue } from "../../src/fourcorners/web/static/shuffle_panel.js";
import { replace } from "./fakes.js";

const hash = (text) => createHash("sha256").update(text).digest("hex");
const [NONCE, ADA, BEN] = ["1", "a", "b"].map((digit) => digit.repeat(64));
const HASHES = [hash(ADA), hash(BEN)];
const COMMITMENT = hash(`nonce: ${NONCE}\n`);
const GIVEN = { hash: hash(ADA), value: ADA, commitment: COMMITMENT, hashes: HASHES };

/** Write the record of a game with three tiles. */
function writeRecord({ nonce = NONCE, values = `${ADA} ${BEN}`, deck = "", commitment = COMMITMENT } = {}) {
  const seed = hash(`nonce: ${nonce}\nvalues: ${values}\n`);
  const keys = ["A1", "A2", "B1"].map((tile, number) => [hash(`${seed} ${number}`), tile]);
  const dealt = keys.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, tile]) => tile);
  const header = [
    `commitment: ${commitment}`,
    `deck: ${deck || dealt.join(" ")}`,
    `nonce: ${nonce}`,
    `values: ${values}`,
  ];
  return `fourcorners record 1\ngame: pairs\n${header.join("\n")}\n\n1 0 !resign\n`;
}

function installStorage(t) {
  const stored = new Map();
  const localStorage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, text) => stored.set(key, text) };
  replace(t, globalThis, { localStorage });
}

test("a browser remembers the random value behind the hash that it gives", async (t) => {
  installStorage(t);
  const given = [await prepareValue(), await prepareValue()];
  assert.notEqual(given[0], given[1]);
  for (const own of given) assert.equal(hash(findValue(own).value), own);
  assert.equal(findValue(hash("other")), null);
});

test("a browser that cannot hash or remember gives no hash", async (t) => {
  replace(t, globalThis, {
    localStorage: {
      getItem: () => null,
      setItem() {
        throw new Error("full");
      },
    },
  });
  assert.equal(await prepareValue(), "");
  installStorage(t);
  replace(t, globalThis, { crypto: {} });
  assert.equal(await prepareValue(), "");
});

test("a form gives a new value whenever it is sent, and none when it is only read", async (t) => {
  installStorage(t);
  class FakeForm extends EventTarget {
    append(field) {
      this.field = field;
    }

    /** Read the form as browsers do. */
    read() {
      const formData = new Map([["hash", this.field.value]]);
      this.dispatchEvent(Object.assign(new Event("formdata"), { formData }));
      return formData.get("hash");
    }

    /** Send the form, unless a page prevents it. */
    send() {
      return this.dispatchEvent(new Event("submit", { cancelable: true })) ? this.read() : null;
    }
  }
  const form = new FakeForm();
  const digest = async (_, bytes) => createHash("sha256").update(bytes).digest();
  replace(t, globalThis, {
    HTMLFormElement: FakeForm,
    document: { createElement: () => ({}), querySelectorAll: () => [form] },
    crypto: { getRandomValues: crypto.getRandomValues.bind(crypto), subtle: { digest } },
  });
  const prevent = (event) => event.preventDefault();
  form.addEventListener("submit", prevent);
  prepareForms();
  await new Promise(setImmediate);
  assert.equal(form.send(), null);
  const read = form.read();
  assert.equal(findValue(read), null, "what is only read is not given");
  form.removeEventListener("submit", prevent);
  const first = form.send();
  assert.equal(first, read);
  assert.equal(form.send(), "", "no value is drawn yet");
  await new Promise(setImmediate);
  const second = form.send();
  assert.notEqual(first, second);
  for (const own of [first, second]) assert.equal(hash(findValue(own).value), own);
});

test("everything holds of an honest record", async () => {
  const checks = await checkShuffle(writeRecord(), GIVEN, [0]);
  assert.deepEqual(
    checks.map(({ holds }) => holds),
    [true, true, true, true, true],
  );
});

test("a spectator checks the nonce and the order", async () => {
  const checks = await checkShuffle(writeRecord(), null, []);
  assert.deepEqual(
    checks.map(({ holds }) => holds),
    [true, true],
  );
});

test("every change of a record is found", async () => {
  const find = async (record) => {
    const checks = await checkShuffle(record, GIVEN, [0]);
    return checks.filter(({ holds }) => !holds).map(({ sentence }) => sentence);
  };
  const nonce = "2".repeat(64);
  assert.deepEqual(await find(writeRecord({ nonce })), ["The server’s nonce does not match the hash."]);
  assert.deepEqual(await find(writeRecord({ nonce, commitment: hash(`nonce: ${nonce}\n`) })), [
    "This browser saw another hash before it gave its value.",
  ]);
  assert.deepEqual(await find(writeRecord({ values: `- ${BEN}` })), [
    "The shuffle does not include this browser’s value.",
    "Seat 1 announced a value and did not give it.",
  ]);
  assert.deepEqual(await find(writeRecord({ values: `${ADA} ${"c".repeat(64)}` })), [
    "A value was chosen after this browser gave its own.",
  ]);
  for (const deck of ["A1 A2 B1", "B1 A2 A1"]) {
    const isDealt = writeRecord().includes(`deck: ${deck}\n`);
    const found = isDealt ? [] : ["The order of the tiles does not follow from the nonce and the values."];
    assert.deepEqual(await find(writeRecord({ deck })), found);
  }
});

const SHUFFLE = { hashes: [hash(ADA), null], values: [null, null], waiting: true };
const STATE = { commitment: COMMITMENT, nonce: null, seats: [0], started: false, may: ["reveal"], shuffle: SHUFFLE };

test("the value is given once when it is awaited, with what had been fixed by then", (t) => {
  installStorage(t);
  keepValue({ hash: hash(ADA), value: ADA });
  const sent = [];
  const client = { command: (type, body) => sent.push([type, body]) && new Promise(() => {}) };
  const panel = new ShuffleValue(client);
  panel.update({ ...STATE, may: [] });
  assert.deepEqual(sent, []);
  panel.update(STATE);
  panel.update(STATE);
  assert.deepEqual(sent, [["reveal", { value: ADA }]]);
  assert.deepEqual(findValue(hash(ADA)), { ...GIVEN, hashes: SHUFFLE.hashes });
});

test("a value that a server has refused is given again, but not once it has changed what was fixed", async (t) => {
  installStorage(t);
  keepValue({ hash: hash(ADA), value: ADA });
  let count = 0;
  const client = { command: async () => ({ type: "refused", count: ++count }) };
  const panel = new ShuffleValue(client);
  const show = async (state) => {
    panel.update(state);
    await new Promise(setImmediate);
    return count;
  };
  const first = { ...GIVEN, hashes: SHUFFLE.hashes };
  assert.equal(await show(STATE), 1);
  assert.equal(await show(STATE), 2);
  const nonce = "2".repeat(64);
  const commitment = hash(`nonce: ${nonce}\n`);
  for (const changed of [{ commitment }, { shuffle: { ...SHUFFLE, hashes: HASHES } }]) {
    assert.equal(await show({ ...STATE, ...changed }), 2);
    assert.deepEqual(findValue(hash(ADA)), first);
    assert.match(describeOwnPart({ ...STATE, ...changed }, first), /^✗ The server has changed/);
  }
  const checks = await checkShuffle(writeRecord({ nonce, commitment, values: `${ADA} -` }), findValue(hash(ADA)), [0]);
  const wrong = checks.filter(({ holds }) => !holds);
  assert.deepEqual(
    wrong.map(({ sentence }) => sentence),
    ["This browser saw another hash before it gave its value."],
  );
});

test("a value is not given if the browser cannot remember what was fixed", (t) => {
  installStorage(t);
  keepValue({ hash: hash(ADA), value: ADA });
  const command = t.mock.fn(async () => ({ type: "done" }));
  const panel = new ShuffleValue({ command });
  t.mock.method(localStorage, "setItem", () => {
    throw new Error("full");
  });
  panel.update(STATE);
  assert.equal(command.mock.callCount(), 0);
});

test("the page says whether the shuffle includes the value of this browser", (t) => {
  const started = { ...STATE, started: true };
  const given = { hash: hash(ADA), value: ADA, commitment: COMMITMENT, hashes: SHUFFLE.hashes };
  const included = { ...SHUFFLE, values: [ADA, null] };
  assert.match(describeOwnPart({ ...started, shuffle: included }, given), /^✓ The shuffle includes/);
  assert.match(describeOwnPart(started, given), /^✗ .* too late/);
  assert.match(describeOwnPart(STATE, { hash: hash(ADA), value: ADA }), /reveals it when every seat is taken/);
  assert.match(describeOwnPart(started, null), /no value/);
  assert.equal(describeOwnPart({ ...STATE, seats: [] }, null), "");
  replace(t, globalThis, { crypto: {} });
  assert.match(describeOwnPart(started, null), /needs HTTPS/);
});
