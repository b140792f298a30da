// The positions of an analysis, drawn by the server and cached by the page.

import { askApi } from "./api_client.js";

const MAX_KNOWN = 300;

export class AnalysisPositions {
  #start;
  #toast;
  /** What was asked, by the moves. @type {Map<string, ReturnType<typeof askApi>>} */ #known = new Map();

  /** @param {{ game: string, options: object, position: string }} start @param {Pick<Toast, "show">} toast */
  constructor({ game, options, position }, toast) {
    this.#start = { game, options, position };
    this.#toast = toast;
  }

  /** What the API needs to know of a position. @param {string[]} moves */
  locate(moves) {
    return { ...this.#start, moves };
  }

  /** Return a position; null after a refusal, which is shown. @param {string[]} moves @returns {Promise<BoardAnswer | null>} */
  async fetch(moves) {
    const { answer, sentence } = await this.prefetch(moves);
    if (sentence) this.#toast.show(sentence, true);
    return answer;
  }

  /** Fetch a position that may be needed soon; a refusal is not shown. @param {string[]} moves */
  async prefetch(moves) {
    const key = JSON.stringify(moves);
    const known = this.#known.get(key);
    if (known) return known;
    const asked = askApi("/api/analysis/board", this.locate(moves));
    this.#known.set(key, asked);
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value ?? "");
    if (!(await asked).answer) this.#known.delete(key);
    return asked;
  }

  /** Say why the last of these moves cannot be made. @param {string[]} moves */
  async explain(moves) {
    const { sentence } = await askApi("/api/analysis/board", this.locate(moves));
    if (sentence) this.#toast.show(sentence);
  }

  /** Ask what can follow the beginning of a move. @param {string[]} moves @param {Token[]} tokens */
  async complete(moves, tokens) {
    return (await askApi("/api/analysis/complete", { ...this.locate(moves), tokens })).answer;
  }
}
