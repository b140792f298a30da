// The shuffle of a game with hidden tiles: this browser's value is given when it is time, and can be checked at the end.

import { html, useRef, useSignal } from "./preact.js";
import { checkShuffle, findValue, INCLUDED, isAsBefore, keepValue } from "./shuffle.js";
import { table } from "./table.js";

/** Find the value of this browser, and the seats for which it stands. @param {TableState} state */
function findOwnPart({ shuffle, seats }) {
  const own = shuffle ? seats.filter((seat) => findValue(shuffle.hashes[seat])) : [];
  return { given: shuffle && own.length ? findValue(shuffle.hashes[own[0]]) : null, seats: own };
}

export class ShuffleValue {
  #client;
  #isRevealing = false;

  /** @param {TableClient} client */
  constructor(client) {
    this.#client = client;
  }

  /** Give this browser's value if it is awaited, and remember what had been fixed by then. @param {TableState} state */
  async update(state) {
    const { commitment, shuffle } = state;
    // Another tab may have given it already; a value of another device cannot be given here.
    const { given } = findOwnPart(state);
    if (!state.may.includes("reveal") || this.#isRevealing || !given || !commitment || !shuffle) return;
    // A server that knows the value, though it has refused it, could choose another nonce: what it showed first counts.
    if (!isAsBefore(given, commitment, shuffle.hashes)) return;
    if (!given.commitment && !keepValue({ ...given, commitment, hashes: shuffle.hashes })) return;
    this.#isRevealing = true;
    await this.#client.command("reveal", { value: given.value });
    this.#isRevealing = false;
  }
}

/** What is known of the shuffle; at the end it can be checked. */
export function ShufflePanel() {
  const state = table.value;
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const checks = useSignal(/** @type {string[]} */ ([]));
  if (!state?.commitment) return null;
  const { commitment, nonce, shuffle } = state;
  const { given, seats } = findOwnPart(state);
  /** Fetch the record of the finished game, and show what holds and what does not. */
  async function check() {
    try {
      const answer = await fetch(`${location.pathname}/record`);
      const found = await checkShuffle(await answer.text(), given, seats);
      checks.value = found.map(({ holds, sentence }) => `${holds ? "✓" : "✗"} ${sentence}`);
    } catch {
      checks.value = ["The record could not be checked here. Try again in a moment."];
    }
    list.current?.scrollIntoView({ block: "nearest" });
  }
  const how = shuffle
    ? "No one chose the order of the tiles. It follows from a random nonce of the server, which it fixed beforehand by this hash, and from a random value of each player’s browser."
    : "The server shuffled the tiles before the first move and published this hash of their order. After the game it reveals the order, so everyone can verify that it never changed.";
  const button = html`<button type="button" class="wide" onClick=${check}>Check the shuffle</button>`;
  const told = html`<dl class="small"><dt>Nonce</dt><dd><code>${nonce}</code></dd></dl>
    <p class="small">The record contains everything: <code>fourcorners check record.txt</code> verifies it.</p>
    ${shuffle && button}
    <div role="status"><ul class="small" id="fair-checks" role="list" ref=${list}>
      ${checks.value.map((sentence) => html`<li>${sentence}</li>`)}</ul></div>`;
  return html`<details class="fair" id="fair"><summary>Check the shuffle</summary>
    <p class="small">${how}</p>
    <p class="small" id="fair-own">${describeOwnPart(state, given)}</p>
    <dl class="small"><dt>Hash</dt><dd><code id="fair-commitment">${commitment}</code></dd></dl>
    ${nonce ? told : html`<p class="small">The nonce is revealed when the game is over. Then everything can be checked.</p>`}
  </details>`;
}

/** Say whether this browser takes part in a shuffle. @param {TableState} state @param {GivenValue | null} given */
export function describeOwnPart({ commitment, shuffle, seats, started }, given) {
  if (!shuffle || !seats.length) return "";
  if (!given && !globalThis.crypto?.subtle) return "This browser has no value in the shuffle, which needs HTTPS.";
  if (!given) return "This browser has no value in the shuffle.";
  if (!isAsBefore(given, commitment, shuffle.hashes)) return "✗ The server has changed a hash that was fixed before.";
  if (!started) return "This browser has a value for the shuffle, and reveals it when every seat is taken.";
  const isIn = seats.some((seat) => shuffle.values[seat] === given.value);
  return isIn ? `✓ ${INCLUDED}` : "✗ This browser’s value came too late.";
}
