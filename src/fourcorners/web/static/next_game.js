// The way to the next game in which someone waits for this player.

import { describeShortcut, Icon } from "./parts.js";
import { html, signal } from "./preact.js";
import { table } from "./table.js";

const KEY = "n";
/** How many games wait, and the table that has waited longest. */
const waiting = signal({ count: 0, next: "" });

export class NextGame {
  #id;
  #wasMine = true; // so that the first state asks

  /** @param {string} id the table that the page shows */
  constructor(id) {
    this.#id = id;
    document.addEventListener("visibilitychange", () => document.hidden || this.#ask());
    // A page that comes back by "Back" is as it was left.
    addEventListener("pageshow", (event) => event.persisted && this.#ask());
  }

  /** Ask once the player has nothing to do here. @param {TableState} state */
  update(state) {
    const isMine = state.mine && !state.over;
    if (this.#wasMine && !isMine) this.#ask();
    this.#wasMine = isMine;
  }

  /** Ask the server which games wait. */
  async #ask() {
    const response = await fetch(`/api/turns?besides=${this.#id}`).catch(() => null);
    if (!response?.ok) return;
    const { count, next } = await response.json();
    waiting.value = { count, next: next ?? "" };
  }

  /** Go there, if there is one. */
  static follow() {
    document.getElementById("next-game")?.click();
  }
}

/** The button that goes there; nothing as long as no game waits. */
export function NextGameButton() {
  const { count, next } = waiting.value;
  if (!count || !table.value) return null;
  const { title, ...keys } = describeShortcut("Next game where it is your turn", KEY);
  return html`<a class="button plain" id="next-game" href="/play/${next}" title=${title} ...${keys}>
    <${Icon} name="next" /><span class="word">Next game</span>
    <span class="waiting-count"><span class="hidden">: </span>${count}<span class="hidden"> waiting</span></span></a>`;
}
