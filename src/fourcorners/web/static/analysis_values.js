// The exact values of the moves of the shown position, while they are switched on.

import { askApi } from "./api_client.js";
import { MoveValues } from "./move_values.js";
import { Preparation } from "./parts.js";
import { OVER_HERE } from "./position_words.js";
import { html, signal } from "./preact.js";
import { watchPreparation } from "./preparation.js";

/** @typedef {{ game: string, moves: string[] }} Where what the API needs to know of a position */

const keyOf = (/** @type {string[]} */ moves) => JSON.stringify(moves);

export class AnalysisValues {
  #values;
  /** @type {Where | "over" | null} the shown position, if there are moves; null until it is shown */ #where = null;
  /** Counts the positions: only the values of the last one are shown. */ #question = 0;
  isOn = signal(false);
  verdict = signal({ sentence: "", detail: "", prepared: 1 });

  /** @type {{ moves: string[], answer: ShownValues } | null} what came with the page */ #known;

  /** @param {BoardPage} page @param {{ moves: string[], answer: ShownValues } | null} known the values that someone shared */
  constructor(page, known = null) {
    this.#values = new MoveValues(/** @type {any} */ (page));
    this.#known = known;
    this.isOn.value = known !== null;
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
    if (this.#where === "over") return this.#say(OVER_HERE);
    if (this.#known && keyOf(this.#known.moves) === keyOf(this.#where.moves)) return this.#show(this.#known.answer);
    this.#say("Solving…");
    const stop = watchPreparation(this.#where.game, "solve", (share) => {
      if (question !== this.#question) return stop();
      this.#say("Solving…", "", share);
    });
    const { answer, sentence } = await askApi("/api/analysis/values", this.#where);
    stop();
    if (question !== this.#question) return;
    if (!answer) return this.#say(sentence);
    /** @type {{ move: string, value: number }[]} */
    const moves = answer.moves;
    this.#show({ ...answer, moves: moves.map(({ move, value }) => [move, value]) });
  }

  /** @param {ShownValues} answer */
  #show({ sentence, detail, moves, counts }) {
    this.#say(sentence, detail);
    this.#values.set(moves, counts);
  }

  /** The values that are shown, for a picture; none while they are not known. */
  get shown() {
    return this.isOn.value ? this.#values.listed : null;
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
