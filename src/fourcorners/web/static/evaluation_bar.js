// The evaluation bar: how the shown position is expected to end. It is off until somebody turns it on.

/** @import { EvaluateAnswer, TableState } from "./messages.js" */
/** @import { TableClient } from "./table_client.js" */
import { badge, byId, make } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { isBetweenPeople } from "./table_state.js";

const PREFERENCE = "evaluation";
/** Somebody who steps quickly asks only about the position where they stop; in milliseconds. */
const ASK_DELAY = 150;

export class EvaluationBar {
  #client;
  #isOn = loadFlag(PREFERENCE);
  #position = ""; // identifies the shown position; empty if it may not be evaluated
  #ply = 0;
  #questions = 0;
  #timer = 0;

  /** @param {TableClient} client */
  constructor(client) {
    this.#client = client;
    byId("evaluate").addEventListener("click", () => {
      this.#isOn = !this.#isOn;
      saveFlag(PREFERENCE, this.#isOn);
      byId("evaluate").setAttribute("aria-pressed", String(this.#isOn));
      byId("evaluation").hidden = !this.#isOn;
      this.#ask();
    });
  }

  /**
   * Take the position that is shown now.
   * @param {TableState} state
   * @param {number} ply
   */
  update(state, ply) {
    // With hidden hands the bar shows what one's own hand tells, so a spectator gets none.
    const seesHand = !state.game.hidden || state.study || state.seats.length > 0;
    const isAllowed = state.revealed || (seesHand && !isBetweenPeople(state));
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
    this.#questions += 1;
    const question = this.#questions;
    if (!this.#isOn || !this.#position) return;
    byId("evaluation").classList.add("old");
    this.#timer = setTimeout(async () => {
      const answer = await this.#client.ask("evaluate", { id: `e${question}`, ply: this.#ply });
      if (question !== this.#questions) return;
      if (!answer || answer.state === "left") {
        this.#position = ""; // Ask again when the connection is back.
        return;
      }
      byId("evaluation").classList.remove("old");
      if (answer.state === "found") this.#show(answer);
      else this.#showNothing(answer.sentence ?? "");
    }, ASK_DELAY);
  }

  /** @param {EvaluateAnswer} answer */
  #show({ sentence, detail, share, sides, solved }) {
    const [first, second] = sides ?? [];
    const text = sentence ?? "";
    this.#showMeter(Math.round(100 * (share ?? 0.5)), detail ? `${text} ${detail}.` : text);
    byId("evaluation-ends").replaceChildren(
      make("span", {}, ...(first ?? []).map(badge)),
      make("span", {}, ...(second ?? []).map(badge)),
    );
    byId("evaluation-text").replaceChildren(text, ...(detail ? [" ", make("span", { class: "muted" }, detail)] : []));
    byId("evaluation").classList.toggle("proven", Boolean(solved));
    byId("evaluation").classList.remove("blank");
  }

  /** @param {string} sentence why there is no evaluation */
  #showNothing(sentence) {
    this.#showMeter(50, sentence);
    byId("evaluation-ends").replaceChildren();
    byId("evaluation-text").textContent = sentence;
    byId("evaluation").classList.remove("proven");
    byId("evaluation").classList.add("blank");
  }

  /**
   * @param {number} percent
   * @param {string} words
   */
  #showMeter(percent, words) {
    const meter = byId("evaluation-meter");
    meter.setAttribute("aria-valuenow", String(percent));
    meter.setAttribute("aria-valuetext", words);
    byId("evaluation-share").style.width = `${percent}%`;
  }
}
