// "Challenge a friend": the link of a puzzle, passed to the system's own dialog or else copied.

import { copyText } from "./clipboard.js";
import { findAll, setText } from "./dom.js";

/** Let the buttons of the page share their links. */
export function prepareChallenges() {
  for (const button of findAll(document, "[data-challenge]")) button.addEventListener("click", () => share(button));
}

/** @param {HTMLElement} button with the place for what is said beside it */
async function share(button) {
  const url = new URL(button.dataset.challenge ?? "", location.href).href;
  if (typeof navigator.share === "function") {
    // Someone may close the dialog.
    navigator.share({ url }).catch(() => {});
    return;
  }
  const place = button.nextElementSibling;
  if (place) setText(place, await copyText(url, url));
}
