import assert from "node:assert/strict";
import test from "node:test";
import { Emitter } from "../../src/fourcorners/web/static/events.js";
import { describeProgress } from "../../src/fourcorners/web/static/panels.js";
import { Readiness } from "../../src/fourcorners/web/static/readiness.js";
import { installElements } from "./fakes.js";

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
  new Readiness(client);
  const read = (id) => [
    byId(id).classList.contains("preparing"),
    byId(id).properties.get("--prepared"),
    byId(id).title,
  ];
  return { client, read };
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
