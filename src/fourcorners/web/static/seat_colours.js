// The colours of the seats in the form for a new game: no two seats have the same one.

import { find, findAll } from "./dom.js";
import { keepDraft } from "./draft.js";

/**
 * Return a value with as many letters as needed: superfluous ones are cut off, free ones are added in their order.
 * @param {string} value @param {number} count @param {string[]} letters
 */
export function fitColours(value, count, letters) {
  const kept = [...value].slice(0, count);
  const free = letters.filter((letter) => !kept.includes(letter));
  return [...kept, ...free.slice(0, count - kept.length)].join("");
}

/**
 * Return the value after a seat has chosen a colour; the seat that had it gets the old one.
 * @param {string} value @param {number} place @param {string} letter
 */
export function chooseColour(value, place, letter) {
  const [old, other] = [value[place], value.indexOf(letter)];
  return [...value].map((each, index) => (index === place ? letter : index === other ? old : each)).join("");
}

export class SeatColours {
  #form;
  #field;
  /** @type {string[]} */ #letters;
  /** @type {Record<string, number>} */ #counts;

  /** @param {HTMLFormElement} form @param {HTMLElement} field holds the option's input, and the colours of no seat */
  constructor(form, field) {
    this.#form = form;
    this.#field = field;
    this.#letters = [...(field.dataset.letters ?? "")];
    this.#counts = JSON.parse(field.dataset.counts ?? "{}");
    this.#input.value = keepDraft("colours", () => this.#input.value) ?? this.#input.value;
    // Before the form's own listener, which sends the value to be checked.
    form.addEventListener("input", (event) => this.#take(/** @type {HTMLElement} */ (event.target)), { capture: true });
    this.show();
  }

  get #input() {
    return find(this.#field, "[data-colours]", HTMLInputElement);
  }

  get #seats() {
    const chosen = new FormData(this.#form).get("players");
    return Number(chosen ?? Object.keys(this.#counts)[0]);
  }

  /** @param {HTMLElement} target what was changed */
  #take(target) {
    if (target instanceof HTMLInputElement && target.closest("[data-place]")) {
      const group = /** @type {HTMLElement} */ (target.closest("[data-place]"));
      const place = group.dataset.place === "spare" ? this.#seats : Number(group.dataset.place);
      this.#input.value = chooseColour(this.#input.value, place, target.value);
    }
    this.show();
  }

  /** Show which colour each seat has, and the one of no seat, if there is one. */
  show() {
    const seats = this.#seats;
    const value = fitColours(this.#input.value, this.#counts[seats] ?? seats, this.#letters);
    this.#input.value = value;
    for (const group of findAll(this.#form, "[data-place]")) {
      const letter = value[group.dataset.place === "spare" ? seats : Number(group.dataset.place)];
      for (const radio of group.querySelectorAll("input")) radio.checked = radio.value === letter;
    }
    find(this.#field, "[data-spare]").hidden = value.length <= seats;
  }
}
