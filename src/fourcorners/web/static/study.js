// Studying a finished game or a record: exact values of the shown position, and the layer that the game can draw.

import { Icon, Preparation } from "./parts.js";
import { html, signal } from "./preact.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { ReadyButton } from "./readiness.js";
import { table } from "./table.js";
import { formatMargin } from "./text.js";

/** A player who steps quickly asks only about the position where they stop; in milliseconds. */
const ASK_DELAY = 150;
const PREFERENCE = "overlay";

/** What was found of a position. @typedef {{ sentence: string, detail: string, isAsking?: boolean }} Verdict */

export class Study {
  #page;
  #position = ""; // identifies the shown position; empty if it cannot be solved
  #ply = 0;
  #question = ""; // the id of the question that was asked about the shown position
  #isAnswered = false;
  #questions = 0;
  #timer = 0;
  isOn = signal(false);
  hasOverlay = signal(false);
  verdict = signal(/** @type {Verdict | null} */ (null));
  ranking = signal({ title: "", moves: /** @type {[string, number][]} */ ([]) });

  /** @param {StudyPage} page */
  constructor(page) {
    this.#page = page;
    page.client.on("solve-progress", (message) => this.#onProgress(message));
  }

  toggle() {
    this.isOn.value = !this.isOn.value;
    this.#restart();
  }

  toggleOverlay() {
    this.#showOverlay(!this.hasOverlay.value);
    saveFlag(PREFERENCE, this.hasOverlay.value);
  }

  /** Whether moves are tried and not played. */
  get isExploring() {
    return this.#page.values.isKnown;
  }

  /** Take the position that is shown now. @param {TableState} state @param {number} ply */
  update(state, ply) {
    // After an undo the game draws no layer any more, so none may stay on the board without a button to remove it.
    this.#showOverlay(state.overlay !== null && loadFlag(PREFERENCE));
    const position = state.revealed ? `${state.version} ${ply} ${state.viewer}` : "";
    if (position === this.#position && (this.#isAnswered || !this.isOn.value)) return;
    this.#position = position;
    this.#ply = ply;
    this.isOn.value &&= position !== "";
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
    this.ranking.value = { title: "", moves: [] };
    this.verdict.value = null;
    if (wasExploring) explore(null);
  }

  /** Forget what is shown, and ask about the shown position if solving is on. */
  #restart() {
    this.forget();
    if (this.isOn.value) this.#ask();
  }

  /** @param {boolean} on */
  #showOverlay(on) {
    this.#page.scene.classList.toggle("overlaid", on);
    this.hasOverlay.value = on;
  }

  /** Ask about the shown position, unless another one follows at once. */
  #ask() {
    this.verdict.value = { sentence: "Solving…", detail: "", isAsking: true };
    this.#timer = setTimeout(async () => {
      const id = `q${++this.#questions}`;
      this.#question = id;
      const answer = await this.#page.client.ask("solve", { id, ply: this.#ply });
      if (id !== this.#question || answer?.state === "cancelled") return;
      if (answer) this.#onAnswer(answer);
      else this.#question = "";
    }, ASK_DELAY);
  }

  /** Show what was found, and let the moves be tried. @param {SolveAnswer} answer */
  #onAnswer(answer) {
    this.#isAnswered = true;
    this.verdict.value = answer.sentence ? { sentence: answer.sentence, detail: answer.detail ?? "" } : null;
    const moves = answer.moves ?? [];
    if (!moves.length) return;
    this.#page.values.set(moves, answer.counts ?? "margin");
    this.ranking.value = { moves, title: `Moves for ${table.value?.names[answer.seat ?? 0]}, by value` };
    this.#page.explore(moves.map(([move]) => move));
  }

  /** Show how narrow the bounds are by now. @param {SolveProgressMessage} message */
  #onProgress({ ply, lower, upper, nodes }) {
    if (ply !== this.#ply || !this.#question || this.#isAnswered) return;
    const bounds = `Between ${formatMargin(lower)} and ${formatMargin(upper)} so far`;
    const detail = `${bounds}; ${nodes.toLocaleString("en")} positions searched.`;
    this.verdict.value = { sentence: "Solving…", detail, isAsking: true };
  }
}

/** @typedef {{ study: Study, readiness: Readiness }} StudyProps */

/** Turns the layer of the game and solving on and off. @param {StudyProps} props */
export function StudyButtons({ study, readiness }) {
  const { overlay = null, revealed = false } = table.value ?? {};
  const draw = html`<button type="button" class="plain" id="overlay" title=${overlay}
    aria-pressed=${study.hasOverlay.value} onClick=${() => study.toggleOverlay()}>
    <${Icon} name="overlay" /><span class="word">${overlay}</span></button>`;
  const solve = html`<${ReadyButton} id="solve" icon="solve" word="Solve" readiness=${readiness}
    isPressed=${study.isOn.value} press=${() => study.toggle()} />`;
  return html`${overlay && draw}${revealed && solve}`;
}

/** What was found. @param {StudyProps} props */
export function VerdictNote({ study, readiness }) {
  const verdict = study.verdict.value;
  const share = readiness.share("solve");
  const isPreparing = verdict?.isAsking && !verdict.detail && share < 1;
  return html`<div class="verdict" id="verdict" role="status" hidden=${!verdict}>
    <p><strong id="verdict-sentence">${isPreparing ? html`<${Preparation} share=${share} />` : verdict?.sentence}</strong>
      ${" "}<span class="small muted" id="verdict-detail">${verdict?.detail}</span></p></div>`;
}
