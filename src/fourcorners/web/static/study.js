// Studying a finished game or a record: exact values of the shown position, and the layer that the game can draw.

import { byId, setText } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { showPreparation } from "./preparation.js";
import { Ranking } from "./ranking.js";
import { formatMargin } from "./text.js";

/** Somebody who steps quickly asks only about the position where they stop; in milliseconds. */
const ASK_DELAY = 150;
const PREFERENCE = "overlay";

export class Study {
  #page;
  #ranking;
  #isOn = false;
  #position = ""; // identifies the shown position; empty if it cannot be solved
  #ply = 0;
  /** @type {string[]} */ #names = [];
  #question = ""; // the id of the question that was asked about the shown position
  #isAnswered = false;
  #questions = 0;
  #timer = 0;

  /** @param {StudyPage} page */
  constructor(page) {
    this.#page = page;
    this.#ranking = new Ranking(page.values, (move) => page.input.show(move));
    byId("solve").addEventListener("click", () => {
      this.#isOn = !this.#isOn;
      this.#restart();
    });
    byId("overlay").addEventListener("click", () => {
      const on = !page.scene.classList.contains("overlaid");
      this.#showOverlay(on);
      saveFlag(PREFERENCE, on);
    });
    page.readiness.on("change", () => this.#showWaiting());
    page.client.on("solve-progress", (message) => this.#onProgress(message));
  }

  /** Whether moves are tried and not played. */
  get isExploring() {
    return this.#page.values.isKnown;
  }

  /** Take the position that is shown now. @param {TableState} state @param {number} ply */
  update(state, ply) {
    byId("solve").hidden = !state.revealed;
    byId("overlay").hidden = !state.overlay;
    setText(byId("overlay-name"), state.overlay ?? "");
    byId("overlay").title = state.overlay ?? "";
    // After an undo the game draws no layer any more, so none may stay on the board without a button to remove it.
    this.#showOverlay(state.overlay !== null && loadFlag(PREFERENCE));
    const position = state.revealed ? `${state.version} ${ply} ${state.viewer}` : "";
    if (position === this.#position && (this.#isAnswered || !this.#isOn)) return;
    this.#position = position;
    this.#ply = ply;
    this.#names = state.names;
    this.#isOn &&= position !== "";
    this.#restart();
  }

  /** Remove what is shown of a position, before its picture changes. */
  forget() {
    clearTimeout(this.#timer);
    const { client, values, explore } = this.#page;
    if (this.#question && !this.#isAnswered) client.cancelSolve();
    this.#question = "";
    this.#isAnswered = false;
    const wasExploring = this.isExploring;
    values.showMove(null);
    values.set([]);
    this.#ranking.set([]);
    this.#say("");
    if (wasExploring) explore(null);
  }

  /** Forget what is shown, and ask about the shown position if solving is on. */
  #restart() {
    this.forget();
    byId("solve").setAttribute("aria-pressed", String(this.#isOn));
    if (this.#isOn) this.#ask();
  }

  /** @param {boolean} on */
  #showOverlay(on) {
    this.#page.scene.classList.toggle("overlaid", on);
    byId("overlay").setAttribute("aria-pressed", String(on));
  }

  /** Ask about the shown position, unless another one follows at once. */
  #ask() {
    this.#say("Solving…");
    this.#timer = setTimeout(async () => {
      const id = `q${++this.#questions}`;
      this.#question = id;
      this.#showWaiting();
      const answer = await this.#page.client.ask("solve", { id, ply: this.#ply });
      if (id !== this.#question || answer?.state === "cancelled") return;
      if (answer) this.#onAnswer(answer);
      else this.#question = "";
    }, ASK_DELAY);
  }

  /** Show what was found, and let the moves be tried. @param {SolveAnswer} answer */
  #onAnswer(answer) {
    this.#isAnswered = true;
    this.#say(answer.sentence ?? "", answer.detail ?? "");
    const moves = answer.moves ?? [];
    if (!moves.length) return;
    this.#page.values.set(moves, answer.counts ?? "margin");
    this.#ranking.set(moves);
    byId("ranking-title").textContent = `Moves for ${this.#names[answer.seat ?? 0]}, by value`;
    this.#page.explore(moves.map(([move]) => move));
  }

  /** Say what the answer waits for, if it does. */
  #showWaiting() {
    if (!this.#question || this.#isAnswered) return;
    const share = this.#page.readiness.share("solve");
    if (share < 1) showPreparation(byId("verdict-sentence"), share);
    else if (byId("verdict-sentence").querySelector("progress")) this.#say("Solving…");
  }

  /** Show how narrow the bounds are by now. @param {SolveProgressMessage} message */
  #onProgress({ ply, lower, upper, nodes }) {
    if (ply !== this.#ply || !this.#question || this.#isAnswered) return;
    const bounds = `Between ${formatMargin(lower)} and ${formatMargin(upper)} so far`;
    this.#say("Solving…", `${bounds}; ${nodes.toLocaleString("en")} positions searched.`);
  }

  /** Show the result in words. @param {string} sentence an empty one hides the result @param {string} detail */
  #say(sentence, detail = "") {
    byId("verdict").hidden = !sentence;
    setText(byId("verdict-sentence"), sentence);
    setText(byId("verdict-detail"), detail);
  }
}
