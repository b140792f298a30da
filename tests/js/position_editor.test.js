// The position editor: its changes are made one after the other, whenever they are asked for.

import assert from "node:assert/strict";
import test from "node:test";
import { PositionEditor } from "../../src/fourcorners/web/static/position_editor.js";
import { installElements, installWindow, replace } from "./fakes.js";

/** Open an editor on the draft "start"; the server appends each edit to the draft when a test lets it answer. */
async function openEditor(t) {
  const { document } = installWindow(t);
  const byId = installElements(t, document);
  const element = { focus: () => {}, checkVisibility: () => true };
  Object.assign(document, { activeElement: element });
  Object.assign(byId("editor-tools"), { querySelector: () => element });
  Object.assign(byId("analysis"), { dataset: {} });
  Object.assign(byId("setup"), { querySelector: () => undefined });
  t.mock.method(performance, "getEntriesByType", () => [{ type: "navigate" }]);
  const waiting = [];
  const fetch = (_path, { body }) => new Promise((resolve) => waiting.push({ ...JSON.parse(body), resolve }));
  replace(t, globalThis, { fetch, location: {} });
  const said = [];
  const editor = new PositionEditor(
    { game: "sqez", options: {} },
    { show: () => {} },
    (sentence) => said.push(sentence),
    () => {},
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Let the server answer the oldest question. */
  const answer = async () => {
    await settle();
    const { position, edit, tool, resolve } = waiting.shift();
    const draft = [position, edit].filter(Boolean).join(" ");
    resolve({ ok: true, json: async () => ({ draft, tool, tools: [], problem: "", picture: {} }) });
    await settle();
  };
  editor.open("start");
  await answer();
  return { editor, answer, waiting, settle, said };
}

test("a change that is asked for while another one is under way follows it", async (t) => {
  const { editor, answer } = await openEditor(t);
  editor.play("a");
  editor.play("b");
  await answer();
  await answer();
  assert.equal(editor.shown.value.draft, "start a b");
});

test("each undo takes one change back, even if none has been answered yet", async (t) => {
  const { editor, answer, said } = await openEditor(t);
  editor.play("a");
  editor.play("b");
  editor.undo();
  editor.undo();
  for (let count = 0; count < 4; count++) await answer();
  assert.deepEqual([editor.shown.value.draft, editor.shown.value.canUndo], ["start", false]);
  editor.undo();
  await Promise.resolve();
  assert.equal(said.at(-1), "There is nothing to undo.");
});

test("an undo that the server cannot answer can be repeated", async (t) => {
  const { editor, answer, waiting, settle } = await openEditor(t);
  editor.play("a");
  await answer();
  editor.undo();
  await settle();
  waiting.shift().resolve({ ok: false, json: async () => ({ sentence: "Not now." }) });
  await settle();
  assert.equal(editor.shown.value.draft, "start a");
  editor.undo();
  await answer();
  assert.equal(editor.shown.value.draft, "start");
});

test("an answer that comes after the editor was closed and opened again changes nothing", async (t) => {
  const { editor, answer, settle } = await openEditor(t);
  editor.play("a");
  await settle();
  editor.close();
  editor.open("other");
  await answer();
  assert.equal(editor.shown.value, null);
  await answer();
  assert.deepEqual([editor.shown.value.draft, editor.shown.value.canUndo], ["other", false]);
});

test("an editor that is opened twice stays open", async (t) => {
  const { editor, answer, settle } = await openEditor(t);
  editor.open("one");
  await settle();
  editor.open("two");
  await answer();
  await answer();
  assert.deepEqual([editor.isOpen, editor.shown.value.draft], [true, "two"]);
});

test("a change that is never answered does not keep the editor from opening again", async (t) => {
  const { editor, answer, waiting, settle } = await openEditor(t);
  editor.play("a");
  await settle();
  waiting.pop();
  editor.close();
  editor.open("other");
  await answer();
  assert.equal(editor.shown.value.draft, "other");
});

test("an analysis of the draft begins once the change that is under way is made", async (t) => {
  const { editor, answer, settle } = await openEditor(t);
  editor.play("a");
  const used = editor.use();
  await settle();
  assert.equal(location.href, undefined);
  await answer();
  await used;
  assert.match(location.href, /position=start\+a$/);
});
