// Studying a finished game or a record: exact values of the shown position, and the layer that the game can draw.

/** @import { SolveAnswer, SolvingMessage, TableState } from "./messages.js" */
/** @import { MoveInput } from "./move_input.js" */
/** @import { MoveValues } from "./move_values.js" */
/** @import { TableClient } from "./table_client.js" */
import { byId, setText } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { Ranking } from "./ranking.js";
import { formatMargin } from "./text.js";

/** Somebody who steps quickly asks only about the position where they stop; in milliseconds. */
const ASK_DELAY = 150;
const PREFERENCE = "overlay";

export class Study {
  #client;
  #scene;
  #values;
  #ranking;
  #explore;
  #isOn = false;
  /** @type {string} identifies the shown position; empty if it cannot be solved */
  #position = "";
  #ply = 0;
  /** @type {string[]} */
  #names = [];
  /** @type {string | null} the id of the question that was asked about the shown position */
  #question = null;
  #isAnswered = false;
  #questions = 0;
  #timer = 0;

  /**
   * @param {object} page
   * @param {TableClient} page.client
   * @param {HTMLElement} page.scene
   * @param {MoveInput} page.input
   * @param {MoveValues} page.values
   * @param {(moves: string[] | null) => void} page.explore lets these moves be tried on the board; null ends that
   */
  constructor({ client, scene, input, values, explore }) {
    this.#client = client;
    this.#scene = scene;
    this.#values = values;
    this.#explore = explore;
    this.#ranking = new Ranking(byId("ranking-panel"), byId("ranking"), values, (move) => input.show(move));
    byId("solve").addEventListener("click", () => this.#toggle());
    byId("overlay").addEventListener("click", () => {
      const on = !scene.classList.contains("overlaid");
      this.#showOverlay(on);
      saveFlag(PREFERENCE, on);
    });
    this.#showOverlay(loadFlag(PREFERENCE));
    client.on("solving", (message) => this.#onProgress(message));
  }

  /** Whether moves are tried and not played. */
  get isExploring() {
    return this.#values.isKnown;
  }

  /**
   * Take the position that is shown now.
   * @param {TableState} state
   * @param {number} ply
   */
  update(state, ply) {
    byId("solve").hidden = !state.revealed;
    byId("overlay").hidden = !state.overlay;
    byId("overlay").textContent = state.overlay ?? "";
    const position = state.revealed ? `${state.version} ${ply} ${state.viewer}` : "";
    if (position === this.#position && (this.#isAnswered || !this.#isOn)) return;
    this.#position = position;
    this.#ply = ply;
    this.#names = state.names;
    this.forget();
    if (!position) this.#isOn = false;
    this.#showPressed();
    if (this.#isOn) this.#ask();
  }

  /** Remove what is shown of a position, before its picture changes. */
  forget() {
    clearTimeout(this.#timer);
    if (this.#question && !this.#isAnswered) this.#client.cancelSolve();
    this.#question = null;
    this.#isAnswered = false;
    const wasExploring = this.isExploring;
    this.#values.showMove(null);
    this.#values.set([]);
    this.#ranking.set([]);
    this.#say("");
    if (wasExploring) this.#explore(null);
  }

  #toggle() {
    this.#isOn = !this.#isOn;
    this.forget();
    this.#showPressed();
    if (this.#isOn) this.#ask();
  }

  #showPressed() {
    byId("solve").setAttribute("aria-pressed", String(this.#isOn));
  }

  /** @param {boolean} on */
  #showOverlay(on) {
    this.#scene.classList.toggle("overlaid", on);
    byId("overlay").setAttribute("aria-pressed", String(on));
  }

  #ask() {
    this.#say("Solving…");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      this.#questions += 1;
      const id = `q${this.#questions}`;
      this.#question = id;
      const answer = await this.#client.ask("solve", { id, ply: this.#ply });
      if (id !== this.#question || answer?.state === "left") return;
      if (answer) this.#onAnswer(answer);
      else this.#question = null;
    }, ASK_DELAY);
  }

  /** @param {SolveAnswer} answer */
  #onAnswer(answer) {
    this.#isAnswered = true;
    this.#say(answer.sentence ?? "", answer.detail ?? "");
    const moves = answer.moves ?? [];
    if (!moves.length) return;
    this.#values.set(moves, answer.counts ?? "margin");
    this.#ranking.set(moves);
    byId("ranking-title").textContent = `Moves for ${this.#names[answer.seat ?? 0]}, by value`;
    this.#explore(moves.map(([move]) => move));
  }

  /** @param {SolvingMessage} message */
  #onProgress({ ply, lower, upper, nodes }) {
    if (ply !== this.#ply || !this.#question || this.#isAnswered) return;
    const bounds = `Between ${formatMargin(lower)} and ${formatMargin(upper)} so far`;
    this.#say("Solving…", `${bounds}; ${nodes.toLocaleString("en")} positions searched.`);
  }

  /**
   * @param {string} sentence an empty one hides the result
   * @param {string} detail
   */
  #say(sentence, detail = "") {
    byId("verdict").hidden = !sentence;
    setText(byId("verdict-sentence"), sentence);
    setText(byId("verdict-detail"), detail);
  }
}
