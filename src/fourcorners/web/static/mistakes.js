// The page on which a player looks for better moves than those of a game.

import "./page.js";
import { byId } from "./dom.js";
import { ExercisePlayer } from "./exercise_player.js";

new ExercisePlayer({ first: Number(byId("exercise").dataset.first) });
