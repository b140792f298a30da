// What every home page needs: its forms and buttons, and its lists after the browser's Back.

import "./page.js";
import { prepareChallenges } from "./challenge.js";
import { prepareForms } from "./shuffle.js";

prepareForms();
prepareChallenges();
addEventListener("pageshow", (event) => {
  // The page is shown as it was left: its games have gone on since.
  if (event.persisted) location.reload();
});
