// The best timed run of each game, remembered in this browser.

import { loadPreference, savePreference } from "./preferences.js";

const PREFERENCE = "best-run";

/** Return how many puzzles the best run solved; 0 without one. @param {string} game */
export function loadBestRun(game) {
  const best = Number(loadPreference(`${PREFERENCE} ${game}`, "0"));
  return Number.isInteger(best) && best > 0 ? best : 0;
}

/** Say how many puzzles the best run solved. @param {number} best */
export function describeBestRun(best) {
  return `Your best run: ${best}`;
}

/** Remember a run if it is the best. @param {string} game @param {number} solved @returns {boolean} whether it is */
export function saveRun(game, solved) {
  if (solved <= loadBestRun(game)) return false;
  savePreference(`${PREFERENCE} ${game}`, String(solved));
  return true;
}
