// The sentence and the bar of a page whose answer waits until the server has compiled a game.

import { make } from "./dom.js";

export const PREPARING = "Preparing the engine, once, about half a minute.";
/** How often to ask how far it is; most answers come before the first time. In milliseconds. */
const ASK_INTERVAL = 700;

/**
 * Say that the engine is being prepared, with a bar. Later calls only move the bar, so that nothing is spoken again.
 * @param {HTMLElement} place whose text this replaces @param {number} share from 0 to 1
 */
export function showPreparation(place, share) {
  const bar = /** @type {HTMLProgressElement | null} */ (place.querySelector(".preparation"));
  if (bar) bar.value = share;
  else {
    const attributes = { class: "preparation", max: 1, value: share, "aria-label": "Engine prepared" };
    place.replaceChildren(PREPARING, make("progress", attributes));
  }
}

/**
 * Ask the server how far a game is prepared until the returned function is called, or it is prepared.
 * @param {string} game @param {string} feature that the page waits for
 * @param {(share: number) => void} show called with less than 1, and with 1 after that
 */
export function watchPreparation(game, feature, show) {
  let isOver = false;
  let isShown = false;
  let timer = setTimeout(ask, ASK_INTERVAL);
  async function ask() {
    try {
      const { features = {} } = await (await fetch(`/healthz?game=${encodeURIComponent(game)}`)).json();
      if (isOver) return;
      const share = features[feature] ?? 1;
      if (share < 1 || isShown) show(share);
      if (share === 1) return;
      isShown = true;
    } catch {
      // The server cannot be reached now: ask again.
    }
    if (!isOver) timer = setTimeout(ask, ASK_INTERVAL);
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
