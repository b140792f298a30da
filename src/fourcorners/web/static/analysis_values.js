// The exact values of the moves of the shown position, while they are switched on.

import { askApi } from "./api_client.js";
import { byId, setText } from "./dom.js";
import { MoveValues } from "./move_values.js";
import { showPreparation, watchPreparation } from "./preparation.js";

export class AnalysisValues {
  #values;
  #isOn = false;
  /** @type {object | null} what the API needs to know of the shown position, or null after the end */ #where = null;
  /** Counts the positions: only the values of the last one are shown. */ #question = 0;

  /** @param {BoardPage} page */
  constructor(page) {
    this.#values = new MoveValues(/** @type {any} */ (page));
    byId("values").addEventListener("click", () => this.#toggle());
  }

  /** Draw the values again, over a picture that has changed. */
  refresh() {
    this.#values.refresh();
  }

  /** Show no values, because another position follows. */
  clear() {
    this.#question++;
    this.#values.set([]);
  }

  /** Show another position. @param {object | null} where */
  update(where) {
    this.clear();
    this.#where = where;
    if (this.#isOn) this.#ask();
  }

  #toggle() {
    this.#isOn = !this.#isOn;
    byId("values").setAttribute("aria-pressed", String(this.#isOn));
    this.clear();
    byId("verdict").hidden = true;
    if (this.#isOn) this.#ask();
  }

  async #ask() {
    const question = this.#question;
    if (!this.#where) return this.#say("The game is over here.");
    this.#say("Solving…");
    const stop = watchPreparation(byId("analysis").dataset.game ?? "", "solve", (share) => {
      if (question !== this.#question) return stop();
      if (share < 1) showPreparation(byId("verdict-sentence"), share);
      else this.#say("Solving…");
    });
    const { answer, sentence } = await askApi("/api/analysis/values", this.#where);
    stop();
    if (question !== this.#question) return;
    if (!answer) return this.#say(sentence);
    this.#say(answer.sentence, answer.detail);
    /** @type {{ move: string, value: number }[]} */
    const moves = answer.moves;
    this.#values.set(
      moves.map(({ move, value }) => [move, value]),
      answer.counts,
    );
  }

  /** @param {string} sentence @param {string} detail */
  #say(sentence, detail = "") {
    byId("verdict").hidden = false;
    setText(byId("verdict-sentence"), sentence);
    setText(byId("verdict-detail"), detail);
  }
}
