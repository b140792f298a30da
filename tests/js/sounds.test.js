import assert from "node:assert/strict";
import test from "node:test";
import { chooseSound, Sounds } from "../../src/fourcorners/web/static/sounds.js";
import { FakeStorage, installElements, replace } from "./fakes.js";

const STATE = {
  version: 4,
  ply: 2,
  started: true,
  over: false,
  mine: false,
  study: false,
  seats: [0],
  scores: [0, 0],
  may: [],
};

test("a move is heard, and a better sound for one's own turn", () => {
  assert.equal(chooseSound(STATE, { ...STATE, version: 5, ply: 3 }), "move");
  assert.equal(chooseSound(STATE, { ...STATE, version: 5, ply: 3, mine: true }), "turn");
});

test("a capture is heard if points were won by anyone", () => {
  assert.equal(chooseSound(STATE, { ...STATE, version: 5, ply: 3, scores: [0, 1] }), "capture");
  assert.equal(chooseSound(STATE, { ...STATE, version: 5, ply: 3, scores: [2, 0], mine: true }), "capture");
});

test("hidden points make no capture, so the sound tells nothing", () => {
  const hidden = { ...STATE, scores: [] };
  assert.equal(chooseSound(hidden, { ...hidden, version: 5, ply: 3 }), "move");
});

test("a player hears once that someone else asks for a rematch", () => {
  const over = { ...STATE, over: true };
  const asked = { ...over, version: 6, may: ["rematch", "decline-rematch"] };
  assert.equal(chooseSound(over, asked), "turn");
  assert.equal(chooseSound(asked, { ...asked, version: 7 }), null);
  assert.equal(chooseSound(over, { ...over, version: 6, may: ["decline-rematch"] }), null);
});

test("the start is heard by players and the end once by everyone", () => {
  const waiting = { ...STATE, started: false, ply: 0 };
  assert.equal(chooseSound(waiting, { ...STATE, version: 5, ply: 0 }), "turn");
  assert.equal(chooseSound(waiting, { ...STATE, version: 5, ply: 0, seats: [] }), null);
  const over = { ...STATE, version: 5, ply: 3, over: true, scores: [1, 0] };
  assert.equal(chooseSound(STATE, over), "end");
  assert.equal(chooseSound(over, { ...over, version: 6 }), null);
});

test("nothing is heard of the first state, the same version, an undo or a record", () => {
  const next = { ...STATE, version: 5, ply: 3 };
  assert.equal(chooseSound(null, next), null);
  assert.equal(chooseSound(STATE, { ...next, version: 4 }), null);
  assert.equal(chooseSound(STATE, { ...next, ply: 1 }), null);
  assert.equal(chooseSound(STATE, { ...next, study: true }), null);
});

/** An audio context that counts the tones that were started. */
class FakeAudio {
  static started = 0;
  currentTime = 0;
  state = "running";
  resume() {}
  createGain() {
    const gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
    return { gain, connect() {} };
  }
  createOscillator() {
    const start = () => {
      FakeAudio.started += 1;
    };
    return { frequency: {}, connect: (node) => node, start, stop() {} };
  }
}

/** Install a page with sounds turned on, and an audio context of some class. */
function installSounds(t, Audio) {
  installElements(t);
  const localStorage = new FakeStorage();
  localStorage.setItem("sound", "yes");
  const page = new EventTarget();
  replace(t, globalThis, { localStorage, window: { AudioContext: Audio }, AudioContext: Audio });
  replace(t, globalThis, {
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
    HTMLInputElement: class {},
  });
  FakeAudio.started = 0;
  const sounds = new Sounds();
  sounds.update(STATE);
  return { page, sounds };
}

test("what happened before someone touched the page is not heard, neither then nor later", (t) => {
  const { page, sounds } = installSounds(t, FakeAudio);
  sounds.update({ ...STATE, version: 5, ply: 3 });
  page.dispatchEvent(new Event("keydown"));
  assert.equal(FakeAudio.started, 0);
  sounds.update({ ...STATE, version: 6, ply: 4 });
  assert.equal(FakeAudio.started, 2);
});

test("sounds that the browser has held back are not heard all at once", async (t) => {
  const waiting = [];
  class HeldAudio extends FakeAudio {
    state = "suspended";
    resume() {
      return new Promise((resolve) => waiting.push(resolve));
    }
  }
  const { page, sounds } = installSounds(t, HeldAudio);
  let now = 0;
  t.mock.method(performance, "now", () => now);
  page.dispatchEvent(new Event("pointerup"));
  for (const ply of [3, 4, 5]) sounds.update({ ...STATE, version: ply + 2, ply });
  now = 60_000;
  sounds.update({ ...STATE, version: 8, ply: 6 });
  for (const resolve of waiting) resolve();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(FakeAudio.started, 2);
});

test("sounds are off until the switch is turned on, which is remembered", (t) => {
  const byId = installElements(t);
  const storage = new FakeStorage();
  replace(t, globalThis, { localStorage: storage, window: { AudioContext: FakeAudio }, AudioContext: FakeAudio });
  replace(t, globalThis, { addEventListener() {}, removeEventListener() {}, HTMLInputElement: class {} });
  FakeAudio.started = 0;
  const sounds = new Sounds();
  assert.equal(byId("sound").checked, false);
  sounds.update(STATE);
  sounds.update({ ...STATE, version: 5, ply: 3 });
  assert.equal(FakeAudio.started, 0);
  byId("sound").checked = true;
  byId("sound").dispatchEvent(new Event("change"));
  const tried = FakeAudio.started;
  assert.ok(tried > 0);
  sounds.update({ ...STATE, version: 6, ply: 4 });
  assert.ok(FakeAudio.started > tried);
  assert.equal(storage.getItem("sound"), "yes");
});
