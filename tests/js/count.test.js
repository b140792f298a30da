import assert from "node:assert/strict";
import test from "node:test";
import { Count, describeCount, listPartiesToCount } from "../../src/fourcorners/web/static/count.js";
import { FakeElement, installElements, replace } from "./fakes.js";

/** A finished game of Ada against a computer at which points were hidden. */
function makeState(changes = {}) {
  return {
    over: true,
    count: true,
    seats: [0],
    names: ["Ada", "Computer 3"],
    kinds: ["person", "computer:3"],
    game: { teams: [[0], [1]], seat_names: ["Black", "White"] },
    scores: [7, 5],
    outcome: { winners: [0] },
    revealed: true,
    ...changes,
  };
}

/** Install elements and a storage, and return a count with what it has shown as done. */
function makeCount(t) {
  const byId = installElements(t);
  document.createElement = () => Object.assign(new FakeElement(), { setAttribute() {}, append() {} });
  byId("count-fields").replaceChildren = () => {};
  const stored = new Map();
  replace(t, globalThis, {
    localStorage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) },
  });
  const done = [];
  const count = new Count("t1", (state) => done.push(state));
  return { byId, stored, done, count };
}

test("a count is confirmed or corrected", () => {
  assert.equal(describeCount("You", 7, 7), "Right: You have 7.");
  assert.equal(describeCount("Ben", 7, 7), "Right: Ben has 7.");
  assert.equal(describeCount("Ben", 6, 9), "Ben has 9, not 6: 3 more.");
  assert.equal(describeCount("You", 9, 8), "You have 8, not 9: 1 fewer.");
});

test("a browser counts for its own parties and for those of computers only", () => {
  const people = { kinds: ["person", "person", "person", "computer:3"], names: ["A", "B", "C", "D"] };
  const list = (changes) => listPartiesToCount(makeState(changes));
  assert.deepEqual(list({}), [[0], [1]]);
  assert.deepEqual(list({ ...people, game: { teams: [[0], [1], [2], [3]] } }), [[0], [3]]);
  const teams = {
    teams: [
      [0, 2],
      [1, 3],
    ],
  };
  assert.deepEqual(list({ ...people, game: teams }), [[0, 2]]);
  assert.deepEqual(list({ ...people, game: teams, seats: [3] }), [[1, 3]]);
  assert.deepEqual(list({ seats: [] }), []);
  assert.deepEqual(list({ count: false }), []);
});

test("points and result stay hidden until they are counted or asked for", (t) => {
  const { byId, stored, done, count } = makeCount(t);
  const masked = count.mask(makeState());
  assert.deepEqual([masked.scores, masked.outcome, masked.revealed], [[], null, false]);
  count.update(masked);
  assert.equal(byId("count").hidden, false);
  assert.equal(byId("count-answer").hidden, true);
  assert.equal(byId("scene").classList.contains("uncounted"), true);
  byId("count-skip").dispatchEvent(new Event("click"));
  assert.deepEqual(done, [makeState()]);
  assert.equal(stored.get("count t1"), "{}");
  assert.deepEqual(count.mask(makeState()), makeState());
  count.update(makeState());
  assert.equal(byId("count").hidden, true);
  assert.equal(byId("count-answer").hidden, true);
  assert.equal(byId("scene").classList.contains("uncounted"), false);
});

test("what is typed is stored and compared", (t) => {
  const { byId, stored, done, count } = makeCount(t);
  count.update(count.mask(makeState()));
  byId("count-fields").querySelectorAll = () => [
    { dataset: { seat: "0" }, value: "6" },
    { dataset: { seat: "1" }, value: "5" },
  ];
  byId("count").dispatchEvent(new Event("submit"));
  assert.equal(stored.get("count t1"), '{"0":6,"1":5}');
  count.update(done[0]);
  assert.equal(byId("count-answer").textContent, "You have 7, not 6: 1 more. Right: Computer 3 has 5.");
});

test("what was counted is compared with the points, also after the page was loaded again", (t) => {
  const { byId, stored, count } = makeCount(t);
  stored.set("count t1", '{"0":7,"1":4}');
  assert.deepEqual(count.mask(makeState()), makeState());
  count.update(makeState());
  assert.equal(byId("count-answer").hidden, false);
  assert.equal(byId("count-answer").textContent, "Right: You have 7. Computer 3 has 5, not 4: 1 more.");
});

test("spectators, and tables that show points, see everything at once", (t) => {
  const { count } = makeCount(t);
  for (const changes of [{ seats: [] }, { count: false }]) {
    const state = makeState(changes);
    assert.equal(count.mask(state), state);
  }
});
