// The shuffle of a game with hidden tiles: this browser's value is given when it is time, and can be checked at the end.

import { byId, make } from "./dom.js";
import { checkShuffle, findValue, isAsBefore, keepValue } from "./shuffle.js";

export class ShufflePanel {
  #client;
  #table;
  /** @type {GivenValue | null} */ #given = null; // the value of this browser at this table
  /** @type {Seat[]} the seats for which it stands */ #seats = [];
  #isRevealing = false;

  /** @param {TableClient} client @param {string} table the table's id */
  constructor(client, table) {
    this.#client = client;
    this.#table = table;
    byId("fair-check").addEventListener("click", () => this.#check());
  }

  /** Show what is known of the shuffle, and give this browser's value if it is awaited. @param {TableState} state */
  update(state) {
    const { commitment, nonce, shuffle } = state;
    byId("fair").hidden = !commitment;
    byId("fair-commitment").textContent = commitment ?? "";
    byId("fair-nonce").textContent = nonce ?? "";
    byId("fair-told").hidden = !nonce;
    byId("fair-untold").hidden = Boolean(nonce);
    byId("fair-how").hidden = !shuffle;
    byId("fair-old").hidden = Boolean(shuffle);
    byId("fair-check").hidden = !shuffle;
    this.#seats = shuffle ? state.seats.filter((seat) => findValue(shuffle.hashes[seat])) : [];
    this.#given = shuffle && this.#seats.length ? findValue(shuffle.hashes[this.#seats[0]]) : null;
    byId("fair-own").textContent = describeOwnPart(state, this.#given);
    if (state.may.includes("reveal")) this.#reveal(state);
  }

  /** Give this browser's value, and remember what had been fixed by the first time. @param {TableState} state */
  async #reveal({ commitment, shuffle }) {
    // Another tab may have given it already; a value of another device cannot be given here.
    const given = this.#given;
    if (this.#isRevealing || !given || !commitment || !shuffle) return;
    // A server that knows the value, though it has refused it, could choose another nonce: what it showed first counts.
    if (!isAsBefore(given, commitment, shuffle.hashes)) return;
    if (!given.commitment && !keepValue({ ...given, commitment, hashes: shuffle.hashes })) return;
    this.#isRevealing = true;
    await this.#client.command("reveal", { value: given.value });
    this.#isRevealing = false;
  }

  /** Fetch the record of the finished game, and show what holds and what does not. */
  async #check() {
    const list = byId("fair-checks");
    try {
      const answer = await fetch(`/play/${this.#table}/record`);
      const checks = await checkShuffle(await answer.text(), this.#given, this.#seats);
      list.replaceChildren(...checks.map(({ holds, sentence }) => make("li", {}, `${holds ? "✓" : "✗"} ${sentence}`)));
    } catch {
      list.replaceChildren(make("li", {}, "The record could not be checked here. Try again in a moment."));
    }
    list.scrollIntoView({ block: "nearest" });
  }
}

/** Say whether this browser takes part in a shuffle. @param {TableState} state @param {GivenValue | null} given */
export function describeOwnPart({ commitment, shuffle, seats, started }, given) {
  if (!shuffle || !seats.length) return "";
  if (!given && !globalThis.crypto?.subtle) return "This browser has no value in the shuffle, which needs HTTPS.";
  if (!given) return "This browser has no value in the shuffle.";
  if (!isAsBefore(given, commitment, shuffle.hashes)) return "✗ The server has changed a hash that was fixed before.";
  if (!started) return "This browser has a value for the shuffle, which it gives when every seat is taken.";
  const isIn = seats.some((seat) => shuffle.values[seat] === given.value);
  return isIn ? "✓ The value of this browser is in the shuffle." : "✗ The value of this browser came too late.";
}
