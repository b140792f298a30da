// What the page says about a table, in modules that need no page for it.

import assert from "node:assert/strict";
import test from "node:test";
import { describeAnswer, describeTakeback } from "../../src/fourcorners/web/static/game_actions.js";
import { describeDraft } from "../../src/fourcorners/web/static/premoves.js";
import { describeProgress } from "../../src/fourcorners/web/static/seats.js";
import { describeNextStep } from "../../src/fourcorners/web/static/status_line.js";
import * as tableState from "../../src/fourcorners/web/static/table_state.js";
import {
  asSentence,
  formatMargin,
  formatPointsGained,
  joinRanges,
  listWords,
} from "../../src/fourcorners/web/static/text.js";

const TAKEN = { taken: true, mine: false, kept: false };
const OWN = { taken: true, mine: true, kept: false };
const FREE = { taken: false, mine: false, kept: false };

/** A game of Ada, who sits here, against Ben; Ada is to move. */
function makeState(changes = {}) {
  return {
    names: ["Ada", "Ben"],
    sentence_names: changes.names ?? ["Ada", "Ben"],
    kinds: ["person", "person"],
    chairs: [OWN, TAKEN],
    game: {
      seat_names: ["light", "dark"],
      teams: [[0], [1]],
      prompts: { leave: "Choose which one stays.", "#": "Now a stick beside it:" },
    },
    facts: [],
    settings: { rated: true, visibility: "link" },
    clock_label: "5 min + 3 s",
    seats: [0],
    seat: 0,
    viewer: 0,
    mine: true,
    started: true,
    over: false,
    study: false,
    outcome: null,
    out: [],
    may: [],
    ply: 4,
    draw: null,
    takeback_request: null,
    rematch_request: null,
    rematch: null,
    ...changes,
  };
}

test("words are listed and margins signed", () => {
  assert.deepEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(listWords), ["", "a", "a and b", "a, b and c"]);
  assert.deepEqual([3, -2, 0].map(formatMargin), ["+3", "−2", "0"]);
});

test("coordinates that belong together stay in one line, and other dashes are left alone", () => {
  assert.equal(joinRanges("drew a1–c6 – the last"), "drew a1–\u2060c6 – the last");
});

test("a sentence begins with a capital, unless it begins with coordinates or a player's name", () => {
  assert.equal(asSentence("the game is over"), "The game is over.");
  assert.equal(asSentence(""), "");
  assert.equal(asSentence("Too many messages. Try again in 2 minutes."), "Too many messages. Try again in 2 minutes.");
  assert.equal(asSentence("a7 is too near"), "a7 is too near.");
  assert.equal(asSentence("a1-c3 crosses a line"), "a1-c3 crosses a line.");
  assert.equal(asSentence("bob resigned", ["Ada", "bob"]), "bob resigned.");
  assert.equal(asSentence("all is full", ["a"]), "All is full.");
});

test("what a move gained is spoken in words", () => {
  const words = [2, 1, -1, 0, undefined].map(formatPointsGained);
  assert.deepEqual(words, ["2 points gained", "1 point gained", "1 point lost", "", ""]);
});

test("the turn line names who is to move", () => {
  const describe = (changes) => tableState.describeTurn(makeState(changes));
  assert.equal(describe({}), "Your turn");
  assert.equal(describe({ seats: [0, 1] }), "Ada to move");
  assert.equal(describe({ seat: 1, mine: false }), "Ben to move");
  assert.equal(describe({ seat: 1, mine: false, kinds: ["person", "computer:3"] }), "Ben is thinking");
  assert.equal(describe({ study: true, mine: false }), "Game record");
  assert.equal(describe({ over: true, outcome: { verdict: "You win 5 : 3" } }), "You win 5 : 3");
  assert.equal(describe({ over: true }), "Game closed without a result");
  assert.equal(describe({ over: true, count: true }), "Count the points");
});

test("a table that waits says for whom", () => {
  const describe = (...chairs) => tableState.describeMissingPlayers(makeState({ chairs }));
  assert.equal(describe(OWN, FREE), "Waiting for one more player");
  assert.equal(describe(OWN, { ...FREE, kept: true }), "Waiting for Ben");
  assert.equal(describe({ ...FREE, kept: true, mine: true }, TAKEN), "Waiting for one more player");
  assert.equal(describe(FREE, FREE), "Waiting for 2 more players");
});

test("the waiting room tells players and spectators what to do", () => {
  const describe = (may, ...chairs) => tableState.describeWaiting({ may, chairs, settings: { visibility: "link" } });
  assert.match(describe(["sit"], { ...FREE, kept: true, mine: true }), /^A seat is reserved for you/);
  assert.match(describe(["sit"], FREE, TAKEN), /^Choose an open seat/);
  assert.match(describe([], OWN, FREE), /Send the link/);
  assert.match(describe([], TAKEN, FREE), /^You are watching/);
  const listed = { may: [], chairs: [OWN, FREE], settings: { visibility: "public" } };
  assert.match(tableState.describeWaiting(listed), /join it in the lobby/);
});

test("the terms of a game are listed", () => {
  assert.equal(tableState.describeTerms(makeState()), "Rated · 5 min + 3 s · invite link only");
  const casual = { settings: { rated: false, visibility: "public" }, clock_label: "" };
  assert.equal(tableState.describeTerms(makeState(casual)), "Casual · no clock · listed in the lobby");
  const hidden = { settings: { rated: false, visibility: "link", hide_points: true } };
  assert.match(tableState.describeTerms(makeState(hidden)), /Casual · .* · points hidden until the end/);
  const game = {
    seat_names: ["red", "blue", "green", "grey"],
    teams: [
      [0, 2],
      [1, 3],
    ],
  };
  assert.match(tableState.describeTerms(makeState({ game })), /partners: red and green, blue and grey/);
});

test("help is for games in which no one from elsewhere plays", () => {
  const settings = { rated: false };
  assert.equal(tableState.forbidsAdvice(makeState({ settings })), true);
  assert.equal(tableState.forbidsAdvice(makeState({ settings, chairs: [OWN, OWN], seats: [0, 1] })), false);
  assert.equal(tableState.forbidsAdvice(makeState({ settings, kinds: ["person", "computer:3"] })), false);
  assert.equal(tableState.forbidsAdvice(makeState({ kinds: ["person", "computer:3"] })), true);
  assert.equal(tableState.forbidsAdvice(makeState({ study: true })), false);
  const hidden = { kinds: ["person", "computer:3"], settings: { hide_points: true } };
  assert.equal(tableState.forbidsAdvice(makeState(hidden)), true);
  assert.equal(tableState.forbidsAdvice(makeState({ ...hidden, over: true, outcome: { winners: [0] } })), false);
  assert.equal(tableState.forbidsAdvice(makeState({ chairs: [TAKEN, TAKEN], seats: [] })), true);
});

test("a hand is hidden until the next person at the screen asks for it", () => {
  const passed = { curtain: true, viewer: null };
  assert.equal(tableState.isCurtained(makeState(passed)), true);
  assert.equal(tableState.isCurtained(makeState({ ...passed, viewer: 0 })), false);
  assert.equal(tableState.isCurtained(makeState({ ...passed, over: true })), false);
});

test("ratings and computers are described", () => {
  assert.equal(tableState.formatRatingChange([1500, 1512]), "1512 (+12)");
  assert.equal(tableState.formatRatingChange([1500, 1491]), "1491 (−9)");
  assert.equal(tableState.formatRatingChange([1500, 1500]), "1500 (±0)");
  assert.equal(tableState.describeComputer("computer:3"), "computer, level 3");
  assert.equal(tableState.describeComputer("computer:2.5s"), "computer, 2.5 s per move");
  assert.equal(describeProgress({ simulations: 1200, share: 0.4 }), "40%");
  assert.equal(describeProgress({ simulations: 0, share: 0.051 }), "5%");
});

test("a takeback names the moves that it takes back", () => {
  assert.equal(describeTakeback(4, 5), "move 5");
  assert.equal(describeTakeback(3, 5), "move 4 and the move after it");
  assert.equal(describeTakeback(1, 5), "move 2 and the 3 moves after it");
});

test("a player learns what became of a draw offer or takeback request", () => {
  const asked = makeState({ takeback_request: { by: 0, ply: 3, missing: [1] } });
  assert.equal(describeAnswer(asked, makeState()), "Your takeback request was declined.");
  assert.equal(describeAnswer(asked, makeState({ ply: 3 })), "Your takeback request was accepted.");
  assert.match(describeAnswer(asked, makeState({ ply: 5 })), /expired/);
  assert.equal(describeAnswer(asked, asked), "");
  const offered = makeState({ draw: 0 });
  assert.equal(describeAnswer(offered, makeState()), "Your draw offer was declined.");
  assert.match(describeAnswer(offered, makeState({ ply: 5 })), /expired/);
  assert.equal(describeAnswer(makeState({ draw: 1 }), makeState()), "");
  assert.equal(describeAnswer(offered, makeState({ over: true })), "");
});

test("players learn who asks for a rematch, whose answer is missing and who has left", () => {
  const say = (changes) => tableState.describeRematchRequest(makeState({ over: true, ...changes }));
  const asked = { by: 1, missing: [0], declined: null };
  assert.equal(say({}), "");
  assert.equal(say({ rematch_request: asked, may: ["rematch"] }), "Ben asks for a rematch.");
  const presence = { chairs: [true, false], watching: 0 };
  const left = "Ben asked for a rematch and left the table.";
  assert.equal(say({ rematch_request: asked, may: ["rematch"], presence }), left);
  const own = { by: 0, missing: [1], declined: null };
  assert.equal(say({ rematch_request: own }), "You asked for a rematch. Waiting for Ben.");
  const away = "You asked for a rematch. Waiting for Ben. Ben left the table.";
  assert.equal(say({ rematch_request: own, presence }), away);
  const declined = { by: null, missing: [], declined: 1 };
  assert.equal(say({ rematch_request: declined }), "Ben declined the rematch.");
  assert.equal(say({ rematch_request: declined, seats: [1], may: ["rematch"] }), "");
  assert.equal(say({ rematch_request: asked, rematch: "next" }), "");
  // A spectator, and the second of three who agreed.
  assert.equal(say({ rematch_request: asked, seats: [] }), "Ben asks for a rematch.");
  const agreed = { names: ["Ada", "Ben", "Cy"], rematch_request: { by: 1, missing: [2], declined: null } };
  assert.equal(say(agreed), "You agreed to a rematch. Waiting for Cy.");
});

test("a premove says what to choose next", () => {
  const describe = (line, movers, mover) => describeDraft({ line, movers, mover }, 1, ["Ada", "Ben"]);
  assert.match(describe([null], [null], 1), /^Choose a move to play/);
  assert.equal(describe([], [], 0), "Choose a move for Ada on the board.");
  assert.equal(describe(["a1"], [0], 1), "Now choose your reply.");
  assert.equal(describe(["a1", "b2"], [0, 1], 0), "Ada would move next.");
  assert.equal(describe(["a1", "b2"], [0, 1], 1), "You would move again.");
  assert.equal(describe(["a1", "b2"], [0, 1], null), "This would end the game.");
});

/** What the status line says, with what is chosen and what can be. */
function nextStep(chosen, gestures = {}, ply = 0, pictures = {}) {
  const input = {
    prefix: [],
    carried: null,
    firstCorner: null,
    isMine: true,
    mustRotate: () => false,
    buttons: () => [],
    ...chosen,
  };
  return describeNextStep(input, makeState({ ply, pictures }), {
    any: false,
    pick: false,
    span: false,
    carry: false,
    ...gestures,
  });
}

test("the status line says how to go on with a move", () => {
  assert.equal(nextStep({ prefix: ["a1", "b2"], awaitsConfirmation: true }), "Play a1 b2?");
  assert.equal(nextStep({ firstCorner: "a1" }), "From a1: choose the opposite corner.");
  assert.equal(nextStep({ carried: { token: "X", isPrefix: false }, prefix: ["X"] }), "Choose where to place it.");
  assert.equal(nextStep({ carried: { token: "R", isPrefix: true } }), "Choose where to place it.");
  assert.equal(nextStep({ prefix: ["a1"] }, { any: true }), "Choose a place on the board.");
  assert.equal(nextStep({ prefix: ["a1"] }), "Choose how to continue.");
  const next = (...tokens) => nextStep({ prefix: ["X", "p1"], buttons: () => tokens }, { any: true });
  assert.equal(next("leave:X", "leave:Y"), "Choose which one stays.");
  assert.equal(next("r0", "r1"), "Choose how it will lie.");
  assert.equal(next("take:X"), "Choose how to continue.");
  const turns = { prefix: ["X", "p1"], buttons: () => ["r0", "r1"], sharedEffect: "discards Y" };
  assert.equal(nextStep(turns), "Choose how it will lie. The move discards Y.");
  const confirmed = { prefix: ["X", "p1"], awaitsConfirmation: true, playedEffect: "discards Y" };
  assert.equal(nextStep(confirmed), "Play X p1? It discards Y.");
  // What has a picture is never named by its code.
  assert.equal(nextStep(confirmed, {}, 0, { X: "<svg/>" }), "Play this move? It discards Y.");
  assert.equal(nextStep({ isBusy: true, prefix: ["a1"] }), "");
});

test("one rotation that is left is no question", () => {
  const turns = (...tokens) => nextStep({ prefix: ["X", "p1"], mustRotate: () => true, buttons: () => tokens });
  assert.equal(turns("r0", "r1"), "Choose how to rotate it.");
  assert.equal(turns("r1"), "It fits only like this.");
});

test("what can follow a piece that lies is listed", () => {
  const carried = { token: "#", isPrefix: true };
  const follow = (...tokens) => {
    const tree = { continuation: () => ({ next: new Set(tokens), isMove: false }) };
    return nextStep({ carried, prefix: ["#c1"], tree }, { any: true });
  };
  assert.equal(follow("d1d2", "c1d1"), joinRanges("Now a stick beside it: c1–d1 or d1–d2."));
  assert.equal(follow("d1d2"), joinRanges("Now a stick beside it: d1–d2."));
  assert.equal(follow(), "Now a stick beside it.");
});

test("a position before the last is named after its move, and the first one has no number", () => {
  assert.equal(tableState.describePast(3, 12), "After move 3 of 12");
  assert.equal(tableState.describePast(0, 12), "Before the first move");
});

test("players are told how to move in their first two turns only", () => {
  assert.match(nextStep({}, { span: true }), /corner/);
  assert.match(nextStep({}, { carry: true }), /^Pick up/);
  assert.equal(nextStep({}, { carry: true, pick: true }), "Choose where to play, or pick up a piece first.");
  assert.equal(nextStep({}, { pick: true }, 3), "Choose where to play.");
  assert.equal(nextStep({}, { pick: true }, 4), "");
  assert.equal(nextStep({ isPremoving: true }, { pick: true }), "");
});
