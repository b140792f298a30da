// The list of lessons, with the progress of the player.

import "./page.js";
import { showProgress } from "./course_progress.js";
import { sendProgress } from "./lesson_progress.js";

showProgress();
sendProgress();
addEventListener("pageshow", (event) => {
  // The page is shown as it was left: more has been done since.
  if (event.persisted) location.reload();
});
