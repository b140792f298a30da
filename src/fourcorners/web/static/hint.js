// The hint: a move for whose turn it is here, and why; asked of the server, said in words and marked on the board.

import { make } from "./dom.js";
import { Marks } from "./overlays.js";
import { amongPeople } from "./waiting.js";

const SVG = "http://www.w3.org/2000/svg";
const STAR = "M0-1 .26-.36.95-.31.43.14.59.81 0 .45-.59.81-.43.14-.95-.31-.26-.36Z";
const BADGE = 9;

const byId = (id) => document.getElementById(id);

// A star at the corner of a rectangle, inside the picture.
function star(svg, rect) {
  const scale = BADGE / svg.getScreenCTM().a;
  const view = svg.viewBox.baseVal;
  const { x, y, width } = rect.getBBox();
  const corner = { x: Math.min(x + width - scale / 3, view.x + view.width - 1.2 * scale), y: Math.max(y + scale / 3, view.y + 1.2 * scale) };
  const badge = document.createElementNS(SVG, "g");
  badge.setAttribute("class", "star");
  badge.setAttribute("transform", `translate(${corner.x.toFixed(2)} ${corner.y.toFixed(2)}) scale(${scale.toFixed(3)})`);
  const disc = document.createElementNS(SVG, "circle");
  disc.setAttribute("r", "1");
  const points = document.createElementNS(SVG, "path");
  points.setAttribute("d", STAR);
  points.setAttribute("transform", "scale(.68)");
  badge.append(disc, points);
  return badge;
}

export class Hint {
  #question = 0; // 0: none is asked or shown
  #tokens = [];
  #marks = new Marks();

  // `changed()` is called when what is known of the move has changed.
  constructor({ live, picture, places, changed }) {
    Object.assign(this, { live, picture, places, changed });
    this.button = byId("hint");
    this.button.addEventListener("click", () => this.#press());
  }

  // Offer a hint where it is somebody's turn at this screen; `now` tells that the position of the game is shown.
  update(state, now) {
    this.button.hidden = state.over || state.study || !state.seats?.length || amongPeople(state);
    const mine = state.mine && now && !(state.game.hidden && state.viewer !== state.seat);
    if (this.button.disabled !== !mine) this.button.disabled = !mine;
  }

  // The hint is none any more for what is shown now.
  forget() {
    if (!this.#question && byId("advice").hidden) return;
    this.#question = 0;
    this.#tokens = [];
    this.#marks.clear();
    this.#say(null);
    this.#busy(false);
    this.changed();
  }

  // What the hint says of a choice that is on no element.
  of(token) {
    return this.#tokens.includes(token) ? { kind: "star", text: "★", words: "the hint" } : null;
  }

  #press() {
    if (this.#question) this.forget();
    else this.#ask();
  }

  async #ask() {
    const question = (this.#question = Date.now() + Math.random());
    this.#busy(true);
    this.#say("Looking for a good move…");
    const answer = await this.live.question("hint", { id: `h${question}` });
    if (question !== this.#question) return;
    this.#busy(false);
    if (answer?.state === "found") this.#show(answer);
    else this.forget();
    if (answer?.state === "refused") this.#say(answer.sentence);
  }

  #show({ move, reason }) {
    this.button.setAttribute("aria-pressed", "true");
    this.#tokens = move.split(" ");
    this.#say(reason ? `: ${reason}.` : "", move);
    this.#mark();
    this.changed();
  }

  #busy(busy) {
    this.button.setAttribute("aria-pressed", String(busy));
    if (busy) this.button.setAttribute("aria-busy", "true");
    else this.button.removeAttribute("aria-busy");
  }

  #say(text, move = "") {
    const place = byId("hint-text");
    byId("advice").hidden = text === null;
    place.replaceChildren(...(move ? [make("strong", {}, move)] : []), text ?? "");
  }

  // Draw where the move is made: a dashed outline with a star, and words for the ear.
  #mark() {
    this.#marks.clear();
    for (const layer of this.#marks.move(this.picture, this.#tokens, "hint-marks", "the hint")) {
      layer.append(star(layer.ownerSVGElement, layer.firstElementChild));
    }
  }
}
