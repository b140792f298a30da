import assert from "node:assert/strict";
import test from "node:test";
import { Emitter } from "../../src/fourcorners/web/static/events.js";
import { describeProgress } from "../../src/fourcorners/web/static/panels.js";
import { watchPreparation } from "../../src/fourcorners/web/static/preparation.js";
import { Readiness } from "../../src/fourcorners/web/static/readiness.js";
import { FakeTime, installElements, replace } from "./fakes.js";

/** Install the buttons and return a client, and a function that reads a button's class, bar and title. */
function start(t) {
  const byId = installElements(t);
  for (const id of ["hint", "evaluate", "solve"]) {
    const properties = new Map();
    Object.assign(byId(id), {
      title: id,
      getAttribute: () => null,
      setAttribute: (name, value) => Object.assign(byId(id), { [name]: value }),
      style: { setProperty: (name, value) => properties.set(name, value) },
      properties,
    });
  }
  const client = new Emitter();
  const readiness = new Readiness(client);
  const read = (id) => [
    byId(id).classList.contains("preparing"),
    byId(id).properties.get("--prepared"),
    byId(id).title,
  ];
  return { client, read, readiness };
}

test("each button shows how far its own feature is, and nothing once that is compiled", (t) => {
  const { client, read } = start(t);
  client.emit("preparing", { features: { levels: 0.1, hint: 0.384, evaluate: 0.5, solve: 1 } });
  assert.deepEqual(read("hint"), [true, "38%", "hint: being prepared, 38%"]);
  assert.deepEqual(read("evaluate"), [true, "50%", "evaluate: being prepared, 50%"]);
  assert.deepEqual(read("solve"), [false, "100%", "solve"]);
});

for (const event of ["ready", "lost"]) {
  test(`no button shows progress after "${event}"`, (t) => {
    const { client, read } = start(t);
    client.emit("preparing", { features: { hint: 0.2 } });
    client.emit(event, null);
    assert.deepEqual(read("hint"), [false, "100%", "hint"]);
  });
}

test("a computer whose level is being compiled says so", () => {
  assert.equal(describeProgress({ share: 0.404, preparing: true }), "preparing its level… 40%");
  assert.equal(describeProgress({ share: 0.404, preparing: false }), "40%");
});

test("those who wait for a feature hear how far it is", (t) => {
  const { client, readiness } = start(t);
  const heard = [];
  readiness.on("change", () => heard.push([readiness.share("hint"), readiness.share("solve")]));
  client.emit("preparing", { features: { hint: 0.4, solve: 1 } });
  client.emit("ready", null);
  assert.deepEqual(heard, [
    [0.4, 1],
    [1, 1],
  ]);
});

test("the server is asked for its progress only while something waits for it", async (t) => {
  const time = new FakeTime(t);
  const answers = [{ features: { hint: 0.2 } }, { features: { hint: 0.9 } }, { features: {} }];
  const asked = [];
  replace(t, globalThis, {
    fetch: (address) => {
      asked.push(address);
      return Promise.resolve({ json: () => Promise.resolve(answers.shift()) });
    },
  });
  const tick = async () => {
    time.advance(700);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const shares = [];
  const stopAtOnce = watchPreparation("sqez", "hint", () => assert.fail("no one waits"));
  stopAtOnce();
  const stop = watchPreparation("sqez", "hint", (share) => shares.push(share));
  for (let count = 0; count < 5; count++) await tick();
  assert.deepEqual(shares, [0.2, 0.9, 1]);
  assert.deepEqual(asked, Array(3).fill("/healthz?game=sqez"));
  stop();
});
