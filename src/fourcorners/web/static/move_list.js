// The list of moves, and stepping through the game with it.

/** @import { Ply, Seat } from "./messages.js" */
import { badge, byId, closest, make } from "./dom.js";

/** @typedef {"first" | "back" | "forward" | "now"} Step */
/** @type {Record<string, Step>} */
const KEYS = {
  ArrowLeft: "back",
  ArrowUp: "back",
  ArrowRight: "forward",
  ArrowDown: "forward",
  Home: "first",
  End: "now",
};
/** A list this close to its end, in pixels, keeps showing its end. */
const NEAR_END = 40;

export class MoveList {
  #list = byId("moves");
  /** @type {HTMLElement[]} */
  #stepButtons = [...document.querySelectorAll("[data-step]")].map((button) => /** @type {HTMLElement} */ (button));
  /** @type {Ply[]} */
  #plies = [];
  /** @type {number | null} */
  #shownPly = null;
  #onStep;

  /** @param {(ply: number | null) => void} onStep shows the position after that many plies; null is the current one */
  constructor(onStep) {
    this.#onStep = onStep;
    for (const button of this.#stepButtons) {
      button.addEventListener("click", () => this.#step(/** @type {Step} */ (button.dataset.step)));
    }
    this.#list.addEventListener("click", (event) => {
      const button = closest(event, "[data-ply]");
      if (button) this.#goTo(Number(button.dataset.ply));
    });
    this.#list.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** The number of plies before the shown position, or null for the current position. */
  get shownPly() {
    return this.#shownPly;
  }

  get length() {
    return this.#plies.length;
  }

  /**
   * Return the seats in the order of their moves.
   * @returns {Seat[]}
   */
  movers() {
    return this.#plies.map(([seat]) => seat);
  }

  /**
   * Keep the first `kept` plies, and append others.
   * @param {number} kept
   * @param {Ply[]} plies
   * @param {string[]} names of the seats
   */
  update(kept, plies, names) {
    const list = this.#list;
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END;
    this.#plies.length = kept;
    this.#plies.push(...plies);
    while (list.children.length > kept) list.lastElementChild?.remove();
    list.append(...plies.map(([seat, move], index) => makeItem(kept + index + 1, seat, names[seat], move)));
    byId("no-moves").hidden = this.#plies.length > 0;
    if (this.#shownPly !== null && this.#shownPly >= this.#plies.length) this.#shownPly = null;
    this.#showCurrent();
    if (isAtEnd || this.#shownPly !== null) this.#scrollToCurrent();
  }

  /** @param {number} ply cut off at both ends of the game */
  #goTo(ply) {
    const last = this.#plies.length;
    const target = Math.max(0, Math.min(ply, last));
    this.#shownPly = target === last ? null : target;
    this.#showCurrent();
    this.#scrollToCurrent();
    this.#onStep(this.#shownPly);
  }

  /** @param {Step} step */
  #step(step) {
    const ply = this.#shownPly ?? this.#plies.length;
    this.#goTo({ first: 0, back: ply - 1, forward: ply + 1, now: Infinity }[step]);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const step = KEYS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#step(step);
    /** @type {HTMLElement | null} */ (this.#list.querySelector('[tabindex="0"]'))?.focus();
  }

  /** Scroll the list, and not the page, to the shown move. */
  #scrollToCurrent() {
    const list = this.#list;
    const item = list.querySelector("[aria-current]")?.parentElement;
    if (!item) {
      list.scrollTop = 0;
      return;
    }
    const top = item.offsetTop; // relative to the list, which is positioned
    const bottom = top + item.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top - item.offsetHeight;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
  }

  #showCurrent() {
    const ply = this.#shownPly ?? this.#plies.length;
    /** @type {NodeListOf<HTMLElement>} */
    const buttons = this.#list.querySelectorAll("[data-ply]");
    buttons.forEach((button, index) => {
      const isCurrent = index + 1 === ply;
      if (isCurrent) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      button.tabIndex = isCurrent || (ply === 0 && index === 0) ? 0 : -1;
    });
    for (const button of this.#stepButtons) {
      const isBack = button.dataset.step === "first" || button.dataset.step === "back";
      // A button with `disabled` would lose the focus.
      button.setAttribute("aria-disabled", String(ply === (isBack ? 0 : this.#plies.length)));
    }
  }
}

/**
 * @param {number} ply
 * @param {Seat} seat
 * @param {string} name
 * @param {string} move
 */
function makeItem(ply, seat, name, move) {
  const button = make(
    "button",
    { type: "button", "data-ply": ply, tabindex: "-1", "aria-label": `${ply}, ${name}: ${move}` },
    make("span", { class: "number" }, String(ply)),
    badge(seat),
    make("span", { class: "move" }, move),
  );
  return make("li", {}, button);
}
