// The end of a game: who won, by how much, and what to do next.

import { byId, find, make, makeButton, setText } from "./dom.js";
import * as table from "./table_state.js";
import { asSentence, joinRanges, listWords } from "./text.js";

/** How games end on the board, so that the points tell by how much. */
const ON_BOARD = new Set(["complete", "no-moves", "forfeit"]);

export class Result {
  #margin = "";
  #frame = "";

  /** Show how the game ended, if it is over. @param {TableState} state */
  update(state) {
    byId("result").hidden = !state.over;
    byId("analyse").hidden = !state.outcome;
    byId("analyse-menu").hidden = !state.outcome && !state.study;
    if (!state.over) {
      this.#margin = "";
      this.#frame = "";
      return;
    }
    // A game that was broken off has no outcome.
    byId("review").hidden = !state.outcome || !state.ply;
    const parts = makeResult(state);
    if (byId("result-text").textContent !== parts.map((part) => part.textContent).join("")) {
      byId("result-text").replaceChildren(...parts);
    }
    // Later messages no longer have the last move.
    this.#margin = describeMargin(state) || this.#margin;
    const reason = asSentence(state.outcome?.reason ?? "", state.names);
    // While somebody looks back, the frame is not in the picture.
    this.#frame = describeFrame(state) || this.#frame;
    setText(byId("result-margin"), joinRanges([this.#margin, reason, this.#frame].filter(Boolean).join(" ")));
    showLevels(state);
    showNextStep(state);
  }
}

/** Make the sentence, and what became of the own rating. @param {TableState} state */
function makeResult(state) {
  if (!state.outcome) return [make("strong", {}, table.describeTurn(state))];
  const parts = [make("strong", {}, table.describeResult(state))];
  const add = (/** @type {string} */ kind, /** @type {string} */ text) =>
    parts.push(make("span", { class: kind }, text));
  if (state.unrated) add("unrated", `This game does not count for ratings: ${state.unrated}.`);
  const own = table.onlySeat(state);
  const ratings = own === null ? null : state.moved?.[own];
  if (ratings) add("moved", `Your rating: ${table.formatRatingChange(ratings)}`);
  return parts;
}

/** Say by how much a game was won, or which move decided it; empty if players ended it. @param {TableState} state */
export function describeMargin(state) {
  if (!state.outcome || !ON_BOARD.has(state.outcome.termination)) return "";
  if (state.game.scoring === "last-move") return describeLastMove(state);
  // The points may be hidden until the players have counted them.
  if (!state.scores.length) return "";
  const parties = [...state.game.teams].sort(([one], [other]) => state.scores[other] - state.scores[one]);
  const points = parties.map(([seat]) => state.scores[seat]);
  const all =
    parties.length === 2 ? points.join(" to ") : listWords(parties.map((party) => describePoints(state, party)));
  const margin = points[0] - points[1];
  // Somebody who resigned may have more points than the winner.
  const hasBest = state.outcome.winners.every((seat) => state.scores[seat] === points[0]);
  if (!margin || !hasBest) return `${all} ${points[0] === 1 && points.length < 2 ? "point" : "points"}.`;
  return `By ${margin} ${margin === 1 ? "point" : "points"}: ${all}.`;
}

/** Name a party after its points: "6 for Player 1" cannot be misread. @param {TableState} state @param {Seat[]} party */
function describePoints(state, party) {
  const own = table.onlySeat(state);
  const names = party.map((seat) => (seat === own ? "you" : table.namePlayer(state, seat)));
  return `${state.scores[party[0]]} for ${listWords(names)}`;
}

/** Say who made the last move, and what it was; empty if it is not in the last message. @param {TableState} state */
function describeLastMove(state) {
  const [ply, words] = [state.plies.at(-1), state.words.at(-1)];
  if (!ply || !words) return "";
  return `${table.onlySeat(state) === ply[0] ? "You" : table.namePlayer(state, ply[0])} ${words}.`;
}

/** Say what the frame on the board is; where the last move wins, that has been named. @param {TableState} state */
function describeFrame({ outcome, game }) {
  const isShown = outcome && game.scoring !== "last-move" && byId("board").querySelector(".decisive");
  return isShown ? "The frame marks what decided it." : "";
}

/** Return the level of the computers that a person plays alone, if they have the same. @param {TableState} state */
export function findLevel(state) {
  const kinds = new Set(state.kinds.filter((_, seat) => table.isComputer(state, seat)));
  const [kind] = kinds;
  const level = kinds.size === 1 ? Number(/^computer:(\d+)$/.exec(kind)?.[1] ?? 0) : 0;
  return table.onlySeat(state) === null ? 0 : level;
}

/** Offer a rematch at the next levels. @param {TableState} state */
function showLevels(state) {
  const level = state.may.includes("again") ? findLevel(state) : 0;
  const { winners = [] } = state.outcome ?? {};
  const own = table.onlySeat(state);
  const hasWon = own !== null && winners.includes(own);
  const hasLost = winners.length > 0 && !hasWon;
  const show = (/** @type {string} */ id, /** @type {string} */ name, /** @type {number} */ other) => {
    const isWanted = other < level ? !hasWon || winners.length > 1 : !hasLost;
    byId(id).hidden = !level || !isWanted || other < 1 || other > state.game.levels;
    byId(id).dataset.level = String(other);
    setText(byId(id), `${name} (level ${other})`);
  };
  show("easier", "Easier", level - 1);
  show("harder", "Harder", level + 1);
}

/** Suggest what to do next: another level or board after a win, a look back after a loss. @param {TableState} state */
function showNextStep(state) {
  const own = table.onlySeat(state);
  const suggestions = own === null || !state.outcome ? [] : makeSuggestions(state, own);
  const text = suggestions.map((each) => (typeof each === "string" ? each : each.textContent)).join("");
  if (byId("next-step").textContent !== text) byId("next-step").replaceChildren(...suggestions);
  byId("next-step").hidden = !suggestions.length;
}

/** Make the suggestions. @param {TableState} state @param {Seat} own @returns {(string | HTMLElement)[]} */
function makeSuggestions(state, own) {
  const hasWon = Boolean(state.outcome?.winners.includes(own)) && state.outcome?.winners.length !== state.names.length;
  if (!hasWon)
    return state.revealed && state.ply ? [makeButton("See where it turned", lookBack, { class: "link" })] : [];
  const level = findLevel(state);
  const isHighest = level > 0 && level === state.game.levels;
  const text = isHighest ? "You have beaten the highest level. " : level ? "Next: the same game one level higher" : "";
  const isSmall = Object.keys(state.game.options).length > 0;
  if (!isSmall || !level) return [isHighest || !level ? text : `${text}.`].filter(Boolean);
  const link = make("a", { href: `/games/${state.game.id}` }, isHighest ? "Try other options" : "with other options");
  return isHighest ? [text, link, "."] : [`${text}, or `, link, "."];
}

/** Show the first position with its evaluation, to step on from there. */
function lookBack() {
  const evaluate = byId("evaluate");
  if (!evaluate.hidden && evaluate.getAttribute("aria-pressed") !== "true") evaluate.click();
  find(document, '[data-step="first"]').click();
  find(document, '[data-step="forward"]').focus();
}
