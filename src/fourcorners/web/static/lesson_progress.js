// How many steps of each lesson are done, remembered in this browser.

import { loadPreference, savePreference } from "./preferences.js";

const PREFERENCE = "lessons";

/** @returns {Record<string, number>} by the name of each lesson how many of its steps are done */
export function loadProgress() {
  try {
    const stored = JSON.parse(loadPreference(PREFERENCE, "{}"));
    return stored && typeof stored === "object" && !Array.isArray(stored) ? stored : {};
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
