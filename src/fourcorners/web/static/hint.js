// The hint: a good move for the seat to move and the reason for it, in words and marked on the board.

import { byId, make, makeSvg, screenScale, setOrRemove } from "./dom.js";
import { Overlays } from "./overlays.js";
import { showPreparation } from "./preparation.js";
import { forbidsAdvice } from "./table_state.js";

const STAR = "M0-1 .26-.36.95-.31.43.14.59.81 0 .45-.59.81-.43.14-.95-.31-.26-.36Z";
const STAR_RADIUS = 9;

/** Draw a star at the upper right corner of a box. @param {SVGSVGElement} svg @param {DOMRect} box */
function makeStar(svg, { x, y, width }) {
  const radius = STAR_RADIUS / screenScale(svg);
  const view = svg.viewBox.baseVal;
  const right = Math.min(x + width - radius / 3, view.x + view.width - 1.2 * radius);
  const top = Math.max(y + radius / 3, view.y + 1.2 * radius);
  const transform = `translate(${right.toFixed(2)} ${top.toFixed(2)}) scale(${radius.toFixed(3)})`;
  const star = makeSvg("path", { d: STAR, transform: "scale(.68)" });
  return makeSvg("g", { class: "star", transform }, makeSvg("circle", { r: "1" }), star);
}

export class Hint {
  #page;
  #button = byId("hint", HTMLButtonElement);
  #overlays = new Overlays();
  #question = ""; // the id of the hint that is asked for or shown
  #questions = 0;
  #isWaiting = false; // for the answer
  /** @type {Token[]} */ #tokens = [];

  /** @param {HintPage} page */
  constructor(page) {
    this.#page = page;
    this.#button.addEventListener("click", () => (this.#question ? this.forget() : this.#ask()));
    page.readiness.on("change", () => this.#showWaiting());
  }

  /** Offer a hint to somebody who is to move. @param {TableState} state @param {boolean} isCurrent */
  update(state, isCurrent) {
    this.#button.hidden = state.over || state.study || !state.seats.length || forbidsAdvice(state);
    const seesHand = !state.game.hidden || state.viewer === state.seat;
    const disabled = !(state.mine && isCurrent && seesHand);
    if (this.#button.disabled !== disabled) this.#button.disabled = disabled;
  }

  /** Remove the hint: another position is shown. */
  forget() {
    if (!this.#question && byId("advice").hidden) return;
    this.#question = "";
    this.#isWaiting = false;
    this.#tokens = [];
    this.#overlays.clear();
    byId("advice").hidden = true;
    this.#showPressed(false, false);
    this.#page.onChange();
  }

  /** Return the hint's mark if it suggests this choice. @param {Token} token @returns {Annotation | null} */
  annotate(token) {
    return this.#tokens.includes(token) ? { kind: "star", text: "★", words: "the hint" } : null;
  }

  /** Ask for a hint, and show it unless another position is shown meanwhile. */
  async #ask() {
    const id = `h${++this.#questions}`;
    this.#question = id;
    this.#showPressed(true, true);
    this.#isWaiting = true;
    this.#showWaiting();
    const answer = await this.#page.client.ask("hint", { id });
    if (id !== this.#question) return;
    this.#isWaiting = false;
    if (answer?.state === "found" && answer.move) return this.#show(answer.move, answer.reason ?? "");
    this.forget();
    if (answer?.state === "refused") this.#say(answer.sentence ?? "");
  }

  /** Say what the hint waits for, if it does. */
  #showWaiting() {
    if (!this.#isWaiting) return;
    const share = this.#page.readiness.share("hint");
    if (share === 1) return this.#say("Looking for a good move…");
    byId("advice").hidden = false;
    showPreparation(byId("hint-text"), share);
  }

  /** Show a move in words and on the board. @param {string} move @param {string} reason */
  #show(move, reason) {
    this.#showPressed(true, false);
    this.#tokens = move.split(" ");
    this.#say(reason ? `: ${reason}.` : "", move);
    this.#overlays.clear();
    const { picture, onChange } = this.#page;
    for (const { svg, layer } of this.#overlays.outlineMove(picture, this.#tokens, "hint-marks", "the hint")) {
      const outline = /** @type {SVGRectElement} */ (layer.firstElementChild);
      layer.append(makeStar(svg, outline.getBBox()));
    }
    onChange();
  }

  /** @param {boolean} isPressed @param {boolean} isBusy */
  #showPressed(isPressed, isBusy) {
    this.#button.setAttribute("aria-pressed", String(isPressed));
    setOrRemove(this.#button, "aria-busy", isBusy ? "true" : "");
  }

  /** @param {string} text @param {string} move */
  #say(text, move = "") {
    byId("advice").hidden = false;
    byId("hint-text").replaceChildren(...(move ? [make("strong", {}, move)] : []), text);
  }
}
