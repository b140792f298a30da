// The end at a table that hid its points: the players count on the final board, and the page confirms or corrects.

import { CountBoard, compareMarks, sumMarks } from "./count_board.js";
import { keepDraft } from "./draft.js";
import { Badge } from "./parts.js";
import { html, signal } from "./preact.js";
import { loadPreference, savePreference } from "./preferences.js";
import { isComputer, namePlayer, onlySeat } from "./table_state.js";
import { asSentence, capitalise, listWords, pluralise } from "./text.js";

const YOU = "you";
/** A sentence names at most this many areas. */
const MOST_NAMED = 6;

/** Return the parties that are counted for at this browser: its own, and those of computers only. */
export function listPartiesToCount(/** @type {TableState} */ state) {
  if (!state.count || !state.seats.length) return [];
  return state.game.teams.filter((party) => {
    const isOwn = party.some((seat) => state.seats.includes(seat));
    return isOwn || party.every((seat) => isComputer(state, seat));
  });
}

/**
 * Say whether a count is right. @param {string[]} names of the players of a party, "you" for the reader
 * @param {number} counted @param {number} points
 */
export function describeCount(names, counted, points) {
  const who = listWords(names);
  const have = names.length > 1 || names[0] === YOU ? "have" : "has";
  return counted === points
    ? `Right: ${who} ${have} ${points}.`
    : `${beginWith(names)} ${have} ${points}, not ${counted}.`;
}

/** List names at the beginning of a sentence. @param {string[]} names */
function beginWith(names) {
  return names[0] === YOU ? capitalise(listWords(names)) : listWords(names);
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
  /** @type {Marks} */ #marks;
  /** What was typed or tapped, by the first seat of a party. */
  #typed = signal(/** @type {Record<string, string>} */ ({}));
  /** The first seat of the party for which a tap counts. */
  chosen = signal(/** @type {Seat | null} */ (null));
  /** The state whose points are to be counted; null if none are. */
  due = signal(/** @type {TableState | null} */ (null));
  /** What came of the counts. */
  answer = signal("");

  /** @param {CountPage} page */
  constructor(page) {
    this.#key = `count ${page.table}`;
    this.#page = page;
    this.#board = new CountBoard(page, (area) => this.#tap(area));
    this.#marks = JSON.parse(loadPreference(this.#marksKey, "{}"));
    this.#typed.value = keepDraft("count", () => this.#typed.value) ?? {};
  }

  /** Return the state as it may be shown: without points and result until they are counted. @param {TableState} state */
  mask(state) {
    this.#state = state;
    if (!this.#isDue()) return state.tallies ? { ...state, tallies: undefined } : state;
    const hidden = { outcome: null, scores: [], moved: null, unrated: null, revealed: false, overlay: null };
    return { ...state, ...hidden, tallies: this.#listTallies(state) };
  }

  /** Show the fields while points are to be counted, and then how the counts compare with them. @param {TableState} shown */
  update(shown) {
    const state = this.#state;
    const isDue = state !== null && this.#isDue();
    this.due.value = isDue ? state : null;
    // A frame round what decided the game would tell who has won.
    this.#page.scene.classList.toggle("uncounted", isDue);
    const counts = isDue ? null : this.#load();
    const hasAnswer = Boolean(shown.count && counts && Object.keys(counts).length);
    this.answer.value = state && hasAnswer ? this.#describe(state, counts ?? {}) : "";
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

  /** Return what stands in the field of a party: nothing before something is typed or tapped. @param {Seat} seat its first */
  read(seat) {
    const isMarked = Object.values(this.#marks).includes(seat);
    return this.#typed.value[seat] ?? (isMarked ? String(sumMarks(this.#state?.areas ?? [], this.#marks, seat)) : "");
  }

  /** Take what is typed for a party, and tell the page. @param {Seat} seat its first @param {string} text */
  type(seat, text) {
    this.#typed.value = { ...this.#typed.value, [seat]: text };
    if (this.#state) this.#page.onTally(this.#listTallies(this.#state));
  }

  /** List what has been counted so far by seat, null where no one counts here. @param {TableState} state */
  #listTallies(state) {
    /** @type {(number | null)[]} */ const tallies = state.names.map(() => null);
    for (const party of listPartiesToCount(state)) {
      const text = this.read(party[0]);
      // Before anything is counted, a 0 would look like the result.
      const tally = /^\d+$/.test(text) ? Number(text) : text && sumMarks(state.areas, this.#marks, party[0]);
      for (const seat of party) tallies[seat] = tally === "" ? null : tally;
    }
    return tallies;
  }

  /** Count an area for the chosen party, or take it back. @param {Area} area */
  #tap(area) {
    const state = this.#state;
    if (!state) return;
    const seat = this.chosen.value ?? listPartiesToCount(state)[0][0];
    const before = this.#marks[area.name];
    const isTakenBack = before === seat;
    if (isTakenBack) delete this.#marks[area.name];
    else this.#marks[area.name] = seat;
    savePreference(this.#marksKey, JSON.stringify(this.#marks));
    for (const changed of new Set([seat, before])) {
      if (changed === undefined) continue;
      const isMarked = Object.values(this.#marks).includes(changed);
      this.type(changed, isMarked ? String(sumMarks(state.areas, this.#marks, changed)) : "");
    }
    this.#drawBoard(state, true, {});
    const name = listWords(listNames(state, findParty(state, seat)));
    const sum = sumMarks(state.areas, this.#marks, seat);
    const words = isTakenBack ? `no longer counted for ${name}` : `counted for ${name}`;
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
    const owners = listNames(state, findParty(state, seat));
    const whose = listWords(owners.map((name) => (name === YOU ? "yours" : `${name}’s`)));
    const label = `${name}, ${pluralise(points, "{} point", "{} points")}, ${whose}`;
    const marked = this.#marks[name];
    return marked === undefined
      ? label
      : `${label}, counted for ${listWords(listNames(state, findParty(state, marked)))}`;
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
  check() {
    const seats = this.#state ? listPartiesToCount(this.#state).map(([seat]) => seat) : [];
    this.finish(Object.fromEntries(seats.map((seat) => [seat, Number(this.read(seat))])));
  }

  /** @param {Record<string, number>} counts by the first seat of a party; none to see the result at once */
  finish(counts) {
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
        const count = describeCount(listNames(state, party), counts[party[0]], state.scores[party[0]]);
        return [count, error ? describeErrors(error.missed, error.wrong) : ""];
      })
      .filter(Boolean)
      .join(" ");
  }
}

/** Fields for the points of each party, once they are to be counted. @param {{ count: Count }} props */
export function CountForm({ count }) {
  const state = count.due.value;
  if (!state) return null;
  const parties = listPartiesToCount(state);
  // The browser asks for a number while there is none; after that, an empty field counts as 0.
  const isEmpty = parties.every(([seat]) => !count.read(seat));
  const chosen = count.chosen.value ?? parties[0][0];
  const rows = parties.map((party) => {
    const [seat] = party;
    const names = listNames(state, party);
    const label = html`${party.map((each) => html`<${Badge} seat=${each} />`)}<span>${beginWith(names)}</span>`;
    const choose = () => {
      count.chosen.value = seat;
    };
    const type = (/** @type {{ currentTarget: HTMLInputElement }} */ event) =>
      count.type(seat, event.currentTarget.value);
    const choice = html`<label><input type="radio" name="count-for" checked=${seat === chosen} onChange=${choose} />${label}</label>`;
    return html`<div class="count-row" key=${seat}>
      ${parties.length > 1 && state.areas.length ? choice : html`<span class="count-name">${label}</span>`}
      <input type="text" inputmode="numeric" pattern="[0-9]{1,4}" maxlength="4" autocomplete="off" data-seat=${seat}
        aria-label="Points of ${listWords(names)}" required=${isEmpty} value=${count.read(seat)}
        onInput=${type} /></div>`;
  });
  const tap = parties.length > 1 ? "Choose a player and tap what scores" : "Tap what scores on the board";
  const how = state.areas.length ? `${tap}, or type the points.` : "Count them and type them.";
  const check = (/** @type {Event} */ event) => {
    event.preventDefault();
    count.check();
  };
  return html`<form class="count" id="count" onSubmit=${check}><p class="small">Points were hidden. ${how}</p>
    <div class="count-fields">${rows}</div>
    <div class="row"><button class="primary">Check</button>
      <button type="button" onClick=${() => count.finish({})}>Show the result</button></div></form>`;
}

/** Return the party whose first seat this is. @param {TableState} state @param {Seat} seat */
function findParty(state, seat) {
  return state.game.teams.find((party) => party[0] === seat) ?? [seat];
}

/** List the players of a party, with "you" for the reader. @param {TableState} state @param {Seat[]} party */
function listNames(state, party) {
  const own = onlySeat(state);
  return party.map((seat) => (seat === own ? YOU : namePlayer(state, seat)));
}
