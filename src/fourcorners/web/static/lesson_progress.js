// How many steps of each lesson are done. The server remembers it for the player; what it does not have yet, because it
// could not be reached or the browser keeps no cookie, stays in this browser.

import { askApi } from "./api_client.js";
import { loadPreference, savePreference } from "./preferences.js";

const PREFERENCE = "lessons";

/** @returns {Record<string, number>} by the name of each lesson how many of its steps are done, as far as the server does not know */
export function loadProgress() {
  try {
    const stored = JSON.parse(loadPreference(PREFERENCE, "{}"));
    const entries = stored && !Array.isArray(stored) ? Object.entries(stored) : [];
    return Object.fromEntries(entries.filter(([, steps]) => Number.isInteger(steps) && steps > 0));
  } catch {
    return {};
  }
}

/** Remember how many steps of a lesson are done, unless more were. @param {string} lesson @param {number} steps */
export function saveProgress(lesson, steps) {
  const progress = loadProgress();
  if ((progress[lesson] ?? 0) >= steps) return;
  savePreference(PREFERENCE, JSON.stringify({ ...progress, [lesson]: steps }));
}

/** Give the server what it does not have yet, and forget it here once it is stored. */
export async function sendProgress() {
  const lessons = loadProgress();
  if (!Object.keys(lessons).length) return;
  const { answer } = await askApi("/api/lessons/progress", { lessons });
  if (!answer?.lessons) return;
  const newer = Object.entries(loadProgress()).filter(([lesson, steps]) => steps > (lessons[lesson] ?? 0));
  savePreference(PREFERENCE, JSON.stringify(Object.fromEntries(newer)));
}
