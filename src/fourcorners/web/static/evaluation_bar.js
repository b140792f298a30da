// The evaluation bar: how the shown position is expected to end. It is off until the player turns it on.

import { Badge, classes, Preparation } from "./parts.js";
import { html, signal } from "./preact.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { ReadyButton } from "./readiness.js";
import { table } from "./table.js";
import { forbidsAdvice } from "./table_state.js";

const PREFERENCE = "evaluation";
/** A player who steps quickly asks only about the position where they stop; in milliseconds. */
const ASK_DELAY = 150;

/** Return whether the shown position may be evaluated. @param {TableState} state */
function isAllowed(state) {
  // With hidden hands the bar shows what one's own hand tells, so a spectator gets none.
  const seesHand = !state.game.hidden || state.study || state.seats.length > 0;
  return state.revealed || (seesHand && !forbidsAdvice(state));
}

export class Evaluation {
  #client;
  #position = ""; // identifies the shown position; empty if it may not be evaluated
  #ply = 0;
  #questions = 0;
  #timer = 0;
  isOn = signal(loadFlag(PREFERENCE));
  /** The last answer, and whether it is to another position, or waited for. */
  answer = signal(/** @type {EvaluateAnswer | null} */ (null));
  isOld = signal(false);
  isWaiting = signal(false);

  /** @param {TableClient} client */
  constructor(client) {
    this.#client = client;
  }

  toggle() {
    this.isOn.value = !this.isOn.value;
    saveFlag(PREFERENCE, this.isOn.value);
    this.#ask();
  }

  /** Take the position that is shown now. @param {TableState} state @param {number} ply */
  update(state, ply) {
    const position = isAllowed(state) ? `${state.version} ${ply} ${state.viewer}` : "";
    if (position === this.#position) return;
    this.#position = position;
    this.#ply = ply;
    // After the last move the result is known: an estimate from before it would contradict what the page says.
    if (state.over && ply === state.ply) this.answer.value = null;
    this.#ask();
  }

  /** Ask about the shown position. The old bar stays, faded, until the answer: an empty one would flicker. */
  #ask() {
    clearTimeout(this.#timer);
    const question = ++this.#questions;
    this.isWaiting.value = false;
    if (!this.isOn.value || !this.#position) return;
    this.isOld.value = true;
    this.#timer = setTimeout(async () => {
      this.isWaiting.value = true;
      const answer = await this.#client.ask("evaluate", { id: `e${question}`, ply: this.#ply });
      if (question !== this.#questions) return;
      this.isWaiting.value = false;
      if (!answer || answer.state === "cancelled") {
        this.#position = ""; // Ask again when the connection is back.
        return;
      }
      this.answer.value = answer;
      this.isOld.value = false;
    }, ASK_DELAY);
  }
}

/** @typedef {{ evaluation: Evaluation, readiness: Readiness }} EvaluationProps */

/** Turns the bar on and off. @param {EvaluationProps} props */
export function EvaluationButton({ evaluation, readiness }) {
  if (!table.value || !isAllowed(table.value)) return null;
  return html`<${ReadyButton} id="evaluate" icon="evaluation" word="Evaluation" readiness=${readiness}
    isPressed=${evaluation.isOn.value} press=${() => evaluation.toggle()} />`;
}

/** The bar. @param {EvaluationProps} props */
export function EvaluationBar({ evaluation, readiness }) {
  if (!table.value || !isAllowed(table.value) || !evaluation.isOn.value) return null;
  const { state, sentence, share, low, high, sides, solved } = evaluation.answer.value ?? {};
  const prepared = readiness.share("evaluate");
  const isPreparing = evaluation.isWaiting.value && prepared < 1;
  const isFound = state === "found";
  const text = isPreparing ? "The engine is being prepared." : sentence;
  // The bar is full up to the least chance, and hatched from there to the greatest: of a proven value they are equal.
  const [least, greatest] = isFound ? [low ?? share ?? 0.5, high ?? share ?? 0.5] : [0.5, 0.5];
  const ends = isFound ? [sides?.[0] ?? [], sides?.[1] ?? []] : [];
  const kind = classes(
    "evaluation",
    evaluation.isOld.value && !isPreparing && "old",
    isFound && solved && "proven",
    (!isFound || isPreparing) && "blank",
  );
  const range = { left: `${100 * least}%`, width: `${100 * (greatest - least)}%` };
  return html`<div class=${kind} id="evaluation">
    <div class="meter" id="evaluation-meter" role="meter" aria-label="Expected result" aria-valuemin="0"
      aria-valuemax="100" aria-valuenow=${isFound ? Math.round(100 * (share ?? 0.5)) : 50} aria-valuetext=${text}>
      <span id="evaluation-share" style=${{ width: `${100 * least}%` }} />
      <span class="range" aria-hidden="true" hidden=${least === greatest} style=${range} />
      <span class="ends" aria-hidden="true">
        ${ends.map((seats) => html`<span>${seats.map((seat) => html`<${Badge} seat=${seat} />`)}</span>`)}</span></div>
    <p class="small" id="evaluation-text">
      ${isPreparing ? html`<${Preparation} share=${prepared} />` : sentence}</p></div>`;
}
