// The page on which somebody looks for better moves than those of a game.

import { ExercisePlayer } from "./exercise_player.js";

new ExercisePlayer();
