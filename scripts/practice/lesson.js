// A lesson whose answers are stored in the page; this browser remembers how many steps are done.

import "./page.js";
import { byId } from "../../src/fourcorners/web/static/dom.js";
import { ExercisePlayer } from "../../src/fourcorners/web/static/exercise_player.js";
import { loadProgress, saveProgress } from "../../src/fourcorners/web/static/lesson_progress.js";
import { askStored } from "./stored_answers.js";

const { game, lesson } = byId("exercise").dataset;
const name = `${game}/${lesson}`;
new ExercisePlayer({
  first: loadProgress()[name] ?? 0,
  ask: askStored,
  onStep: (steps) => saveProgress(name, steps),
});
