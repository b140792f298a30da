// The field on the board page for typing a move in place of pointing at it.

import { byId } from "./dom.js";

export const NOT_YOUR_TURN = "It is not your turn.";

export class TypedMove {
  #form = byId("typed");
  #field = byId("typed-move", HTMLInputElement);
  #page;
  /** @type {TableState | null} */ #state = null;

  /** @param {Page & { say: (sentence: string) => void }} page */
  constructor(page) {
    this.#page = page;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#play();
    });
  }

  /** Show the field to players. @param {TableState} state */
  update(state) {
    this.#state = state;
    this.#form.hidden = !state.started || state.over || state.study || !state.seats.length;
  }

  /** Go to the field, if it is there. */
  focus() {
    if (!this.#form.hidden) this.#field.focus();
  }

  /** Play what was typed, or say why that is not possible. */
  async #play() {
    const { client, input, picture, say } = this.#page;
    if (!this.#field.value.trim()) return;
    if (!this.#state?.mine || input.isPremoving) return say(NOT_YOUR_TURN);
    if (picture.isPast) return say("Go back to the current position to make a move.");
    const move = await input.read(this.#field.value);
    const answer = await client.ask("why", { text: move });
    if (answer?.sentence) return say(answer.sentence);
    if (!input.isOpen) return;
    this.#field.value = "";
    input.take(move);
  }
}
