// How the puzzles of each game ended, remembered in this browser by their ids.

import { loadPreference, savePreference } from "../../src/fourcorners/web/static/preferences.js";

const PREFERENCE = "practice-puzzles";

/** @param {string} game @returns {Record<string, ExerciseResult>} */
export function loadResults(game) {
  try {
    const stored = JSON.parse(loadPreference(`${PREFERENCE} ${game}`, "{}"));
    const entries = stored && !Array.isArray(stored) ? Object.entries(stored) : [];
    return Object.fromEntries(entries.filter(([, result]) => ["first", "later", "shown"].includes(result)));
  } catch {
    return {};
  }
}

/** @param {string} game @param {Record<string, ExerciseResult>} results */
export function saveResults(game, results) {
  savePreference(`${PREFERENCE} ${game}`, JSON.stringify(results));
}
