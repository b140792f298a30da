// The home page: its board, and its lists after the browser's Back.

import { prepareChallenges } from "./challenge.js";
import { HomeBoard } from "./home_board.js";
import { prepareForms } from "./shuffle.js";

new HomeBoard();
prepareForms();
prepareChallenges();
addEventListener("pageshow", (event) => {
  // The page is shown as it was left: its games have gone on since.
  if (event.persisted) location.reload();
});
