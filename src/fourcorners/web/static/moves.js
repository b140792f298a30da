// The list of moves, and stepping through the game with it.

import { badge, make } from "./dom.js";

const byId = (id) => document.getElementById(id);

export class Moves {
  #plies = [];
  #at = null;

  // `look(ply)` shows the position after so many plies; null is the position now.
  constructor(look) {
    this.look = look;
    this.list = byId("moves");
    this.steps = [...document.querySelectorAll("[data-step]")];
    for (const button of this.steps) button.addEventListener("click", () => this.#press(button.dataset.step));
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("[data-ply]");
      if (button) this.go(Number(button.dataset.ply));
    });
    this.list.addEventListener("keydown", (event) => this.#key(event));
  }

  // Where the list stands: the number of plies shown, or null for now.
  get at() {
    return this.#at;
  }

  get length() {
    return this.#plies.length;
  }

  // The seats, in the order of their moves.
  movers() {
    return this.#plies.map(([seat]) => seat);
  }

  update(from, plies, names) {
    const atEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40;
    this.#plies.length = from;
    this.#plies.push(...plies);
    while (this.list.children.length > from) this.list.lastElementChild.remove();
    plies.forEach(([seat, move], index) => {
      const ply = from + index + 1;
      const button = make(
        "button",
        { type: "button", "data-ply": ply, tabindex: "-1", "aria-label": `${ply}, ${names[seat]}: ${move}` },
        make("span", { class: "number" }, String(ply)),
        badge(seat),
        make("span", { class: "move" }, move),
      );
      this.list.append(make("li", {}, button));
    });
    byId("no-moves").hidden = this.#plies.length > 0;
    if (this.#at !== null && this.#at >= this.#plies.length) this.#at = null;
    this.#mark();
    if (atEnd || this.#at !== null) this.#reveal();
  }

  go(ply) {
    const last = this.#plies.length;
    const wanted = Math.max(0, Math.min(ply, last));
    this.#at = wanted === last ? null : wanted;
    this.#mark();
    this.#reveal();
    this.look(this.#at);
  }

  #press(step) {
    const now = this.#at ?? this.#plies.length;
    this.go({ first: 0, back: now - 1, forward: now + 1, now: Infinity }[step]);
  }

  #key(event) {
    const steps = { ArrowLeft: "back", ArrowUp: "back", ArrowRight: "forward", ArrowDown: "forward", Home: "first", End: "now" };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#press(step);
    this.list.querySelector('[tabindex="0"]')?.focus();
  }

  // Scroll the list, and not the page, to the move that is shown.
  #reveal() {
    const { list } = this;
    const shown = list.querySelector("[aria-current]")?.parentElement;
    if (!shown) {
      list.scrollTop = 0;
      return;
    }
    const top = shown.offsetTop; // from the list's own edge, as it is positioned
    const bottom = top + shown.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top - shown.offsetHeight;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
  }

  #mark() {
    const now = this.#at ?? this.#plies.length;
    const buttons = [...this.list.querySelectorAll("[data-ply]")];
    buttons.forEach((button, index) => {
      const current = index + 1 === now;
      if (current) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      button.tabIndex = current || (now === 0 && index === 0) ? 0 : -1;
    });
    for (const button of this.steps) {
      const back = button.dataset.step === "first" || button.dataset.step === "back";
      // No `disabled`: a button that has the focus keeps it.
      button.setAttribute("aria-disabled", String(back ? now === 0 : now === this.#plies.length));
    }
  }
}
