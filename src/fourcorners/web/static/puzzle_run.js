// A timed run: puzzles of rising difficulty until the time is up, or until the third miss. This page keeps the time.

import "./page.js";
import { byId, setText } from "./dom.js";
import { ExercisePlayer } from "./exercise_player.js";
import { html, render, signal } from "./preact.js";
import { describeBestRun, loadBestRun, saveRun } from "./puzzle_record.js";
import { pluralise } from "./text.js";

const SECONDS = 180;
const MISSES = 3;
/** How long the answer stays after a solution and after a miss, in milliseconds. */
const PAUSE_AFTER = { done: 500, wrong: 1200 };

const place = byId("exercise");
const game = place.dataset.game ?? "";
const left = signal(SECONDS);
const solved = signal(0);
const misses = signal(0);
/** How the run ended; empty until it has. */
const result = signal("");
let end = 0;
/** @type {ExercisePlayer | null} */ let player = null;

/** Show the time that is left, and end the run when it is up. */
function tick() {
  if (result.value) return;
  left.value = Math.max(0, Math.ceil((end - performance.now()) / 1000));
  if (left.value) setTimeout(tick, 250);
  else finish("Time is up.");
}

/** End the run. @param {string} reason */
function finish(reason) {
  if (result.value) return;
  const isBest = saveRun(game, solved.value);
  const count = pluralise(solved.value, "You solved {} puzzle.", "You solved {} puzzles.");
  const record = isBest ? "That is your best run." : `${describeBestRun(loadBestRun(game))}.`;
  result.value = `${reason} ${count} ${record}`;
  player?.end();
}

/** Go on with the next puzzle, or end the run after too many misses. */
function goOn() {
  if (misses.value >= MISSES) finish("Three misses.");
  else if (!result.value && solved.value + misses.value >= (player?.count ?? 0)) finish("No puzzles are left.");
  else if (!result.value) player?.skip();
}

byId("start").addEventListener("click", () => {
  byId("intro").remove();
  delete place.dataset.waiting;
  end = performance.now() + SECONDS * 1000;
  player = new ExercisePlayer({
    endsEarly: true,
    onDone: () => {
      solved.value += 1;
      setTimeout(goOn, PAUSE_AFTER.done);
    },
    onWrong: () => {
      misses.value += 1;
      setTimeout(goOn, PAUSE_AFTER.wrong);
    },
  });
  tick();
});

/** The time that is left, and what came of the puzzles so far. */
function RunLine() {
  const time = `${Math.floor(left.value / 60)}:${String(left.value % 60).padStart(2, "0")}`;
  return html`<span>Time <strong id="time" role="timer">${time}</strong></span>
    <span>Solved <strong>${solved}</strong></span> <span>Misses <strong>${misses}</strong> of ${MISSES}</span>`;
}

render(html`<${RunLine} />`, byId("run-line"));
render(html`${result}`, byId("result"));
const best = loadBestRun(game);
byId("best").hidden = !best;
setText(byId("best"), describeBestRun(best));
