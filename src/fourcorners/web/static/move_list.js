// The list of moves, and stepping through the game with it.

import { byId, closest, findAll, hasModifier, make, makeBadge, setOrRemove } from "./dom.js";
import { parsePicture } from "./picture.js";

/** The keys that step anywhere on the page. @type {Record<string, Step>} */
const PAGE_KEYS = { ArrowLeft: "back", ArrowRight: "forward" };
/** The keys that step in the list. @type {Record<string, Step>} */
const LIST_KEYS = { ...PAGE_KEYS, ArrowUp: "back", ArrowDown: "forward", Home: "first", End: "now" };
/** What needs the arrow keys itself: the board, fields, lists and whatever scrolls sideways. */
const OWN_ARROWS =
  '#scene [data-token], #moves, #ranking, .sheet, dialog, input:not([type="checkbox"]), textarea, select';

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
    document.addEventListener("keydown", (event) => this.#onPageKey(event));
    // The list gets lower when something is shown above it.
    new ResizeObserver(() => this.#scrollToCurrent()).observe(this.#list);
  }

  get length() {
    return this.#plies.length;
  }

  /**
   * Keep some plies, append others. Those with a miniature are told in words, the others in the notation of the game.
   * @param {number} kept @param {NewPlies} plies @param {string[]} names of seats
   */
  update(kept, { plies, words, miniatures }, names) {
    const list = this.#list;
    this.#plies.length = kept;
    this.#plies.push(...plies);
    while (list.children.length > kept) list.lastElementChild?.remove();
    const items = plies.map(([seat, move], index) => {
      const miniature = miniatures[index] ?? "";
      return makeItem(kept + index + 1, seat, names[seat], { move, text: miniature ? words[index] : move, miniature });
    });
    list.append(...items);
    byId("no-moves").hidden = this.#plies.length > 0;
    if (this.shownPly !== null && this.shownPly >= this.#plies.length) this.shownPly = null;
    this.#showCurrent();
    // Always: a list that follows only from its end stops for good once a few rows are missing.
    this.#scrollToCurrent();
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
    const step = LIST_KEYS[event.key];
    if (!step || hasModifier(event)) return;
    event.preventDefault();
    this.#step(step);
    findAll(this.#list, '[tabindex="0"]')[0]?.focus();
  }

  /** Step from anywhere that does not need the arrow keys itself. @param {KeyboardEvent} event */
  #onPageKey(event) {
    const step = PAGE_KEYS[event.key];
    if (!step || event.defaultPrevented || hasModifier(event) || closest(event, OWN_ARROWS)) return;
    event.preventDefault();
    this.#step(step);
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

/**
 * Make the item of a move. @param {number} ply @param {Seat} seat @param {string} name
 * @param {{ move: string, text: string, miniature: string }} look its notation, what is shown of it, and its picture
 */
function makeItem(ply, seat, name, { move, text, miniature }) {
  const picture = parsePicture(miniature);
  const parts = [makeBadge(seat), ...(picture ? [picture] : []), make("span", { class: "move" }, text)];
  const number = make("span", { class: "number" }, String(ply));
  const attributes = { type: "button", "data-ply": ply, tabindex: "-1", "aria-label": `${ply}, ${name}: ${text}` };
  const button = make("button", attributes, number, ...parts);
  if (picture) button.title = move;
  return make("li", { class: picture ? "drawn" : "" }, button);
}
