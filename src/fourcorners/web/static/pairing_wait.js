// A player who waits for any opponent: the server is asked again who else waits, and in the end the computer is offered.

import { byId, make, makeButton, setText } from "./dom.js";
import { prepareValue } from "./shuffle.js";

/** How often to ask whether somebody else waits, in milliseconds. */
const ASK_INTERVAL = 10_000;
/** How often to ask at most. */
const MOST_ASKED = 30;
/** After how long without an opponent the computer is offered, in milliseconds. */
const OFFER_AFTER = 20_000;

export class PairingWait {
  #playComputer;
  #timers = /** @type {number[]} */ ([]);
  #asked = 0;
  #hasWaited = false; // whether it is time to offer the computer
  /** @type {HTMLElement | null} */ #offered = null; // what offers the computer
  isLooking = false;
  /** @type {TableState | null} */ #state = null;
  /** @type {string | null} */ #hash = null; // of a value for the shuffle that no game has got

  /** @param {(seat: Seat) => void} playComputer gives an open seat to the computer */
  constructor(playComputer) {
    this.#playComputer = playComputer;
  }

  /** Begin or go on to wait at a table that has not started. @param {TableState} state */
  update(state) {
    this.#state = state;
    this.isLooking = Boolean(state.settings.pairing) && state.host && state.may.includes("computer");
    if (!this.isLooking) return this.stop();
    if (this.#timers.length) return;
    this.#timers = [setInterval(() => this.#ask(), ASK_INTERVAL), setTimeout(() => this.#offer(), OFFER_AFTER)];
  }

  /** Stop waiting. */
  stop() {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
    this.isLooking = false;
    this.#offered?.remove();
    this.#offered = null;
  }

  /** Say what the player waits for. */
  describe() {
    return this.#hasWaited
      ? "Nobody has come yet. You can go on waiting here, or play the computer."
      : "The game starts as soon as somebody else looks for an opponent in this game. Stay on this page.";
  }

  /** Ask the server whether somebody else waits, and go there. */
  async #ask() {
    this.#asked += 1;
    if (!this.#state || this.#asked > MOST_ASKED) return;
    try {
      const headers = { accept: "application/json" };
      const hash = this.#state.shuffle ? (this.#hash ?? (await prepareValue())) : "";
      // Unless the answer says otherwise, a game may have got the value, and each needs one of its own.
      this.#hash = null;
      const body = hash ? new URLSearchParams({ hash }) : null;
      const answer = await fetch(`/lobby/pair/${this.#state.game.id}`, { method: "POST", headers, body });
      const { table } = await answer.json();
      const isElsewhere = table && !location.pathname.endsWith(`/${table}`);
      if (table && !isElsewhere) this.#hash = hash;
      if (isElsewhere && this.isLooking) location.assign(`/play/${table}`);
    } catch {
      // The server cannot be reached now: ask again.
    }
  }

  /** Offer the computer. */
  #offer() {
    const open = this.#state?.chairs.findIndex((chair) => !chair.taken) ?? -1;
    if (!this.isLooking || open < 0) return;
    this.#hasWaited = true;
    setText(byId("waiting-lead"), this.describe());
    const button = makeButton("Play the computer", () => this.#playComputer(open), { class: "primary" });
    this.#offered = make("p", {}, button);
    byId("waiting-lead").after(this.#offered);
  }
}
