// The end at a table that hid its points: the players count on the final board, and the page confirms or corrects.

import { byId, findAll, make } from "./dom.js";
import { loadPreference, savePreference } from "./preferences.js";
import { isComputer, seatName } from "./table_state.js";
import { listWords } from "./text.js";

/** Return the parties that somebody at this browser counts for: the own ones, and those of computers only. */
export function listPartiesToCount(/** @type {TableState} */ state) {
  if (!state.count || !state.seats.length) return [];
  return state.game.teams.filter((party) => {
    const isOwn = party.some((seat) => state.seats.includes(seat));
    return isOwn || party.every((seat) => isComputer(state, seat));
  });
}

/**
 * Say whether a count is right.
 * @param {string} name of a player or team @param {number} counted @param {number} points
 */
export function describeCount(name, counted, points) {
  const verb = name === "You" ? "have" : "has";
  if (counted === points) return `Right: ${name} ${verb} ${points}.`;
  const difference = Math.abs(points - counted);
  return `${name} ${verb} ${points}, not ${counted}: ${difference} ${counted < points ? "more" : "fewer"}.`;
}

export class Count {
  #key;
  #onDone;
  /** @type {TableState | null} the state with its points */ #state = null;
  /** @type {string} the counts that the fields are for */ #shown = "";

  /** @param {string} table its id @param {(state: TableState) => void} onDone shows the state with its points */
  constructor(table, onDone) {
    this.#key = `count ${table}`;
    this.#onDone = onDone;
    byId("count").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#check();
    });
    byId("count-skip").addEventListener("click", () => this.#finish({}));
  }

  /** Return the state as it may be shown: without points and result until they are counted. @param {TableState} state */
  mask(state) {
    this.#state = state;
    if (!this.#isDue()) return state;
    return { ...state, outcome: null, scores: [], moved: null, unrated: null, revealed: false, overlay: null };
  }

  /** Show the fields while points are to be counted, and after that what came of it. @param {TableState} shown */
  update(shown) {
    const state = this.#state;
    const isDue = state !== null && this.#isDue();
    byId("count").hidden = !isDue;
    // A frame round what decided the game would tell who has won.
    byId("scene").classList.toggle("uncounted", isDue);
    const counts = isDue ? null : this.#load();
    const hasAnswer = Boolean(shown.count && counts && Object.keys(counts).length);
    byId("count-answer").hidden = !hasAnswer;
    if (state && hasAnswer) byId("count-answer").textContent = this.#describe(state, counts ?? {});
    if (state && isDue) this.#showFields(state);
  }

  #isDue() {
    return this.#state !== null && listPartiesToCount(this.#state).length > 0 && this.#load() === null;
  }

  /** Return the stored counts by the first seat of a party; none of them if counting was skipped, null before. */
  #load() {
    const text = loadPreference(this.#key);
    return text ? /** @type {Record<string, number>} */ (JSON.parse(text)) : null;
  }

  /** Make a field for each party, once. @param {TableState} state */
  #showFields(state) {
    const parties = listPartiesToCount(state);
    const key = JSON.stringify([parties, state.names]);
    if (key === this.#shown) return;
    this.#shown = key;
    const fields = parties.map((party) => {
      const input = make("input", {
        type: "text",
        inputmode: "numeric",
        pattern: "[0-9]{1,4}",
        maxlength: "4",
        autocomplete: "off",
        required: true,
        "data-seat": party[0],
      });
      return make("label", {}, make("span", {}, nameParty(state, party)), input);
    });
    byId("count-fields").replaceChildren(...fields);
  }

  /** Take what was typed; the browser has checked that every field has a number. */
  #check() {
    const fields = /** @type {HTMLInputElement[]} */ (findAll(byId("count-fields"), "input"));
    this.#finish(Object.fromEntries(fields.map((field) => [field.dataset.seat, Number(field.value)])));
  }

  /** @param {Record<string, number>} counts */
  #finish(counts) {
    savePreference(this.#key, JSON.stringify(counts));
    if (this.#state) this.#onDone(this.#state);
  }

  /** @param {TableState} state @param {Record<string, number>} counts by the first seat of a party */
  #describe(state, counts) {
    const parties = state.game.teams.filter(([seat]) => seat in counts);
    return parties
      .map((party) => describeCount(nameParty(state, party), counts[party[0]], state.scores[party[0]]))
      .join(" ");
  }
}

/** Name the players of a party. @param {TableState} state @param {Seat[]} party */
function nameParty(state, party) {
  return listWords(
    party.map((seat) => (state.seats.length === 1 && state.seats[0] === seat ? "You" : seatName(state, seat))),
  );
}
