// The list of all moves by value, the best first; pointing at one shows it on the board.

/** @import { MoveValues } from "./move_values.js" */
import { closest, make } from "./dom.js";

const FIRST_SHOWN = 40;
/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/**
 * Group moves by value, in the order in which the values first occur.
 * @param {[string, number][]} moves
 * @returns {[number, string[]][]}
 */
export function groupByValue(moves) {
  /** @type {Map<number, string[]>} */
  const groups = new Map();
  for (const [move, value] of moves) groups.set(value, [...(groups.get(value) ?? []), move]);
  return [...groups];
}

/**
 * Return where an arrow key leads in a list, or null for other keys.
 * @param {string} key
 * @param {number} index
 * @param {number} length
 * @returns {number | null}
 */
export function stepIndex(key, index, length) {
  const step = STEPS[key];
  return step === undefined ? null : Math.max(0, Math.min(length - 1, index + step));
}

export class Ranking {
  #panel;
  #list;
  #values;
  /** @type {string | null} */
  #shown = null;

  /**
   * @param {HTMLElement} panel hidden while there are no moves
   * @param {HTMLElement} list
   * @param {MoveValues} values
   * @param {(move: string) => void} choose
   */
  constructor(panel, list, values, choose) {
    this.#panel = panel;
    this.#list = list;
    this.#values = values;
    const moveOf = (/** @type {Event} */ event) => closest(event, "[data-move]")?.dataset.move ?? null;
    list.addEventListener("pointerover", (event) => this.#show(moveOf(event)));
    list.addEventListener("pointerleave", () => this.#show(null));
    list.addEventListener("focusin", (event) => this.#show(moveOf(event)));
    list.addEventListener("focusout", () => this.#show(null));
    list.addEventListener("click", (event) => {
      const move = moveOf(event);
      if (move !== null) choose(move);
    });
    list.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /**
   * Show moves with their values.
   * @param {[string, number][]} moves the best first
   */
  set(moves) {
    this.#panel.hidden = !moves.length;
    this.#list.replaceChildren(
      ...groupByValue(moves).map(([value, names], index) => this.#makeGroup(value, names, index === 0)),
    );
    this.#makeTabbable(this.#buttons[0]);
    this.#list.scrollTop = 0;
  }

  /**
   * @param {number} value
   * @param {string[]} names
   * @param {boolean} isBest
   */
  #makeGroup(value, names, isBest) {
    const values = this.#values;
    const prefix = isBest && values.describe(value) !== values.describeOnly(value) ? "Best: " : "";
    const title = make(
      "h3",
      {},
      make("span", { class: values.className(value), "aria-hidden": "true" }, values.text(value)),
      make("span", { class: "what" }, prefix, values.describeOnly(value)),
      make("span", { class: "muted small" }, `${names.length} ${names.length === 1 ? "move" : "moves"}`),
    );
    const list = make("ul", { role: "list" }, ...names.slice(0, FIRST_SHOWN).map(makeItem));
    const rest = names.slice(FIRST_SHOWN);
    if (rest.length) list.append(this.#makeMore(rest));
    return make("section", { class: "rank" }, title, list);
  }

  /** @param {string[]} names the moves that the button shows */
  #makeMore(names) {
    const button = make("button", { type: "button", "data-more": "", tabindex: "-1" }, `${names.length} more`);
    const item = make("li", {}, button);
    button.addEventListener("click", () => {
      const items = names.map(makeItem);
      item.replaceWith(...items);
      this.#makeTabbable(this.#buttons[0]);
      items[0].querySelector("button")?.focus();
    });
    return item;
  }

  /** @param {string | null} move */
  #show(move) {
    if (move === this.#shown) return;
    this.#shown = move;
    this.#values.showMove(move);
  }

  get #buttons() {
    return [...this.#list.querySelectorAll("button")];
  }

  /**
   * Let the Tab key reach one button of the list; arrow keys move on from there.
   * @param {HTMLButtonElement | undefined} current
   */
  #makeTabbable(current) {
    for (const button of this.#buttons) button.tabIndex = button === current ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const buttons = this.#buttons;
    const index = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const next = stepIndex(event.key, index, buttons.length);
    if (next === null || index < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#makeTabbable(buttons[next]);
    buttons[next].focus();
  }
}

/** @param {string} move */
function makeItem(move) {
  return make("li", {}, make("button", { type: "button", "data-move": move, tabindex: "-1" }, move));
}
