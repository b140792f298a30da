// What happens to the connection, in words over the page, so that nothing on the page moves.

import { byId, setText } from "./dom.js";

/** A page that opens quickly says nothing about connecting; in milliseconds. */
const QUIET_FOR = 1500;
const SHOW_SUCCESS_FOR = 2500;
export const CONNECTION_LOST = "Connection lost.";

/** Say why the connection is lost, and which moves will be sent later. @param {Loss} loss */
export function describeLoss({ reason, wasShown, moves }) {
  const loss = reason || (wasShown ? CONNECTION_LOST : "Cannot reach the server.");
  return [loss, ...moves.map((move) => `Your move ${move} will be sent when you are back online.`)].join(" ");
}

/** Say when the next attempt to connect follows. @param {number} milliseconds */
export function describeRetry(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds > 0 ? `Reconnecting in ${seconds} s.` : "Reconnecting…";
}

export class ConnectionBanner {
  #client;
  #wasShown = false; // whether anything of this table was shown
  #isLost = false;
  #retryAt = 0;
  #timer = 0;

  /** @param {TableClient} client */
  constructor(client) {
    this.#client = client;
    byId("line-now").addEventListener("click", () => client.socket.retry());
    client.socket.on("trying", () => this.#onTrying());
    client.socket.on("lost", (loss) => this.#onLost(loss));
    client.socket.on("ended", ({ sentence }) => this.#onEnded(sentence));
    client.on("found", () => this.#onFound());
  }

  /** Say that an attempt begins; a quick one at the start is no news. */
  #onTrying() {
    clearTimeout(this.#timer);
    this.#showRetry(this.#isLost ? describeRetry(0) : "");
    if (!this.#wasShown && !this.#isLost) this.#timer = setTimeout(() => this.#say("Connecting…"), QUIET_FOR);
  }

  /** Say what is lost, and count down to the next attempt. @param {SocketEvents["lost"]} loss */
  #onLost({ wait, sentence }) {
    this.#isLost = true;
    this.#retryAt = performance.now() + wait;
    document.body.classList.add("lost");
    const moves = this.#client.unansweredMoves;
    this.#say(describeLoss({ reason: sentence, wasShown: this.#wasShown, moves }));
    this.#countDown();
  }

  /** Say once a second how long the wait still is. */
  #countDown() {
    clearTimeout(this.#timer);
    const left = this.#retryAt - performance.now();
    this.#showRetry(describeRetry(left), true);
    if (left > 0) this.#timer = setTimeout(() => this.#countDown(), 1000);
  }

  /** Say for a while that the connection is back, if it had been lost. */
  #onFound() {
    clearTimeout(this.#timer);
    this.#wasShown = true;
    document.body.classList.remove("lost");
    this.#showRetry("");
    this.#say(this.#isLost ? "Reconnected." : "");
    byId("line").classList.toggle("back", this.#isLost);
    if (this.#isLost) this.#timer = setTimeout(() => this.#say(""), SHOW_SUCCESS_FOR);
    this.#isLost = false;
  }

  /** Say why no attempt follows. @param {string} sentence */
  #onEnded(sentence) {
    clearTimeout(this.#timer);
    document.body.classList.add("lost");
    this.#isLost = true;
    this.#showRetry("");
    this.#say(sentence);
  }

  /** Say when the next attempt follows. @param {string} text @param {boolean} canRetryNow */
  #showRetry(text, canRetryNow = false) {
    byId("line-wait").textContent = text;
    byId("line-now").hidden = !canRetryNow;
  }

  /** @param {string} sentence an empty one hides the banner */
  #say(sentence) {
    byId("line").classList.toggle("shown", Boolean(sentence));
    byId("line").classList.remove("back");
    setText(byId("link"), sentence);
  }
}
