// A timed run: puzzles of rising difficulty until the time is up, or until the third miss. This page keeps the time.

import { byId, setText } from "./dom.js";
import { ExercisePlayer } from "./exercise_player.js";
import { loadBestRun, saveRun } from "./puzzle_record.js";

const SECONDS = 180;
const MISSES = 3;
/** How long the answer stays after a solution and after a miss, in milliseconds. */
const PAUSE_AFTER = { done: 500, wrong: 1200 };

const place = byId("exercise");
const game = place.dataset.game ?? "";
let solved = 0;
let misses = 0;
let end = 0;
let isOver = false;
/** @type {ExercisePlayer | null} */ let player = null;

/** Show the time that is left, and end the run when it is up. */
function tick() {
  if (isOver) return;
  const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
  setText(byId("time"), `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`);
  if (left) setTimeout(tick, 250);
  else finish("Time is up.");
}

/** End the run. @param {string} reason */
function finish(reason) {
  if (isOver) return;
  isOver = true;
  const isBest = saveRun(game, solved);
  const count = `${solved} ${solved === 1 ? "puzzle" : "puzzles"}`;
  const record = isBest ? " That is your best run." : ` Your best run: ${loadBestRun(game)}.`;
  setText(byId("result"), `${reason} You solved ${count}.${record}`);
  player?.end();
}

/** Go on with the next puzzle, or end the run after too many misses. */
function goOn() {
  if (misses >= MISSES) finish("Three misses.");
  else if (!isOver && solved + misses >= (player?.count ?? 0)) finish("No puzzles are left.");
  else if (!isOver) player?.skip();
}

byId("start").addEventListener("click", () => {
  byId("intro").remove();
  delete place.dataset.waiting;
  end = performance.now() + SECONDS * 1000;
  player = new ExercisePlayer({
    onDone: () => {
      solved += 1;
      setText(byId("solved"), String(solved));
      setTimeout(goOn, PAUSE_AFTER.done);
    },
    onWrong: () => {
      misses += 1;
      setText(byId("misses"), String(misses));
      setTimeout(goOn, PAUSE_AFTER.wrong);
    },
  });
  tick();
});

const best = loadBestRun(game);
byId("best").hidden = !best;
setText(byId("best"), `Your best run: ${best}`);
