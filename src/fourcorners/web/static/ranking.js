// The list of all moves by value, the best first; pointing at one shows it on the board.

import { byId, closest, hasModifier, make, makeButton } from "./dom.js";

const FIRST_SHOWN = 40;
/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/** Group moves by value, in the order in which the values first occur. @param {[string, number][]} moves */
export function groupByValue(moves) {
  /** @type {Map<number, string[]>} */ const groups = new Map();
  for (const [move, value] of moves) groups.set(value, [...(groups.get(value) ?? []), move]);
  return [...groups];
}

/** Return where a key leads in a list, or null. @param {string} key @param {number} index @param {number} length */
export function stepIndex(key, index, length) {
  const step = STEPS[key];
  return step === undefined ? null : Math.max(0, Math.min(length - 1, index + step));
}

export class Ranking {
  #list = byId("ranking");
  #values;
  /** @type {string | null} */ #shown = null;

  /** @param {MoveValues} values @param {(move: string) => void} choose */
  constructor(values, choose) {
    this.#values = values;
    const list = this.#list;
    const moveOf = (/** @type {Event} */ event) => closest(event, "[data-move]")?.dataset.move ?? null;
    for (const name of ["pointerover", "focusin"]) list.addEventListener(name, (event) => this.#show(moveOf(event)));
    for (const name of ["pointerleave", "focusout"]) list.addEventListener(name, () => this.#show(null));
    list.addEventListener("click", (event) => {
      const move = moveOf(event);
      if (move !== null) choose(move);
    });
    list.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** Show moves with their values. @param {[string, number][]} moves the best first; an empty list hides the panel */
  set(moves) {
    byId("ranking-panel").hidden = !moves.length;
    const groups = groupByValue(moves).map(([value, names], index) => this.#makeGroup(value, names, index === 0));
    this.#list.replaceChildren(...groups);
    this.#makeTabbable(this.#buttons[0]);
    this.#list.scrollTop = 0;
  }

  /** Make the list of all moves of one value. @param {number} value @param {string[]} names @param {boolean} isBest */
  #makeGroup(value, names, isBest) {
    const values = this.#values;
    const prefix = isBest && values.describe(value) !== values.describeOnly(value) ? "Best: " : "";
    const sign = make("span", { class: values.className(value), "aria-hidden": "true" }, values.text(value));
    const meaning = make("span", { class: "what" }, prefix, values.describeOnly(value));
    const count = make("span", { class: "muted small" }, `${names.length} ${names.length === 1 ? "move" : "moves"}`);
    const list = make("ul", { role: "list" }, ...names.slice(0, FIRST_SHOWN).map(makeItem));
    if (names.length > FIRST_SHOWN) list.append(this.#makeMore(names.slice(FIRST_SHOWN)));
    return make("section", { class: "rank" }, make("h3", {}, sign, meaning, count), list);
  }

  /** Make the button that shows the remaining moves. @param {string[]} names */
  #makeMore(names) {
    const showRest = () => {
      const items = names.map(makeItem);
      item.replaceWith(...items);
      this.#makeTabbable(this.#buttons[0]);
      items[0].querySelector("button")?.focus();
    };
    const item = make("li", {}, makeButton(`${names.length} more`, showRest, { "data-more": "", tabindex: "-1" }));
    return item;
  }

  /** Show a move on the board, or none. @param {string | null} move */
  #show(move) {
    if (move !== this.#shown) this.#values.showMove(move);
    this.#shown = move;
  }

  get #buttons() {
    return [...this.#list.querySelectorAll("button")];
  }

  /** Let the Tab key reach one button; arrow keys move on from there. @param {HTMLButtonElement | undefined} current */
  #makeTabbable(current) {
    for (const button of this.#buttons) button.tabIndex = button === current ? 0 : -1;
  }

  /** Move the focus through the list. @param {KeyboardEvent} event */
  #onKey(event) {
    const buttons = this.#buttons;
    const index = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const next = stepIndex(event.key, index, buttons.length);
    if (next === null || index < 0 || hasModifier(event)) return;
    event.preventDefault();
    this.#makeTabbable(buttons[next]);
    buttons[next].focus();
  }
}

/** @param {string} move */
function makeItem(move) {
  return make("li", {}, make("button", { type: "button", "data-move": move, tabindex: "-1" }, move));
}
