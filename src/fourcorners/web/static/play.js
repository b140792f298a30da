// The board page: joins the connection, the pictures, what is being chosen, and what stands around the board.

import { Choices } from "./move_buttons.js";
import { Choosing } from "./move_input.js";
import { Clocks } from "./clocks.js";
import { Company } from "./opponents.js";
import { Evaluation } from "./evaluation.js";
import { Fair } from "./deck_commitment.js";
import { Places } from "./geometry.js";
import { Hint } from "./hint.js";
import { Keys } from "./keys.js";
import { Lights } from "./highlights.js";
import { LineWords } from "./connection_banner.js";
import { Live } from "./table_client.js";
import { Moves } from "./moves.js";
import { noting } from "./toast.js";
import { curtained, showCurtain, showResult, showSeats, showThinking, turnText } from "./panels.js";
import { Picture } from "./picture.js";
import { pointers } from "./pointer.js";
import { Requests } from "./game_actions.js";
import { Share } from "./share.js";
import { Study } from "./study.js";
import { Waiting } from "./waiting.js";
import { zooming } from "./zoom.js";

const byId = (id) => document.getElementById(id);
const page = byId("play");
const live = new Live(page.dataset.table);
const picture = new Picture(byId("board"), byId("tray"));
const places = new Places();
const choosing = new Choosing(picture, live);
const scene = byId("scene");
const lights = new Lights(picture, places, choosing, scene);
const study = new Study({ live, scene, picture, places, choosing, explore });
const keys = new Keys({ scene, picture, places, choosing, lights, focused: (node) => say(worthOf(node)), hint: () => byId("hint").hidden || byId("hint").click() });
const evaluation = new Evaluation({ live });
const advice = new Hint({ live, picture, places, changed: () => choices.refresh(labels()) });
const home = () => byId("board").querySelector('[tabindex="0"]')?.focus();
const choices = new Choices(byId("choices"), choosing, lights, home, (token) => {
  const worth = study.exploring ? study.worths.of(token) : undefined;
  return worth === undefined ? advice.of(token) : { kind: study.worths.kind(worth), text: study.worths.text(worth), words: study.worths.words(worth) };
});
const company = new Company({ live, picture, places, choosing, scene, restart });
const zoom = zooming({ board: byId("board"), button: byId("zoom"), places, choosing });
const moves = new Moves(look);
const note = noting();
const clocks = new Clocks(live);
new LineWords(live);
// What stands beside the board: each is told of every state of the table by `update(state)`.
const beside = [
  new Waiting({ live, note }),
  new Share(),
  new Requests({ live, note, say, movers: () => moves.movers() }),
  new Fair(),
];
let state = null;
let here = null; // who is at the table just now
let past = null;
let thought = null; // how far the computer is that is to move

// The status line: a lasting word about what is being chosen, or an answer to what was asked.
function say(sentence) {
  const text = sentence || hint();
  if (byId("status").textContent !== text) byId("status").textContent = text;
}

function hint() {
  if (study.exploring && choosing.prefix.length && !choosing.carriedTurns()) return study.worths.sentence(choosing.prefix);
  if (!state || (picture.past && !choosing.open) || choosing.busy) return "";
  if (choosing.waiting) return `Play ${choosing.prefix.join(" ")}?`;
  if (choosing.from !== null) return `From ${choosing.from}: now the opposite corner.`;
  if (choosing.carriedTurns()) return "It fits here if it is turned: choose how.";
  if (choosing.carried && (choosing.carried.begins ? !choosing.prefix.length : choosing.prefix.length < 2)) return "Choose where it goes.";
  if (choosing.prefix.length) return lit("board") ? "Now choose a place on the board." : "Choose how the move goes on.";
  if (choosing.explore) return "Point at a move to see what it is worth.";
  return choosing.mine && !choosing.planning && state.ply < 2 * state.names.length ? opening() : "";
}

function lit(part, gesture = "") {
  return document.querySelector(`.fc-${part} .can${gesture && `[data-gesture="${gesture}"]`}`) !== null;
}

// How a move is begun, for the first moves of a game.
function opening() {
  if (lit("board", "span")) return "Tap one corner and then the opposite one, or drag between them.";
  if (lit("tray", "carry")) {
    return lit("board", "pick") ? "Tap where you play, or first pick up a piece from below." : "Pick up a piece from below, then tap where it goes.";
  }
  return lit("board", "pick") ? "Tap where you play." : "";
}

// What the element under the pointer or the focus is worth.
function worthOf(node) {
  if (!study.exploring || !node) return "";
  const worth = choosing.state(node) ? study.worths.at(node) : undefined;
  return worth === undefined ? "" : `${node.dataset.token}: ${study.worths.words(worth)}.`;
}

// Let the moves of the position shown be tried on the board; null ends that.
function explore(moves) {
  if (moves) choosing.reset(moves, true, true);
  else if (state) choosing.reset(state.moves, state.mine && !state.over);
}

function labels() {
  return { ...state?.labels, ...company.labels };
}

// Choose among the moves of the game again.
function restart() {
  choosing.reset(state.moves, state.mine && !state.over);
}

async function why(text) {
  const answer = await live.question("why", { text });
  if (answer?.sentence) say(`${answer.sentence[0].toUpperCase()}${answer.sentence.slice(1)}.`);
}

function refresh() {
  lights.refresh();
  keys.refresh();
  choices.refresh(labels());
  study.worths.refresh();
  say("");
  page.dataset.state = phase();
}

function phase() {
  if (!state) return "";
  if (state.over) return "over";
  if (!state.started && !state.study) return "waiting";
  if (choosing.busy) return "busy";
  if (choosing.planning) return "planning";
  return choosing.mine && !choosing.explore ? "mine" : "other";
}

function showAround() {
  const shown = past ?? state;
  showSeats(state, shown);
  clocks.update(state);
  showThinking(state, thought);
  showResult(state);
  showCurtain(state, (seat) => live.view(seat));
  const turn = past ? `After move ${past.ply} of ${moves.length}` : turnText(state);
  if (byId("turn").textContent !== turn) byId("turn").textContent = turn;
  byId("turn").classList.toggle("past", past !== null);
  byId("turn").classList.toggle("mine", state.mine && !past);
  byId("turn").classList.toggle("waiting", turn.endsWith("thinking"));
  document.title = `${state.mine && !state.over ? "● " : ""}${turn} · ${state.game.title}`;
}

function take(message, whole) {
  const before = state;
  const same = before && before.version === message.version && before.viewer === message.viewer;
  state = { ...before, ...message, here };
  if (!same) thought = null;
  if (state.over && before && !before.over) note("");
  live.viewer = state.viewer ?? undefined;
  if (!same) {
    study.forget();
    advice.forget();
  }
  if (whole) picture.set(message.board, message.tray);
  else picture.patch(message.patch);
  places.clear();
  moves.update(whole ? 0 : (message.plies_from ?? moves.length), message.plies ?? [], state.names);
  if (past && moves.at === null) look(null);
  if (!same) choosing.reset(state.moves, state.mine && !state.over);
  zoom.check();
  showAround();
  for (const panel of beside) panel.update(state);
  refresh();
  showKnown();
  // What the last seat alone may know goes from the screen with its hand.
  if (curtained(state) && state.viewer !== null) live.view(null);
}

async function look(ply) {
  study.forget();
  advice.forget();
  if (ply === null) {
    past = null;
    picture.showNow();
  } else {
    const answer = await live.question("look", { ply });
    if (!answer || answer.type !== "look" || moves.at !== ply) return;
    past = answer;
    picture.showPast(answer.board, answer.tray);
  }
  choosing.letGo();
  places.clear();
  scene.classList.toggle("past", past !== null);
  showAround();
  refresh();
  showKnown();
}

// What can be known of the position shown, for who asks.
function showKnown() {
  const ply = past?.ply ?? state.ply;
  study.update(state, ply);
  evaluation.update(state, ply);
  advice.update(state, past === null);
  company.update(state, past === null);
}

live.addEventListener("state", (event) => take(event.detail, true));
live.addEventListener("patch", (event) => take(event.detail, false));
live.addEventListener("thinking", (event) => {
  thought = event.detail;
  if (state) showThinking(state, thought);
});
live.addEventListener("here", (event) => {
  here = event.detail;
  if (!state) return;
  state = { ...state, here };
  showAround();
  for (const panel of beside) panel.update(state);
});
live.addEventListener("bad", (event) => say(event.detail.sentence));
choosing.addEventListener("change", refresh);
choosing.addEventListener("played", () => note(""));
choosing.addEventListener("lost-move", (event) => {
  const { move, sentence } = event.detail;
  note(`Your move ${move} was not played: ${sentence || "the board had changed meanwhile"}.`, true);
});
choosing.addEventListener("why", (event) => choosing.planning || why(event.detail.text));
choosing.addEventListener("not-mine", () => {
  if (state && !state.study) say(state.over ? "The game is over." : `${turnText(state)}.`);
});

pointers({
  scene,
  board: byId("board"),
  picture,
  places,
  choosing,
  lights,
  // The pointer rests on something: if it cannot be chosen, say why.
  rest: (node) => {
    if (!node || study.exploring) say(worthOf(node));
    else if (choosing.mine && !choosing.planning && !choosing.busy && !picture.past && !choosing.state(node) && !choosing.chosen(node)) {
      why(choosing.meaning(node));
    }
  },
});

const confirm = byId("confirm");
if (confirm) {
  const kept = `confirm ${page.dataset.table}`;
  let chosen = null;
  try {
    chosen = localStorage.getItem(kept);
  } catch {
    chosen = null; // storage may be forbidden
  }
  confirm.checked = (chosen ?? page.dataset.confirm) === "yes";
  choosing.confirm = confirm.checked;
  confirm.addEventListener("change", () => {
    choosing.confirm = confirm.checked;
    try {
      localStorage.setItem(kept, confirm.checked ? "yes" : "no");
    } catch {
      // it then lasts as long as the page
    }
  });
}

new ResizeObserver(() => {
  places.clear();
  zoom.check();
  study.worths.refresh();
}).observe(scene);
if (live.kept) choosing.follow(live.kept.move, live.kept.answered);
live.connect();
