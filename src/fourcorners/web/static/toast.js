// A message that somebody should read: it stays until it is closed, or until their next move.

import { byId, keepFocus } from "./dom.js";

export class Toast {
  #announce;

  /** @param {(sentence: string) => void} announce speaks a sentence */
  constructor(announce) {
    this.#announce = announce;
    byId("note-close").addEventListener("click", () => keepFocus(() => this.hide()));
  }

  /** Show a sentence; an empty one hides the message. @param {string} sentence @param {boolean} isError */
  show(sentence, isError = false) {
    byId("note").classList.toggle("wrong", isError);
    byId("note").hidden = !sentence;
    byId("note-text").textContent = sentence;
    this.#announce(sentence);
  }

  hide() {
    this.show("");
  }
}
