// The hint: a good move for the seat to move and the reason for it, in words and marked on the board.

import { makeSvg, screenScale } from "./dom.js";
import { Overlays } from "./overlays.js";
import { Preparation } from "./parts.js";
import { html, signal } from "./preact.js";
import { ReadyButton } from "./readiness.js";
import { past, table } from "./table.js";
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
  #overlays = new Overlays();
  #questions = 0;
  /** What is asked or shown: with a move it is the answer, without one it says why there is none; null for nothing. */
  shown = signal(/** @type {{ id: string, isBusy: boolean, move: string, text: string } | null} */ (null));

  /** @param {HintPage} page */
  constructor(page) {
    this.#page = page;
  }

  /** Ask for a hint, or remove the one that is shown. */
  toggle() {
    if (this.shown.value?.id) this.forget();
    else this.#ask();
  }

  /** Remove the hint: another position is shown. */
  forget() {
    if (this.shown.value) this.#show(null);
  }

  /** Return the hint's mark if it suggests this choice. @param {Token} token @returns {Annotation | null} */
  annotate(token) {
    const isHint = this.shown.value?.move.split(" ").includes(token);
    return isHint ? { kind: "star", text: "★", words: "the hint" } : null;
  }

  /** Ask for a hint, and show it unless another position is shown meanwhile. */
  async #ask() {
    const id = `h${++this.#questions}`;
    this.shown.value = { id, isBusy: true, move: "", text: "Looking for a good move…" };
    const answer = await this.#page.client.ask("hint", { id });
    if (id !== this.shown.value?.id) return;
    const { state, move, reason, sentence } = answer ?? {};
    if (state === "found" && move) this.#show({ id, isBusy: false, move, text: reason ? `: ${reason}.` : "" });
    else this.#show(state === "refused" ? { id: "", isBusy: false, move: "", text: sentence ?? "" } : null);
  }

  /** Show a hint in words and on the board. @param {Hint["shown"]["value"]} shown */
  #show(shown) {
    this.shown.value = shown;
    this.#overlays.clear();
    const { picture, onChange } = this.#page;
    const marks = shown?.move
      ? this.#overlays.outlineMove(picture, shown.move.split(" "), "hint-marks", "the hint")
      : [];
    for (const { svg, layer } of marks) {
      const outline = /** @type {SVGRectElement} */ (layer.firstElementChild);
      layer.append(makeStar(svg, outline.getBBox()));
    }
    onChange();
  }
}

/** Offers a hint to a player who is to move. @param {{ hint: Hint, readiness: Readiness }} props */
export function HintButton({ hint, readiness }) {
  const state = table.value;
  if (!state || state.over || state.study || !state.seats.length || forbidsAdvice(state)) return null;
  const seesHand = !state.game.hidden || state.viewer === state.seat;
  const { id = "", isBusy = false } = hint.shown.value ?? {};
  return html`<${ReadyButton} id="hint" icon="hint" word="Hint" label="Hint" shortcut="h" readiness=${readiness}
    isPressed=${id !== ""} isBusy=${isBusy} disabled=${!(state.mine && !past.value && seesHand)}
    press=${() => hint.toggle()} />`;
}

/** The hint in words. @param {{ hint: Hint, readiness: Readiness }} props */
export function Advice({ hint, readiness }) {
  const shown = hint.shown.value;
  const share = readiness.share("hint");
  const text = shown?.isBusy && share < 1 ? html`<${Preparation} share=${share} />` : shown?.text;
  return html`<div class="advice" id="advice" role="status" hidden=${!shown}><p><span class="small muted">Hint</span>
    ${" "}<span id="hint-text">${shown?.move && html`<strong>${shown.move}</strong>`}${text}</span></p></div>`;
}
