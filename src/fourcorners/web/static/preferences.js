// What this browser remembers between pages. Where storage is forbidden or full, it remembers as long as the page lasts.

/** @type {Map<string, string>} what could not be stored */
const unstored = new Map();

/** Load a text. @param {string} key @param {string} fallback returned if nothing is stored */
export function loadPreference(key, fallback = "") {
  try {
    return unstored.get(key) ?? localStorage.getItem(key) ?? fallback;
  } catch {
    return fallback;
  }
}

/** Save a text. @param {string} key @param {string} value */
export function savePreference(key, value) {
  try {
    localStorage.setItem(key, value);
    unstored.delete(key);
  } catch {
    unstored.set(key, value);
  }
}

/** Load whether something is turned on. @param {string} key @param {boolean} fallback */
export function loadFlag(key, fallback = false) {
  return loadPreference(key, fallback ? "yes" : "no") === "yes";
}

/** Save whether something is turned on. @param {string} key @param {boolean} on */
export function saveFlag(key, on) {
  savePreference(key, on ? "yes" : "no");
}
