// A player who waits for any opponent: the server is asked again who else waits, and in the end the computer is offered.

import { signal } from "./preact.js";
import { prepareValue } from "./shuffle.js";

/** How often to ask whether another player waits, in milliseconds. */
const ASK_INTERVAL = 10_000;
/** How often to ask at most. */
const MOST_ASKED = 30;
/** After how long without an opponent the computer is offered, in milliseconds. */
const OFFER_AFTER = 20_000;

/** Return whether this browser waits at a table for any opponent. @param {TableState} state */
export function looksForOpponent(state) {
  return Boolean(state.settings.pairing) && state.host && state.may.includes("add-computer");
}

export class PairingWait {
  #timers = /** @type {number[]} */ ([]);
  #asked = 0;
  /** For how many seconds this player has waited. */
  waited = signal(0);
  #began;
  /** Whether it is time to offer the computer. */
  hasWaited = signal(false);
  /** @type {TableState | null} */ #state = null;
  /** @type {string | null} */ #hash = null; // of a value for the shuffle that no game has got

  /** @param {number} waited seconds before this page was loaded */
  constructor(waited = 0) {
    this.#began = Date.now() - 1000 * waited;
  }

  /** Begin or go on to wait, if that is what this browser does. @param {TableState | null} state null ends it */
  update(state) {
    this.#state = state && looksForOpponent(state) ? state : null;
    if (this.#state && this.#timers.length) return;
    for (const timer of this.#timers) clearTimeout(timer);
    const offer = () => {
      this.hasWaited.value = true;
    };
    const count = () => {
      this.waited.value = Math.floor((Date.now() - this.#began) / 1000);
    };
    count();
    this.#timers = this.#state
      ? [setInterval(() => this.#ask(), ASK_INTERVAL), setTimeout(offer, OFFER_AFTER), setInterval(count, 1000)]
      : [];
  }

  /** Ask the server whether another player waits, and go there. */
  async #ask() {
    this.#asked += 1;
    if (!this.#state || this.#asked > MOST_ASKED) return;
    try {
      const headers = { accept: "application/json" };
      const hash = this.#state.shuffle ? (this.#hash ?? (await prepareValue())) : "";
      // Unless the answer says otherwise, a game may have got the value, and each needs another one.
      this.#hash = null;
      const { pairing, rated } = this.#state.settings;
      const wish = { speed: String(pairing), rated: String(Boolean(rated)) };
      const body = new URLSearchParams(hash ? { ...wish, hash } : wish);
      const answer = await fetch(`/lobby/pair/${this.#state.game.id}`, { method: "POST", headers, body });
      const { table } = await answer.json();
      const isElsewhere = table && !location.pathname.endsWith(`/${table}`);
      if (table && !isElsewhere) this.#hash = hash;
      if (isElsewhere && this.#state) location.assign(`/play/${table}`);
    } catch {
      // The server cannot be reached now: ask again.
    }
  }
}
