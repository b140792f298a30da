// The exact values of the moves of the shown position, while they are switched on.

import { askApi } from "./api_client.js";
import { MoveValues } from "./move_values.js";
import { Preparation } from "./parts.js";
import { html, signal } from "./preact.js";
import { watchPreparation } from "./preparation.js";

/** @typedef {{ game: string }} Where what the API needs to know of a position */

export class AnalysisValues {
  #values;
  /** @type {Where | "over" | null} the shown position, if there are moves; null until it is shown */ #where = null;
  /** Counts the positions: only the values of the last one are shown. */ #question = 0;
  isOn = signal(false);
  verdict = signal({ sentence: "", detail: "", prepared: 1 });

  /** @param {BoardPage} page */
  constructor(page) {
    this.#values = new MoveValues(/** @type {any} */ (page));
  }

  /** Draw the values again, over a picture that has changed. */
  refresh() {
    this.#values.refresh();
  }

  /** Show another position. @param {Where | "over" | null} where */
  update(where) {
    this.#question++;
    this.#values.set([]);
    this.#where = where;
    if (this.isOn.value) this.#ask();
  }

  toggle() {
    this.isOn.value = !this.isOn.value;
    this.#say("");
    this.update(this.#where);
  }

  async #ask() {
    const question = this.#question;
    if (!this.#where) return this.#say("");
    if (this.#where === "over") return this.#say("The game is over here.");
    this.#say("Solving…");
    const stop = watchPreparation(this.#where.game, "solve", (share) => {
      if (question !== this.#question) return stop();
      this.#say("Solving…", "", share);
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

  /** @param {string} sentence @param {string} detail @param {number} prepared how much of the solver is compiled */
  #say(sentence, detail = "", prepared = 1) {
    this.verdict.value = { sentence, detail, prepared };
  }
}

/** What was proven. @param {{ values: AnalysisValues }} props */
export function Verdict({ values }) {
  const { sentence, detail, prepared } = values.verdict.value;
  return html`<div id="verdict" role="status" hidden=${!sentence}>
    <p id="verdict-sentence">${prepared < 1 ? html`<${Preparation} share=${prepared} />` : sentence}</p>
    <p class="small muted" id="verdict-detail">${detail}</p></div>`;
}
