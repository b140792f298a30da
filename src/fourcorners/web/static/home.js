// The home page: its board, and its lists after the browser's Back.

import { HomeBoard } from "./home_board.js";
import { prepareForms } from "./shuffle.js";

new HomeBoard();
prepareForms();
addEventListener("pageshow", (event) => {
  // The page is shown as it was left: its games have gone on since.
  if (event.persisted) location.reload();
});
