// The page of a set of puzzles, for a pupil with a name.

import "./page.js";
import { byId } from "./dom.js";
import { ExercisePlayer } from "./exercise_player.js";

const { first, pupil } = byId("exercise").dataset;
new ExercisePlayer({ first: Number(first), describe: () => ({ pupil }) });
