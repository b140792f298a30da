// The list of all moves by what they are worth, the best first; pointing at one shows it on the board.

import { make } from "./dom.js";

const AT_FIRST = 40;
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

export class Ranking {
  #shown = null;

  constructor(panel, list, worths, choose) {
    Object.assign(this, { panel, list, worths, choose });
    const move = (event) => event.target.closest("[data-move]")?.dataset.move ?? null;
    list.addEventListener("pointerover", (event) => this.#show(move(event)));
    list.addEventListener("pointerleave", () => this.#show(null));
    list.addEventListener("focusin", (event) => this.#show(move(event)));
    list.addEventListener("focusout", () => this.#show(null));
    list.addEventListener("click", (event) => {
      const more = event.target.closest("[data-more]");
      if (more) this.#more(more);
      else if (move(event) !== null) this.choose(move(event));
    });
    list.addEventListener("keydown", (event) => this.#key(event));
  }

  // Show moves with their worth, sorted; none hides the list.
  set(moves) {
    this.panel.hidden = !moves.length;
    const groups = new Map();
    for (const [move, worth] of moves) {
      if (!groups.has(worth)) groups.set(worth, []);
      groups.get(worth).push(move);
    }
    this.list.replaceChildren(...[...groups].map(([worth, names], index) => this.#group(worth, names, index === 0)));
    this.#rove();
    this.list.scrollTop = 0;
  }

  #group(worth, names, best) {
    const count = `${names.length} ${names.length === 1 ? "move" : "moves"}`;
    const title = make(
      "h3",
      {},
      make("span", { class: this.worths.kind(worth), "aria-hidden": "true" }, this.worths.text(worth)),
      make("span", { class: "what" }, best && !/^(wins|loses)$/.test(this.worths.words(worth)) ? "Best: " : "", this.worths.words(worth).replace(", the best", "")),
      make("span", { class: "muted small" }, count),
    );
    const list = make("ul", { role: "list" }, ...names.slice(0, AT_FIRST).map(item));
    if (names.length > AT_FIRST) {
      const button = make("button", { type: "button", "data-more": "", tabindex: "-1" }, `${names.length - AT_FIRST} more`);
      button.names = names.slice(AT_FIRST);
      list.append(make("li", {}, button));
    }
    return make("section", { class: "rank" }, title, list);
  }

  #more(button) {
    const items = button.names.map(item);
    button.parentElement.replaceWith(...items);
    this.#rove();
    items[0].firstElementChild.focus();
  }

  #show(move) {
    if (move === this.#shown) return;
    this.#shown = move;
    this.worths.show(move);
  }

  get #buttons() {
    return [...this.list.querySelectorAll("button")];
  }

  // One button of the list can be tabbed to; arrow keys go on from there.
  #rove(current = this.#buttons[0]) {
    for (const button of this.#buttons) button.tabIndex = button === current ? 0 : -1;
  }

  #key(event) {
    const step = STEPS[event.key];
    const buttons = this.#buttons;
    const at = buttons.indexOf(document.activeElement);
    if (step === undefined || at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = buttons[Math.max(0, Math.min(buttons.length - 1, at + step))];
    this.#rove(next);
    next.focus();
  }
}

function item(move) {
  return make("li", {}, make("button", { type: "button", "data-move": move, tabindex: "-1" }, move));
}
