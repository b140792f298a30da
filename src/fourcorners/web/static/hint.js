// The hint: a good move for the seat to move and the reason for it, in words and marked on the board.

/** @import { TableState, Token } from "./messages.js" */
/** @import { Annotation } from "./move_buttons.js" */
/** @import { Picture } from "./picture.js" */
/** @import { TableClient } from "./table_client.js" */
import { byId, make, makeSvg, screenMatrix } from "./dom.js";
import { Overlays } from "./overlays.js";
import { isBetweenPeople } from "./table_state.js";

const STAR = "M0-1 .26-.36.95-.31.43.14.59.81 0 .45-.59.81-.43.14-.95-.31-.26-.36Z";
const STAR_RADIUS = 9;

/**
 * Draw a star at the upper right corner of a rectangle, inside the picture.
 * @param {SVGSVGElement} svg
 * @param {SVGGraphicsElement} rectangle
 */
function makeStar(svg, rectangle) {
  const radius = STAR_RADIUS / screenMatrix(svg).a;
  const view = svg.viewBox.baseVal;
  const { x, y, width } = rectangle.getBBox();
  const right = Math.min(x + width - radius / 3, view.x + view.width - 1.2 * radius);
  const top = Math.max(y + radius / 3, view.y + 1.2 * radius);
  return makeSvg(
    "g",
    { class: "star", transform: `translate(${right.toFixed(2)} ${top.toFixed(2)}) scale(${radius.toFixed(3)})` },
    makeSvg("circle", { r: "1" }),
    makeSvg("path", { d: STAR, transform: "scale(.68)" }),
  );
}

export class Hint {
  #client;
  #picture;
  #onChange;
  #button = byId("hint", HTMLButtonElement);
  #overlays = new Overlays();
  /** @type {string | null} the id of the hint that is asked for or shown */
  #question = null;
  #questions = 0;
  /** @type {Token[]} */
  #tokens = [];

  /**
   * @param {object} page
   * @param {TableClient} page.client
   * @param {Picture} page.picture
   * @param {() => void} page.onChange called when another move is suggested, or none any more
   */
  constructor({ client, picture, onChange }) {
    this.#client = client;
    this.#picture = picture;
    this.#onChange = onChange;
    this.#button.addEventListener("click", () => {
      if (this.#question) this.forget();
      else this.#ask();
    });
  }

  /**
   * Offer a hint to somebody who is to move.
   * @param {TableState} state
   * @param {boolean} isCurrent whether the current position is shown
   */
  update(state, isCurrent) {
    this.#button.hidden = state.over || state.study || !state.seats.length || isBetweenPeople(state);
    const seesHand = !state.game.hidden || state.viewer === state.seat;
    const disabled = !(state.mine && isCurrent && seesHand);
    if (this.#button.disabled !== disabled) this.#button.disabled = disabled;
  }

  /** Remove the hint: another position is shown. */
  forget() {
    if (!this.#question && byId("advice").hidden) return;
    this.#question = null;
    this.#tokens = [];
    this.#overlays.clear();
    byId("advice").hidden = true;
    this.#showPressed(false, false);
    this.#onChange();
  }

  /**
   * Return the hint's mark if it suggests this choice.
   * @param {Token} token
   * @returns {Annotation | null}
   */
  annotate(token) {
    return this.#tokens.includes(token) ? { kind: "star", text: "★", words: "the hint" } : null;
  }

  async #ask() {
    this.#questions += 1;
    const id = `h${this.#questions}`;
    this.#question = id;
    this.#showPressed(true, true);
    this.#say("Looking for a good move…");
    const answer = await this.#client.ask("hint", { id });
    if (id !== this.#question) return;
    if (answer?.state === "found" && answer.move) {
      this.#show(answer.move, answer.reason ?? "");
      return;
    }
    this.forget();
    if (answer?.state === "refused") this.#say(answer.sentence ?? "");
  }

  /**
   * @param {string} move
   * @param {string} reason
   */
  #show(move, reason) {
    this.#showPressed(true, false);
    this.#tokens = move.split(" ");
    this.#say(reason ? `: ${reason}.` : "", move);
    this.#overlays.clear();
    for (const { svg, layer } of this.#overlays.outlineMove(this.#picture, this.#tokens, "hint-marks", "the hint")) {
      layer.append(makeStar(svg, /** @type {SVGRectElement} */ (layer.firstElementChild)));
    }
    this.#onChange();
  }

  /**
   * @param {boolean} isPressed
   * @param {boolean} isBusy
   */
  #showPressed(isPressed, isBusy) {
    this.#button.setAttribute("aria-pressed", String(isPressed));
    if (isBusy) this.#button.setAttribute("aria-busy", "true");
    else this.#button.removeAttribute("aria-busy");
  }

  /**
   * @param {string} text
   * @param {string} move
   */
  #say(text, move = "") {
    byId("advice").hidden = false;
    byId("hint-text").replaceChildren(...(move ? [make("strong", {}, move)] : []), text);
  }
}
