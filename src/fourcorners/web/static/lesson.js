// The page of a lesson: its steps are exercises, and how far somebody is stays in this browser.

import { byId } from "./dom.js";
import { ExercisePlayer } from "./exercise_player.js";
import { loadProgress, saveProgress } from "./lesson_progress.js";

const { game, lesson } = byId("exercise").dataset;
const name = `${game}/${lesson}`;
new ExercisePlayer({ first: loadProgress()[name], onStep: (steps) => saveProgress(name, steps) });
