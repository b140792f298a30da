// Shortcuts of a single key, which can be turned off.

import assert from "node:assert/strict";
import test from "node:test";
import { Keyboard } from "../../src/fourcorners/web/static/keyboard.js";
import { connectSingleKeys } from "../../src/fourcorners/web/static/shortcuts.js";
import { FakeStorage, installElements, replace } from "./fakes.js";

/** Open a page with a board on which a piece is carried, and `buttons`; return how to press a key, and what was done. */
function openPage(t, localStorage, buttons = []) {
  const done = [];
  const listeners = [];
  installElements(t);
  replace(t, globalThis, { localStorage, Element: class {}, HTMLInputElement: class {} });
  Object.assign(document, {
    querySelectorAll: () => buttons,
    addEventListener: (_kind, listener) => listeners.push(listener),
  });
  const input = {
    isActive: true,
    rotations: [0, 1],
    cancel: () => done.push("cancel"),
    rotate: () => done.push("rotate"),
    play: () => done.push("play"),
  };
  new Keyboard({
    input,
    scene: { addEventListener: () => {} },
    onHint: () => done.push("hint"),
    onRules: () => done.push("rules"),
  });
  const press = (key, more = {}) => {
    for (const listener of listeners) listener({ key, preventDefault: () => {}, target: null, ...more });
  };
  return { press, done, input };
}

const KEYS = ["r", "h", "?", "Escape"];

test("single keys rotate, give a hint and open the rules", (t) => {
  const { press, done } = openPage(t, new FakeStorage());
  KEYS.forEach(press);
  assert.deepEqual(done, ["rotate", "hint", "rules", "cancel"]);
});

test("Enter confirms a move that waits for it, unless it has chosen something, and never twice", (t) => {
  const { press, done, input } = openPage(t, new FakeStorage());
  press("Enter");
  input.awaitsConfirmation = true;
  press("Enter", { defaultPrevented: true });
  press("Enter", { repeat: true });
  assert.deepEqual(done, []);
  press("Enter");
  assert.deepEqual(done, ["play"]);
});

for (const [storage, isForbidden] of [
  ["kept", false],
  ["forbidden", true],
]) {
  test(`the switch turns off all single characters and leaves Escape (storage is ${storage})`, (t) => {
    const kept = new FakeStorage({ isForbidden });
    const { press, done } = openPage(t, kept);
    connectSingleKeys({ value: true });
    const input = document.getElementById("single-keys");
    assert.equal(input.checked, true);
    input.checked = false;
    input.dispatchEvent(new Event("change"));
    KEYS.forEach(press);
    assert.deepEqual(done, ["cancel"]);
    input.checked = true;
    input.dispatchEvent(new Event("change"));
    press("h");
    assert.deepEqual(done, ["cancel", "hint"]);
  });
}

test("tooltips and assistive technology name single keys only while these work", (t) => {
  const attributes = new Map([
    ["title", "Hint"],
    ["aria-keyshortcuts", "h"],
  ]);
  const button = {
    getAttribute: (name) => attributes.get(name) ?? null,
    setAttribute: (name, value) => attributes.set(name, value),
    removeAttribute: (name) => attributes.delete(name),
  };
  openPage(t, new FakeStorage(), [button]);
  connectSingleKeys({ value: true });
  const input = document.getElementById("single-keys");
  const turn = (isOn) => {
    input.checked = isOn;
    input.dispatchEvent(new Event("change"));
    return Object.fromEntries(attributes);
  };
  assert.deepEqual(turn(false), { title: "Hint" });
  assert.deepEqual(turn(true), { title: "Hint (H)", "aria-keyshortcuts": "h" });
});
