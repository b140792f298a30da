// The list of moves, and stepping through the game with it.

import { byId, closest, findAll, hasModifier, isScrolledToEnd, make, makeBadge, setOrRemove } from "./dom.js";

/** @type {Record<string, Step>} */
const ARROWS = { ArrowLeft: "back", ArrowUp: "back", ArrowRight: "forward", ArrowDown: "forward" };
/** @type {Record<string, Step>} */ const KEYS = { ...ARROWS, Home: "first", End: "now" };

export class MoveList {
  #list = byId("moves");
  #stepButtons = findAll(document, "[data-step]");
  /** @type {Ply[]} */ #plies = [];
  /** @type {number | null} the number of plies before the shown position, or null for the current position */
  shownPly = null;
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

  get length() {
    return this.#plies.length;
  }

  /** Return the seats in the order of their moves. */
  movers() {
    return this.#plies.map(([seat]) => seat);
  }

  /** Keep `kept` plies, append others. @param {number} kept @param {Ply[]} plies @param {string[]} names of seats */
  update(kept, plies, names) {
    const list = this.#list;
    const isAtEnd = isScrolledToEnd(list);
    this.#plies.length = kept;
    this.#plies.push(...plies);
    while (list.children.length > kept) list.lastElementChild?.remove();
    list.append(...plies.map(([seat, move], index) => makeItem(kept + index + 1, seat, names[seat], move)));
    byId("no-moves").hidden = this.#plies.length > 0;
    if (this.shownPly !== null && this.shownPly >= this.#plies.length) this.shownPly = null;
    this.#showCurrent();
    if (isAtEnd || this.shownPly !== null) this.#scrollToCurrent();
  }

  /** Show the position after some plies. @param {number} ply cut off at both ends of the game */
  #goTo(ply) {
    this.shownPly = ply >= this.#plies.length ? null : Math.max(0, ply);
    this.#showCurrent();
    this.#scrollToCurrent();
    this.#onStep(this.shownPly);
  }

  /** @param {Step} step */
  #step(step) {
    const ply = this.shownPly ?? this.#plies.length;
    this.#goTo({ first: 0, back: ply - 1, forward: ply + 1, now: Infinity }[step]);
  }

  /** Step with the arrow keys, and keep the focus on the shown move. @param {KeyboardEvent} event */
  #onKey(event) {
    const step = KEYS[event.key];
    if (!step || hasModifier(event)) return;
    event.preventDefault();
    this.#step(step);
    findAll(this.#list, '[tabindex="0"]')[0]?.focus();
  }

  /** Scroll the list, and not the page, to the shown move. */
  #scrollToCurrent() {
    const list = this.#list;
    const item = list.querySelector("[aria-current]")?.parentElement;
    const top = item?.offsetTop ?? 0; // relative to the list, which is positioned
    const height = item?.offsetHeight ?? 0;
    if (top < list.scrollTop) list.scrollTop = top - height;
    else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
  }

  /** Mark the shown move and the buttons that lead nowhere. */
  #showCurrent() {
    const ply = this.shownPly ?? this.#plies.length;
    findAll(this.#list, "[data-ply]").forEach((button, index) => {
      const isCurrent = index + 1 === ply;
      setOrRemove(button, "aria-current", isCurrent ? "step" : "");
      button.tabIndex = isCurrent || (ply === 0 && index === 0) ? 0 : -1;
    });
    for (const button of this.#stepButtons) {
      const isBack = button.dataset.step === "first" || button.dataset.step === "back";
      // A button with `disabled` would lose the focus.
      button.setAttribute("aria-disabled", String(ply === (isBack ? 0 : this.#plies.length)));
    }
  }
}

/** Make the item of a move. @param {number} ply @param {Seat} seat @param {string} name @param {string} move */
function makeItem(ply, seat, name, move) {
  const number = make("span", { class: "number" }, String(ply));
  const text = make("span", { class: "move" }, move);
  const attributes = { type: "button", "data-ply": ply, tabindex: "-1", "aria-label": `${ply}, ${name}: ${move}` };
  return make("li", {}, make("button", attributes, number, makeBadge(seat), text));
}
