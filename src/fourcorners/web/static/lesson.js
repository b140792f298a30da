// The page of a lesson: its steps are exercises, and how many are done is remembered.

import "./page.js";
import { byId } from "./dom.js";
import { ExercisePlayer } from "./exercise_player.js";
import { loadProgress, saveProgress, sendProgress } from "./lesson_progress.js";
import { html, render } from "./preact.js";

const { game, lesson, done } = byId("exercise").dataset;
const name = `${game}/${lesson}`;
const exercise = new ExercisePlayer({ first: Math.max(loadProgress()[name] ?? 0, Number(done)), onStep: remember });

sendProgress();

/** @param {number} steps how many are done */
function remember(steps) {
  if (steps <= Number(done)) return;
  saveProgress(name, steps);
  sendProgress();
}

/** The way to the analysis board with the position that is shown. */
function AnalysisLink() {
  const text = exercise.state.value.answer?.picture.text;
  const address = exercise.step?.dataset.analysis;
  return text && address && html` · <a href=${address + encodeURIComponent(text)}>analyse this position</a>`;
}

render(html`<${AnalysisLink} />`, byId("analysis-place"));
