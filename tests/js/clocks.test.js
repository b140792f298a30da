import assert from "node:assert/strict";
import test from "node:test";
import {
  Clocks,
  clockTimes,
  formatTime,
  ServerTime,
  secondsUntilChange,
  startsIn,
  timeLeft,
} from "../../src/fourcorners/web/static/clocks.js";
import { Emitter } from "../../src/fourcorners/web/static/events.js";
import { FakeTime, installElements } from "./fakes.js";

const CLOCK = { kind: "game", left: [90, 300], running: 0, since: 1000, increment: 0, days: 0 };

test("times are written as short as they can be read", () => {
  const written = [0, 9.34, 19.99, 20, 243, 3600, 3723, 86_399, 90_000, 190_800].map(formatTime);
  assert.deepEqual(written, [
    "0:00.0",
    "0:09.3",
    "0:19.9",
    "0:20",
    "4:03",
    "1:00:00",
    "1:02:03",
    "23:59:59",
    "1 d 1 h",
    "2 d 5 h",
  ]);
});

test("only the running clock counts down, and never below zero", () => {
  assert.equal(timeLeft(CLOCK, 0, 1030), 60);
  assert.equal(timeLeft(CLOCK, 1, 1030), 300);
  assert.equal(timeLeft(CLOCK, 0, 2000), 0);
  assert.equal(timeLeft(CLOCK, 0, 990), 90);
});

test("the timer wakes just after the text has changed", () => {
  for (const left of [9.34, 19.97, 20.04, 243.7, 3600.2, 90_000.5]) {
    const wait = secondsUntilChange(left);
    assert.notEqual(formatTime(left - wait), formatTime(left), `${left}`);
    assert.equal(formatTime(left - Math.max(0, wait - 0.02)), formatTime(left), `${left}`);
  }
});

test("the server's time follows the beat that travelled fastest", () => {
  let now = 10;
  const time = new ServerTime(() => now);
  time.addBeat(1000); // offset 990
  now = 20;
  time.addBeat(1009); // offset 989: this beat was a second late
  assert.equal(time.now, 1010);
  now = 25;
  assert.equal(time.now, 1015);
});

test("old beats are forgotten, and all of them with the first beat after a loss", () => {
  let now = 0;
  const time = new ServerTime(() => now);
  time.addBeat(1005);
  for (now = 1; now <= 8; now++) time.addBeat(1000 + now);
  now = 9;
  assert.equal(time.now, 1009);
  time.cut();
  now = 19;
  assert.equal(time.now, 1019);
  // The computer has slept for a minute, in which the local time stood still.
  time.addBeat(1080);
  assert.equal(time.now, 1080);
  now = 20;
  time.addBeat(1080.5);
  assert.equal(time.now, 1081);
});

test("before the first beat the time is unknown", () => {
  assert.equal(new ServerTime(() => 5).now, null);
});

/** Clocks of a game at the server's time 1000, of which this browser plays seat 0. */
function startClocks(t, clock, seats = [0]) {
  const time = new FakeTime(t);
  installElements(t, Object.assign(new EventTarget(), { hidden: false }));
  clockTimes.value = null;
  const client = new Emitter();
  const spoken = [];
  const clocks = new Clocks(client, (sentence) => spoken.push(sentence));
  client.emit("beat", { now: 1000 });
  clocks.update({ clock, seats, over: false });
  const shown = () => clockTimes.value;
  return { time, shown, client, clocks, said: () => spoken.at(-1) ?? "", spoken };
}

test("the running clock is shown and counted down", (t) => {
  const { time, shown, clocks } = startClocks(t, CLOCK);
  assert.deepEqual(
    shown().map(({ text }) => text),
    ["1:30", "5:00"],
  );
  time.advance(31_000);
  assert.deepEqual(
    shown().map(({ text }) => text),
    ["0:59", "5:00"],
  );
  assert.equal(shown()[0].isLow, false);
  time.advance(45_000);
  assert.equal(shown()[0].text, "0:14.0");
  assert.equal(shown()[0].isLow, true);
  clocks.update({ clock: CLOCK, seats: [0], over: true });
  assert.equal(shown()[0].text, "1:30");
});

for (const hours of [-1, 1]) {
  test(`a lost connection leaves the running clock alone on a device whose clock is off by ${hours} h`, (t) => {
    const { time, shown, client } = startClocks(t, CLOCK);
    t.mock.method(Date, "now", () => 1000 * (1000 + 3600 * hours));
    time.advance(10_000);
    assert.equal(shown()[0].text, "1:20");
    client.emit("lost", null);
    document.dispatchEvent(new Event("visibilitychange"));
    assert.equal(shown()[0].text, "1:20");
    time.advance(20_000);
    assert.equal(shown()[0].text, "1:00");
    client.emit("beat", { now: 1035 });
    assert.equal(shown()[0].text, "0:55");
  });
}

test("no time is shown before the server has told its own", (t) => {
  new FakeTime(t);
  installElements(t, Object.assign(new EventTarget(), { hidden: false }));
  clockTimes.value = null;
  const client = new Emitter();
  const clocks = new Clocks(client, () => {});
  clocks.update({ clock: CLOCK, seats: [0], over: false });
  assert.equal(clockTimes.value, null);
  client.emit("beat", { now: 1030 });
  assert.equal(clockTimes.value[0].text, "1:00");
});

test("screen readers are warned a few times of one's own clock", (t) => {
  const { time, said } = startClocks(t, CLOCK);
  assert.equal(said(), "");
  time.advance(31_000);
  assert.equal(said(), "One minute left.");
  time.advance(30_000);
  assert.equal(said(), "30 seconds left.");
  time.advance(20_000);
  assert.equal(said(), "10 seconds left.");
});

test("no one is warned of another clock", (t) => {
  const other = startClocks(t, CLOCK, [1]);
  other.time.advance(80_000);
  assert.equal(other.said(), "");
});

test("a turn that begins with little time says how much, and each warning is given once in a game", (t) => {
  const late = startClocks(t, { ...CLOCK, left: [40, 300] });
  assert.deepEqual(late.spoken, ["40 seconds left."]);
  const update = (left, running) =>
    late.clocks.update({ clock: { ...CLOCK, left: [left, 300], running }, seats: [0], over: false });
  update(40, 1);
  update(45, 0);
  assert.deepEqual(late.spoken, ["40 seconds left."]);
  update(28.5, 0);
  assert.deepEqual(late.spoken, ["40 seconds left.", "29 seconds left."]);
});

test("before the first move a clock stands still, and the page says when it starts", (t) => {
  const { time, shown } = startClocks(t, { ...CLOCK, since: 1002.5 });
  assert.equal(startsIn.value, 3);
  assert.equal(shown()[0].text, "1:30");
  time.advance(1_000);
  assert.equal(startsIn.value, 2);
  time.advance(2_600);
  assert.equal(startsIn.value, null);
  assert.equal(shown()[0].text, "1:28");
});
