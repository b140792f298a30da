// The page on which a player looks for better moves than those of a game.

import { ExercisePlayer } from "./exercise_player.js";

new ExercisePlayer();
