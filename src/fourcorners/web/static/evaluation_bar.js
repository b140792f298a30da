// The evaluation bar: how the shown position is expected to end. It is off until somebody turns it on.

import { byId, make, makeBadge } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { showPreparation } from "./preparation.js";
import { forbidsAdvice } from "./table_state.js";

const PREFERENCE = "evaluation";
/** Somebody who steps quickly asks only about the position where they stop; in milliseconds. */
const ASK_DELAY = 150;

export class EvaluationBar {
  #client;
  #readiness;
  #isWaiting = false; // for the answer
  #isOn = loadFlag(PREFERENCE);
  #position = ""; // identifies the shown position; empty if it may not be evaluated
  #ply = 0;
  #questions = 0;
  #timer = 0;
  #range = make("span", { class: "range", "aria-hidden": "true" });

  /** @param {TableClient} client @param {Readiness} readiness */
  constructor(client, readiness) {
    this.#client = client;
    this.#readiness = readiness;
    readiness.on("change", () => this.#showWaiting());
    byId("evaluation-share").after(this.#range);
    byId("evaluate").addEventListener("click", () => {
      this.#isOn = !this.#isOn;
      saveFlag(PREFERENCE, this.#isOn);
      byId("evaluate").setAttribute("aria-pressed", String(this.#isOn));
      byId("evaluation").hidden = !this.#isOn;
      this.#ask();
    });
  }

  /** Take the position that is shown now. @param {TableState} state @param {number} ply */
  update(state, ply) {
    // With hidden hands the bar shows what one's own hand tells, so a spectator gets none.
    const seesHand = !state.game.hidden || state.study || state.seats.length > 0;
    const isAllowed = state.revealed || (seesHand && !forbidsAdvice(state));
    byId("evaluate").hidden = !isAllowed;
    byId("evaluate").setAttribute("aria-pressed", String(this.#isOn));
    byId("evaluation").hidden = !isAllowed || !this.#isOn;
    const position = isAllowed ? `${state.version} ${ply} ${state.viewer}` : "";
    if (position === this.#position) return;
    this.#position = position;
    this.#ply = ply;
    this.#ask();
  }

  /** Ask about the shown position. The old bar stays, faded, until the answer: an empty one would flicker. */
  #ask() {
    clearTimeout(this.#timer);
    const question = ++this.#questions;
    this.#isWaiting = false;
    if (!this.#isOn || !this.#position) return;
    byId("evaluation").classList.add("old");
    this.#timer = setTimeout(async () => {
      this.#isWaiting = true;
      this.#showWaiting();
      const answer = await this.#client.ask("evaluate", { id: `e${question}`, ply: this.#ply });
      if (question !== this.#questions) return;
      this.#isWaiting = false;
      if (answer && answer.state !== "cancelled") this.#show(answer);
      else this.#position = ""; // Ask again when the connection is back.
    }, ASK_DELAY);
  }

  /** Say that the engine is being prepared, if an evaluation waits for that. */
  #showWaiting() {
    const share = this.#readiness.share("evaluate");
    if (!this.#isWaiting || share === 1) return;
    byId("evaluation").classList.remove("old");
    byId("evaluation").classList.add("blank");
    byId("evaluation-meter").setAttribute("aria-valuetext", "The engine is being prepared.");
    showPreparation(byId("evaluation-text"), share);
  }

  /** Show an evaluation, or why there is none. @param {EvaluateAnswer} answer */
  #show({ state, sentence, detail, share, low, high, sides, solved }) {
    const isFound = state === "found";
    const text = sentence ?? "";
    const note = isFound && detail ? detail : "";
    const percent = isFound ? Math.round(100 * (share ?? 0.5)) : 50;
    byId("evaluation-meter").setAttribute("aria-valuenow", String(percent));
    byId("evaluation-meter").setAttribute("aria-valuetext", note ? `${text} ${note}.` : text);
    // The bar is full up to the least chance, and hatched from there to the greatest: of a proven value they are equal.
    const [least, greatest] = isFound ? [low ?? share ?? 0.5, high ?? share ?? 0.5] : [0.5, 0.5];
    byId("evaluation-share").style.width = `${100 * least}%`;
    this.#range.hidden = least === greatest;
    this.#range.style.left = `${100 * least}%`;
    this.#range.style.width = `${100 * (greatest - least)}%`;
    const ends = isFound ? [sides?.[0] ?? [], sides?.[1] ?? []] : [];
    byId("evaluation-ends").replaceChildren(...ends.map((seats) => make("span", {}, ...seats.map(makeBadge))));
    byId("evaluation-text").replaceChildren(text, ...(note ? [" ", make("span", { class: "muted" }, note)] : []));
    byId("evaluation").classList.remove("old");
    byId("evaluation").classList.toggle("proven", isFound && Boolean(solved));
    byId("evaluation").classList.toggle("blank", !isFound);
  }
}
