// The positions of an analysis, drawn by the server and cached by the page.

import { askApi } from "./api_client.js";

const MAX_KNOWN = 300;

export class AnalysisPositions {
  #start;
  #toast;
  /** @type {Map<string, BoardAnswer>} by their moves */ #known = new Map();

  /** @param {{ game: string, options: object, position: string }} start @param {Toast} toast */
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
    if (known) return { answer: known, sentence: "" };
    const asked = await askApi("/api/analysis/board", this.locate(moves));
    if (asked.answer) this.#known.set(key, asked.answer);
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value ?? "");
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
