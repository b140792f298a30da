// One sentence the first time something happens in a game: a blocker, a swap, a stack. Each is shown once per browser.

import { signal } from "./preact.js";
import { loadPreference, savePreference } from "./preferences.js";

const PREFERENCE = "explanations";
const MOST_REMEMBERED = 200;

/** Load the keys of the explanations that were shown. @returns {string[]} */
function loadShown() {
  try {
    const shown = JSON.parse(loadPreference(PREFERENCE, "[]"));
    return Array.isArray(shown) ? shown : [];
  } catch {
    return [];
  }
}

export class Explanations {
  #announce;
  sentence = signal("");
  #version = -1;
  #ply = 0; // how many moves there were at the last update

  /** @param {(sentence: string) => void} announce speaks a sentence */
  constructor(announce) {
    this.#announce = announce;
  }

  /** Show each explanation once more. */
  forget() {
    savePreference(PREFERENCE, "[]");
    this.#show("Explanations will be shown again, each the first time something happens.");
  }

  /** Show the first explanation of the last moves that is new here. @param {TableState} state */
  update(state) {
    if (state.over || state.study) this.hide();
    if (state.over || state.study || state.version === this.#version) return;
    this.#version = state.version;
    const hasMoved = state.plies.slice(this.#ply).some(([seat]) => state.seats.includes(seat));
    this.#ply = state.ply;
    // By then it was read, and may no longer apply.
    if (hasMoved) this.hide();
    const shown = new Set(loadShown());
    const key = (/** @type {Explanation} */ explanation) => `${state.game.id} ${explanation.id}`;
    const explanation = state.explanations.find((each) => !shown.has(key(each)));
    if (!explanation) return;
    savePreference(PREFERENCE, JSON.stringify([...shown, key(explanation)].slice(-MOST_REMEMBERED)));
    this.#show(explanation.sentence);
  }

  /** @param {string} sentence */
  #show(sentence) {
    this.sentence.value = sentence;
    this.#announce(sentence);
  }

  hide() {
    this.sentence.value = "";
  }
}
