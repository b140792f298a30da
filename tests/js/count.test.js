import assert from "node:assert/strict";
import test from "node:test";
import { Count, describeCount, describeErrors, listPartiesToCount } from "../../src/fourcorners/web/static/count.js";
import { compareMarks, sumMarks } from "../../src/fourcorners/web/static/count_board.js";
import { FakeElement, replace } from "./fakes.js";

const AREAS = [
  { name: "box a1", box: [0, 0, 60, 60], points: 3, seat: 0 },
  { name: "box b1", box: [60, 0, 60, 60], points: 4, seat: 0 },
  { name: "box c1", box: [120, 0, 60, 60], points: 5, seat: 1 },
];

/** A finished game of Ada against a computer at which points were hidden. */
function makeState(changes = {}) {
  return {
    over: true,
    count: true,
    seats: [0],
    names: ["Ada", "Computer 3"],
    sentence_names: ["Ada", "Computer (level 3)"],
    kinds: ["person", "computer:3"],
    game: { teams: [[0], [1]], seat_names: ["Black", "White"] },
    scores: [7, 5],
    outcome: { winners: [0] },
    revealed: true,
    areas: [],
    ...changes,
  };
}

/** Install elements and a storage, and return a count with what it has shown as done. */
function makeCount(t) {
  const scene = new FakeElement();
  const stored = new Map();
  replace(t, globalThis, {
    localStorage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) },
    addEventListener() {},
    document: new EventTarget(),
  });
  t.mock.method(performance, "getEntriesByType", () => [{ type: "navigate" }]);
  const done = [];
  const picture = { board: null, isPast: false };
  const onDone = (state) => done.push(state);
  const count = new Count({ table: "t1", picture, scene, announce() {}, onTally() {}, onDone });
  return { scene, stored, done, count };
}

test("a count is confirmed or corrected", () => {
  assert.equal(describeCount(["you"], 7, 7), "Right: you have 7.");
  assert.equal(describeCount(["Ben"], 7, 7), "Right: Ben has 7.");
  assert.equal(describeCount(["Ben"], 6, 9), "Ben has 9, not 6.");
  assert.equal(describeCount(["you"], 9, 8), "You have 8, not 9.");
  assert.equal(describeCount(["you", "ada"], 9, 8), "You and ada have 8, not 9.");
  assert.equal(describeCount(["ada", "Ben"], 9, 8), "ada and Ben have 8, not 9.");
  assert.equal(describeCount(["ada", "Ben"], 8, 8), "Right: ada and Ben have 8.");
});

test("tapped areas are added up for the player they are marked for", () => {
  const marks = { "box a1": 0, "box c1": 0, "box b1": 1 };
  assert.equal(sumMarks(AREAS, marks, 0), 8);
  assert.equal(sumMarks(AREAS, marks, 1), 4);
  assert.equal(sumMarks(AREAS, {}, 0), 0);
});

test("missed and wrongly counted areas are told apart, and few of them are named", () => {
  const { missed, wrong } = compareMarks(AREAS, { "box a1": 0, "box c1": 0 }, 0);
  assert.equal(describeErrors(missed, wrong), "Missed: box b1. Counted wrongly: box c1.");
  const right = compareMarks(AREAS, { "box a1": 0, "box b1": 0, "box c1": 1 }, 0);
  assert.equal(describeErrors(right.missed, right.wrong), "");
  const many = Array.from({ length: 9 }, (_, index) => ({ ...AREAS[0], name: `n${index}` }));
  assert.equal(describeErrors(many, []), "Missed: n0, n1, n2, n3, n4, n5 and 3 more.");
});

test("an area that is worth nothing is never missed", () => {
  const worthless = [{ ...AREAS[0], points: 0 }];
  assert.deepEqual(compareMarks(worthless, {}, 0), { missed: [], wrong: [] });
});

test("what was tapped before the page was loaded again is counted, and shown for no one else", (t) => {
  const { stored } = makeCount(t);
  stored.set("count t1 marks", '{"box a1":0}');
  const count = new Count({ table: "t1", picture: { board: null, isPast: false }, announce() {}, onTally() {} });
  const state = makeState({ areas: AREAS, kinds: ["person", "person"] });
  assert.deepEqual(count.mask(state).tallies, [3, null]);
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
  const { scene, stored, done, count } = makeCount(t);
  const masked = count.mask(makeState());
  assert.deepEqual([masked.scores, masked.outcome, masked.revealed], [[], null, false]);
  assert.deepEqual(masked.tallies, [null, null]);
  count.update(masked);
  assert.deepEqual(count.due.value, makeState());
  assert.equal(count.answer.value, "");
  assert.equal(scene.classList.contains("uncounted"), true);
  count.finish({});
  assert.deepEqual(done, [makeState()]);
  assert.equal(stored.get("count t1"), "{}");
  assert.deepEqual(count.mask(makeState()), makeState());
  count.update(makeState());
  assert.equal(count.due.value, null);
  assert.equal(count.answer.value, "");
  assert.equal(scene.classList.contains("uncounted"), false);
});

test("what is typed is stored and compared", (t) => {
  const { stored, done, count } = makeCount(t);
  count.update(count.mask(makeState()));
  count.type(0, "6");
  count.type(1, "5");
  count.check();
  assert.equal(stored.get("count t1"), '{"0":6,"1":5}');
  count.update(done[0]);
  assert.equal(count.answer.value, "You have 7, not 6. Right: Computer (level 3) has 5.");
});

test("an empty field counts as 0", (t) => {
  const { stored, count } = makeCount(t);
  count.update(count.mask(makeState()));
  count.type(0, "7");
  count.check();
  assert.equal(stored.get("count t1"), '{"0":7,"1":0}');
});

test("what was counted is compared with the points, also after the page was loaded again", (t) => {
  const { stored, count } = makeCount(t);
  stored.set("count t1", '{"0":7,"1":4}');
  assert.deepEqual(count.mask(makeState()), makeState());
  count.update(makeState());
  assert.equal(count.answer.value, "Right: you have 7. Computer (level 3) has 5, not 4.");
});

test("spectators, and tables that show points, see everything at once", (t) => {
  const { count } = makeCount(t);
  for (const changes of [{ seats: [] }, { count: false }]) {
    const state = makeState(changes);
    assert.equal(count.mask(state), state);
  }
});
