// The end at a table that hid its points: the players count on the final board, and the page confirms or corrects.

import { CountBoard, compareMarks, sumMarks } from "./count_board.js";
import { byId, findAll, make, makeBadge, setText } from "./dom.js";
import { keepDraft } from "./draft.js";
import { loadPreference, savePreference } from "./preferences.js";
import { isComputer, namePlayer } from "./table_state.js";
import { asSentence, listWords } from "./text.js";

/** A sentence names at most so many areas. */
const MOST_NAMED = 6;

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
  if (counted === points) return `Right: ${name === "You" ? "you" : name} ${verb} ${points}.`;
  return `${name} ${verb} ${points}, you counted ${counted}.`;
}

/** Name what was tapped wrongly. @param {Area[]} missed @param {Area[]} wrong */
export function describeErrors(missed, wrong) {
  const list = (/** @type {Area[]} */ areas) => {
    const names = areas.slice(0, MOST_NAMED).map((area) => area.name);
    const rest = areas.length - names.length;
    return listWords(rest ? [...names, `${rest} more`] : names);
  };
  return [missed.length && `Missed: ${list(missed)}.`, wrong.length && `Counted wrongly: ${list(wrong)}.`]
    .filter(Boolean)
    .join(" ");
}

export class Count {
  #key;
  #page;
  #board;
  /** @type {TableState | null} the state with its points */ #state = null;
  /** @type {string} the counts that the fields are for */ #shown = "";
  /** @type {Marks} */ #marks;
  /** What was typed when the page was left, by the first seat of a party. @type {Record<string, string>} */
  #typed;

  /** @param {CountPage} page */
  constructor(page) {
    this.#key = `count ${page.table}`;
    this.#page = page;
    this.#board = new CountBoard(page, (area) => this.#tap(area));
    this.#marks = JSON.parse(loadPreference(this.#marksKey, "{}"));
    this.#typed = keepDraft("count", () => this.#listTyped()) ?? {};
    byId("count").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#check();
    });
    byId("count").addEventListener("input", () => this.#report());
    byId("count-skip").addEventListener("click", () => this.#finish({}));
  }

  /** Return the state as it may be shown: without points and result until they are counted. @param {TableState} state */
  mask(state) {
    this.#state = state;
    if (!this.#isDue()) return state.tallies ? { ...state, tallies: undefined } : state;
    const hidden = { outcome: null, scores: [], moved: null, unrated: null, revealed: false, overlay: null };
    return { ...state, ...hidden, tallies: this.#listTallies(state) };
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
    if (state && hasAnswer) setText(byId("count-answer"), this.#describe(state, counts ?? {}));
    if (state && isDue) this.#showFields(state);
    if (state) this.#drawBoard(state, isDue, counts ?? {});
  }

  #isDue() {
    return this.#state !== null && listPartiesToCount(this.#state).length > 0 && this.#load() === null;
  }

  get #marksKey() {
    return `${this.#key} marks`;
  }

  /** Return the stored counts by the first seat of a party; none of them if counting was skipped, null before. */
  #load() {
    const text = loadPreference(this.#key);
    return text ? /** @type {Record<string, number>} */ (JSON.parse(text)) : null;
  }

  get #fields() {
    return /** @type {HTMLInputElement[]} */ (findAll(byId("count-fields"), "input[type=text]"));
  }

  /** Return the first seat of the party for which a tap counts. */
  get #seat() {
    const [chosen] = findAll(byId("count-fields"), "input[type=radio]:checked");
    return Number((chosen ?? this.#fields[0]).dataset.seat);
  }

  /** Tell the page what has been counted so far. */
  #report() {
    this.#requireCount();
    if (this.#state) this.#page.onTally(this.#listTallies(this.#state));
  }

  /** List what is in the fields by the first seat of a party. */
  #listTyped() {
    return Object.fromEntries(this.#fields.map((field) => [field.dataset.seat, field.value]));
  }

  /** List what has been counted so far by seat, null where nobody counts here. @param {TableState} state */
  #listTallies(state) {
    const typed = this.#listTyped();
    /** @type {(number | null)[]} */ const tallies = state.names.map(() => null);
    for (const party of listPartiesToCount(state)) {
      const text = typed[party[0]] ?? "";
      const tally = /^\d+$/.test(text) ? Number(text) : sumMarks(state.areas, this.#marks, party[0]);
      for (const seat of party) tallies[seat] = tally;
    }
    return tallies;
  }

  /** Make a field for each party, once. @param {TableState} state */
  #showFields(state) {
    const parties = listPartiesToCount(state);
    const key = JSON.stringify([parties, state.names]);
    if (key === this.#shown) return;
    this.#shown = key;
    const tap = parties.length > 1 ? "Choose a player and tap what scores" : "Tap what scores on the board";
    setText(byId("count-how"), state.areas.length ? `${tap}, or type the points.` : "Count them and type them.");
    const hasChoice = parties.length > 1 && state.areas.length > 0;
    const rows = parties.map((party, index) => makeRow(state, party, hasChoice, index === 0));
    byId("count-fields").replaceChildren(...rows);
    for (const party of parties) this.#fillField(state, party[0]);
    for (const field of this.#fields) field.value = this.#typed[field.dataset.seat ?? ""] ?? field.value;
    this.#typed = {};
    this.#requireCount();
  }

  /** Let the browser ask for a number while there is none; after that, an empty field counts as 0. */
  #requireCount() {
    const isEmpty = this.#fields.every((field) => !field.value);
    for (const field of this.#fields) field.required = isEmpty;
  }

  /** Write what is marked for a party into its field; nothing before the first tap. @param {TableState} state @param {Seat} seat */
  #fillField(state, seat) {
    const field = this.#fields.find((each) => Number(each.dataset.seat) === seat);
    const isMarked = Object.values(this.#marks).includes(seat);
    if (field) field.value = isMarked ? String(sumMarks(state.areas, this.#marks, seat)) : "";
  }

  /** Count an area for the chosen party, or take it back. @param {Area} area */
  #tap(area) {
    const state = this.#state;
    if (!state) return;
    const seat = this.#seat;
    const before = this.#marks[area.name];
    const isTakenBack = before === seat;
    if (isTakenBack) delete this.#marks[area.name];
    else this.#marks[area.name] = seat;
    savePreference(this.#marksKey, JSON.stringify(this.#marks));
    for (const changed of new Set([seat, before])) if (changed !== undefined) this.#fillField(state, changed);
    this.#report();
    this.#drawBoard(state, true, {});
    const name = this.#nameOf(state, seat);
    const sum = sumMarks(state.areas, this.#marks, seat);
    const words = isTakenBack ? `not counted for ${name} any more` : `counted for ${name}`;
    this.#page.announce(asSentence(`${area.name}, ${words}, ${sum}`));
  }

  /** Let the board be tapped, or show what was counted wrongly. @param {TableState} state @param {boolean} isDue @param {Record<string, number>} counts */
  #drawBoard(state, isDue, counts) {
    if (!state.count || this.#page.picture.isPast) return;
    if (isDue) {
      this.#board.showButtons(state.areas, this.#marks, (area) => this.#label(state, area));
      return;
    }
    const errors = this.#findErrors(state, counts);
    this.#board.showErrors(
      errors.flatMap(({ missed }) => missed),
      errors.flatMap(({ wrong }) => wrong),
    );
  }

  /** @param {TableState} state @param {Area} area */
  #label(state, { name, points, seat }) {
    const owner = this.#nameOf(state, seat);
    const whose = owner === "you" ? "yours" : `${owner}’s`;
    const label = `${name}, ${points} ${points === 1 ? "point" : "points"}, ${whose}`;
    const marked = this.#marks[name];
    return marked === undefined ? label : `${label}, counted for ${this.#nameOf(state, marked)}`;
  }

  /** Name a party inside a sentence. @param {TableState} state @param {Seat} seat its first seat */
  #nameOf(state, seat) {
    const name = nameParty(state, state.game.teams.find((party) => party[0] === seat) ?? [seat]);
    return name === "You" ? "you" : name;
  }

  /** List, for each party that was counted by taps, which of them were wrong. @param {TableState} state @param {Record<string, number>} counts */
  #findErrors(state, counts) {
    return state.game.teams
      .map(([seat]) => seat)
      .filter((seat) => Object.values(this.#marks).includes(seat))
      .filter((seat) => counts[seat] === sumMarks(state.areas, this.#marks, seat))
      .map((seat) => ({ seat, ...compareMarks(state.areas, this.#marks, seat) }));
  }

  /** Take what was typed or tapped; the browser has checked that a field has a number. */
  #check() {
    this.#finish(Object.fromEntries(this.#fields.map((field) => [field.dataset.seat, Number(field.value)])));
  }

  /** @param {Record<string, number>} counts */
  #finish(counts) {
    savePreference(this.#key, JSON.stringify(counts));
    if (this.#state) this.#page.onDone(this.#state);
  }

  /** @param {TableState} state @param {Record<string, number>} counts by the first seat of a party */
  #describe(state, counts) {
    const parties = state.game.teams.filter(([seat]) => seat in counts);
    const errors = this.#findErrors(state, counts);
    return parties
      .flatMap((party) => {
        const error = errors.find(({ seat }) => seat === party[0]);
        const count = describeCount(nameParty(state, party), counts[party[0]], state.scores[party[0]]);
        return [count, error ? describeErrors(error.missed, error.wrong) : ""];
      })
      .filter(Boolean)
      .join(" ");
  }
}

/** Make the row of a party: what chooses it for taps, and its count. @param {TableState} state @param {Seat[]} party @param {boolean} hasChoice @param {boolean} isChosen */
function makeRow(state, party, hasChoice, isChosen) {
  const [seat] = party;
  const name = nameParty(state, party);
  const label = [...party.map(makeBadge), make("span", {}, name)];
  const choice = hasChoice
    ? make(
        "label",
        {},
        make("input", { type: "radio", name: "count-for", "data-seat": seat, checked: isChosen }),
        ...label,
      )
    : make("span", { class: "count-name" }, ...label);
  const input = make("input", {
    type: "text",
    inputmode: "numeric",
    pattern: "[0-9]{1,4}",
    maxlength: "4",
    autocomplete: "off",
    "data-seat": seat,
    "aria-label": `Points of ${name === "You" ? "you" : name}`,
  });
  return make("div", { class: "count-row" }, choice, input);
}

/** Name the players of a party. @param {TableState} state @param {Seat[]} party */
function nameParty(state, party) {
  return listWords(
    party.map((seat) => (state.seats.length === 1 && state.seats[0] === seat ? "You" : namePlayer(state, seat))),
  );
}
