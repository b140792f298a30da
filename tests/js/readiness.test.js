import assert from "node:assert/strict";
import test from "node:test";
import { Emitter } from "../../src/fourcorners/web/static/events.js";
import { watchPreparation } from "../../src/fourcorners/web/static/preparation.js";
import { describeButton, Readiness } from "../../src/fourcorners/web/static/readiness.js";
import { describeProgress } from "../../src/fourcorners/web/static/seats.js";
import { FakeTime, replace } from "./fakes.js";

test("a feature that is not named can be used", () => {
  const client = new Emitter();
  const readiness = new Readiness(client);
  client.emit("preparing", { features: { levels: 0.1, hint: 0.384, solve: 1 } });
  assert.deepEqual(
    ["hint", "evaluate", "solve"].map((feature) => readiness.share(feature)),
    [0.384, 1, 1],
  );
});

for (const event of ["ready", "lost"]) {
  test(`nothing waits after "${event}"`, () => {
    const client = new Emitter();
    const readiness = new Readiness(client);
    client.emit("preparing", { features: { hint: 0.2 } });
    client.emit(event, null);
    assert.equal(readiness.share("hint"), 1);
  });
}

test("a button's title tells how far its feature is", () => {
  assert.equal(describeButton("Hint", 0.384), "Hint: being prepared, 38%");
  assert.equal(describeButton("Solve", 1), "Solve");
});

test("a computer whose level is being compiled says so", () => {
  assert.equal(describeProgress({ share: 0.404, preparing: true }), "preparing its level… 40%");
  assert.equal(describeProgress({ share: 0.404, preparing: false }), "40%");
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
