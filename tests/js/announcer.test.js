// What screen readers are told of a table: opponents' moves in words, the turn, the end, and nothing twice.

import assert from "node:assert/strict";
import test from "node:test";
import { Announcer, describeChange, describeLastMove } from "../../src/fourcorners/web/static/announcer.js";
import { findLevel } from "../../src/fourcorners/web/static/result.js";
import { applyMessage, describeMajority, describeRanks } from "../../src/fourcorners/web/static/table_state.js";
import { FakeElement, installElements } from "./fakes.js";

/** A game of Ada, who sits here, against a computer without a name; Ada is to move after two plies. */
function makeState(changes = {}) {
  return {
    names: ["Ada", "Computer 3"],
    sentence_names: changes.names ?? ["Ada", "Computer (level 3)"],
    kinds: ["person", "computer:3"],
    chairs: [
      { taken: true, mine: true },
      { taken: true, mine: false },
    ],
    game: { seat_names: ["light", "dark"], teams: [[0], [1]], scoring: "points", points: 6, levels: 6, options: {} },
    seats: [0],
    seat: 0,
    mine: true,
    started: true,
    over: false,
    study: false,
    outcome: null,
    scores: [0, 0],
    facts: [],
    out: [],
    may: [],
    ply: 2,
    plies: [
      [0, "a1"],
      [1, "b1"],
    ],
    words: ["drew a1", "drew b1"],
    ...changes,
  };
}

/** Return a state one move later. */
function play(before, seat, move, words, changes = {}) {
  const plies = [...before.plies, [seat, move]];
  return { ...before, ply: plies.length, plies, words: [...before.words, words], mine: true, seat: 0, ...changes };
}

const OWN_TURN = makeState();
const AFTER_OWN_MOVE = play(OWN_TURN, 0, "c4", "drew c4", { mine: false, seat: 1 });
const END = {
  over: true,
  mine: false,
  seat: null,
  outcome: { verdict: "You win 6 : 3", winners: [0], reason: "all is full", termination: "complete" },
};

test("an opponent's move is spoken in words with the computer's level, and then that it is one's turn", () => {
  const after = play(AFTER_OWN_MOVE, 1, "d4", "stacked green on a3 and discarded two tiles");
  assert.deepEqual(describeChange(AFTER_OWN_MOVE, after), [
    "Computer (level 3) stacked green on a3 and discarded two tiles.",
    "Your turn.",
  ]);
});

test("an opponent's last move can be read below the board until the own next one", () => {
  const after = play(AFTER_OWN_MOVE, 1, "d4", "swapped");
  assert.equal(describeLastMove(after), "Computer (level 3) swapped.");
  assert.equal(describeLastMove(AFTER_OWN_MOVE), "");
});

test("an opponent's last move stays below the board until it is taken back", (t) => {
  const byId = installElements(t);
  byId("announcer").append = () => {};
  byId("announcer").children = [];
  document.createElement = () => Object.assign(new FakeElement(), { append() {} });
  const announcer = new Announcer();
  const after = play(AFTER_OWN_MOVE, 1, "d4", "swapped", { version: 4 });
  announcer.update(after);
  announcer.update({ ...after, version: 5 });
  assert.equal(byId("told").textContent, "Computer (level 3) swapped.");
  announcer.update({ ...AFTER_OWN_MOVE, version: 6 });
  assert.equal(byId("told").textContent, "");
});

test("one's own move is not spoken unless it scores; then the points are, one's own first", () => {
  assert.deepEqual(describeChange(OWN_TURN, AFTER_OWN_MOVE), []);
  const after = play(OWN_TURN, 0, "c4", "drew c4 and completed a box", { scores: [1, 0] });
  const told = ["You drew c4 and completed a box.", "Score: you: 1, Computer (level 3): 0.", "Your turn."];
  assert.deepEqual(describeChange(OWN_TURN, after), told);
  const other = { seats: [1], names: ["Ben", "Ada"], kinds: ["person", "person"], seat: 1 };
  assert.deepEqual(
    describeChange(makeState(other), play(makeState(other), 0, "c4", "drew c4", { ...other, scores: [1, 0] })),
    ["Ben drew c4.", "Score: you: 0, Ben: 1.", "Your turn."],
  );
});

test("points are not spoken while they are hidden, nor where they mean nothing", () => {
  const hidden = makeState({ scores: [] });
  assert.deepEqual(describeChange(hidden, play(hidden, 0, "c4", "drew c4", { scores: [] })), ["Your turn."]);
  const game = { ...OWN_TURN.game, scoring: "last-move" };
  const after = play(makeState({ game }), 0, "c4", "drew c4", { scores: [1, 0] });
  assert.deepEqual(describeChange(makeState({ game }), after), ["Your turn."]);
});

test("moves made while the connection was lost are all spoken, those before it are not", () => {
  const after = play(play(AFTER_OWN_MOVE, 1, "d4", "drew d4"), 1, "e4", "drew e4");
  assert.deepEqual(describeChange(AFTER_OWN_MOVE, after), [
    "Computer (level 3) drew d4.",
    "Computer (level 3) drew e4.",
    "Your turn.",
  ]);
});

test("a patch adds its plies to those that are known, and replaces the ones that were taken back", () => {
  const known = applyMessage(null, { type: "state", ...AFTER_OWN_MOVE, miniatures: ["<svg/>"], gains: [0, 1, 2] });
  assert.deepEqual(known.miniatures, ["<svg/>", "", ""]);
  const patch = {
    type: "patch",
    plies_from: 2,
    plies: [[0, "e5"]],
    words: ["drew e5"],
    miniatures: [],
    gains: [3],
    scores: [1, 0],
  };
  const after = applyMessage(known, patch);
  assert.deepEqual(after.plies, play(OWN_TURN, 0, "e5", "").plies);
  assert.deepEqual(after.words, ["drew a1", "drew b1", "drew e5"]);
  assert.deepEqual(after.gains, [0, 1, 3]);
  assert.deepEqual([after.scores, after.names], [[1, 0], AFTER_OWN_MOVE.names]);
});

test("the start, a takeback and another person's turn at the same screen are spoken", () => {
  const waiting = makeState({ started: false, mine: false, seat: null, ply: 0, plies: [] });
  assert.deepEqual(describeChange(waiting, makeState({ ply: 0, plies: [] })), ["The game has started.", "Your turn."]);
  assert.deepEqual(describeChange(makeState({ ply: 4 }), makeState({ ply: 2 })), [
    "Moves were taken back: move 3 is next.",
    "Your turn.",
  ]);
  const two = { seats: [0, 1], kinds: ["person", "person"], names: ["Ada", "Ben"] };
  const after = play(makeState(two), 0, "c4", "drew c4", { seat: 1 });
  assert.deepEqual(describeChange(makeState(two), after), ["Ben to move."]);
});

test("the end is spoken with the points and the reason", () => {
  const after = play(AFTER_OWN_MOVE, 1, "d4", "drew d4", { ...END, scores: [6, 3] });
  assert.deepEqual(describeChange(AFTER_OWN_MOVE, after), [
    "Computer (level 3) drew d4.",
    "You win 6 : 3.",
    "All is full.",
  ]);
});

test("of three players each has points with a name, the most first", () => {
  const describe = (changes) => describeRanks(makeState({ ...END, ...changes }));
  const outcome = { winners: [1], termination: "complete" };
  const names = ["ada", "ben", "cid"];
  const kinds = ["person", "person", "person"];
  const game = { teams: [[0], [1], [2]], scoring: "points", seat_names: ["red", "blue", "green"] };
  const three = { scores: [7, 9, 3], outcome, game, names, kinds };
  assert.equal(describe(three), "ben: 9, you: 7, cid: 3.");
  assert.equal(describe({ ...three, scores: [9, 7, 3] }), "You: 9, ben: 7, cid: 3.");
  assert.equal(describe({ ...three, seats: [] }), "ben: 9, ada: 7, cid: 3.");
  assert.equal(describe({ scores: [6, 3] }), "");
});

test("the end names the move with which the winner had more than half of all points", () => {
  const plies = [
    [0, "a1"],
    [1, "b1"],
    [0, "c1"],
    [0, "d1"],
    [1, "e1"],
  ];
  const { game } = makeState();
  const won = { ...END, plies, gains: [1, 2, 2, 1, 0], scores: [4, 2], miniatures: [] };
  const describe = (changes) => describeMajority(makeState({ ...won, ...changes }));
  assert.equal(describe({}), "With d1 you had 4 of 6 points.");
  assert.equal(describe({ seats: [1] }), "With d1 Ada had 4 of 6 points.");
  assert.equal(describe({ miniatures: ["", "", "", "<svg/>", ""] }), "With move 4 you had 4 of 6 points.");
  assert.equal(describe({ outcome: { winners: [0, 1], termination: "complete" } }), "");
  assert.equal(describe({ outcome: { winners: [0], termination: "resignation" } }), "");
  // A blocker may have spoiled some of the points, and in some games no one knows how many there will be.
  assert.equal(describe({ game: { ...game, points: 7 } }), "With d1 you had 4 of 7 points.");
  assert.equal(describe({ game: { ...game, points: 8 } }), "");
  assert.equal(describe({ game: { ...game, points: null } }), "");
  // Points that hidden gains or moves of others brought, and points that are hidden, explain nothing.
  assert.equal(describe({ gains: [1, 2, 2, 0, 0] }), "");
  assert.equal(describe({ scores: [], gains: [] }), "");
});

test("where the last move wins, the last move is named instead of points", () => {
  const game = { teams: [[0], [1]], scoring: "last-move", seat_names: ["graphite", "red"] };
  const words = ["drew the last rectangle, b1–d6"];
  assert.equal(
    describeRanks(makeState({ ...END, game, plies: [[0, "b1 d6"]], words })),
    "You drew the last rectangle, b1–d6.",
  );
  assert.equal(
    describeRanks(makeState({ ...END, game, plies: [[1, "b1 d6"]], words })),
    "Computer (level 3) drew the last rectangle, b1–d6.",
  );
});

test("where the last move wins, an opponent's last move is spoken once", () => {
  const game = { teams: [[0], [1]], scoring: "last-move", seat_names: ["graphite", "red"] };
  const outcome = { verdict: "You lost", winners: [1], reason: "no rectangle is left", termination: "no-moves" };
  const after = play(AFTER_OWN_MOVE, 1, "b1 d6", "drew the last rectangle, b1–d6", { ...END, game, outcome });
  assert.deepEqual(describeChange(AFTER_OWN_MOVE, after), [
    "Computer (level 3) drew the last rectangle, b1–d6.",
    "You lost.",
    "No rectangle is left.",
  ]);
});

test("another level is offered to a person alone against computers of one level", () => {
  assert.equal(findLevel(makeState()), 3);
  assert.equal(findLevel(makeState({ kinds: ["person", "computer:2s"] })), 0);
  assert.equal(findLevel(makeState({ kinds: ["person", "person"] })), 0);
  assert.equal(findLevel(makeState({ seats: [] })), 0);
  assert.equal(findLevel(makeState({ kinds: ["person", "computer:1", "computer:2"] })), 0);
});
