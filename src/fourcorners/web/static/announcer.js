// What happens at the table, spoken by screen readers: one live region, so that nothing is said twice or cut off.

import { byId, make, setText } from "./dom.js";
import { describeRanks, describeTurn, listPoints, namePlayer, onlySeat } from "./table_state.js";
import { asSentence, joinRanges } from "./text.js";

/** How many sentences stay in the region, for those who read it again. */
const MOST_SENTENCES = 20;

export const STARTED = "The game has started";

export class Announcer {
  #region = byId("announcer");
  #told = document.getElementById("told"); // the home page does without
  /** @type {TableState | null} */ #state = null;

  /** Speak a sentence after those that are being spoken. @param {string} sentence nothing if empty */
  announce(sentence) {
    if (!sentence) return;
    this.#region.append(make("p", {}, sentence));
    while (this.#region.children.length > MOST_SENTENCES) this.#region.firstElementChild?.remove();
  }

  /** Speak what a new state of the table changes, and show an opponent's last move. @param {TableState} state */
  update(state) {
    const before = this.#state;
    this.#state = state;
    if (this.#told) {
      setText(this.#told, joinRanges(describeLastMove(state)));
      this.#told.hidden = state.over || state.study;
    }
    if (!before || before.version === state.version || state.study) return;
    for (const sentence of describeChange(before, state)) this.announce(sentence);
  }
}

/**
 * List sentences about what others did between two states and what scored, how the game ended, and whose turn it is
 * now. Requests and messages are announced where they are shown.
 * @param {TableState} before @param {TableState} after
 */
export function describeChange(before, after) {
  const sentences = [];
  if (after.started && !before.started) sentences.push(`${STARTED}.`);
  if (after.ply < before.ply) sentences.push(`Moves were taken back: move ${after.ply + 1} is next.`);
  for (const [index, [seat]] of after.plies.entries()) {
    const words = after.words[index];
    // What was just done here is known, but not what it won.
    const isTold = !after.seats.includes(seat) || hasScored(before, after, seat);
    if (index >= before.ply && isTold && words) sentences.push(`${nameSpeaker(after, seat)} ${words}.`);
  }
  if (after.over && !before.over) {
    // Where the last move wins, it was described above, unless it was one's own.
    const isTold = after.game.scoring === "last-move" && !after.seats.includes(after.plies.at(-1)?.[0] ?? -1);
    sentences.push(...describeEnd(after, isTold));
    return sentences.filter(Boolean);
  }
  if (after.names.some((_, seat) => hasScored(before, after, seat))) sentences.push(describeScore(after));
  if (after.mine && (!before.mine || after.ply !== before.ply || after.seat !== before.seat)) {
    sentences.push(`${describeTurn(after)}.`);
  }
  return sentences.filter(Boolean);
}

/** Return whether a seat has other points than before; never where they mean nothing or are hidden. @param {TableState} before @param {TableState} after @param {Seat} seat */
function hasScored(before, after, seat) {
  return after.game.scoring === "points" && seat in before.scores && after.scores[seat] !== before.scores[seat];
}

/** Name a player as the subject of a sentence. @param {TableState} state @param {Seat} seat */
function nameSpeaker(state, seat) {
  return onlySeat(state) === seat ? "You" : namePlayer(state, seat);
}

/** Tell the points, the listener's own first. @param {TableState} state */
function describeScore(state) {
  const parties = [...state.game.teams].sort((one, other) => Number(isOwn(state, other)) - Number(isOwn(state, one)));
  return `Score: ${listPoints(state, parties)}.`;
}

/** @param {TableState} state @param {Seat[]} party */
const isOwn = (state, party) => party.some((seat) => state.seats.includes(seat));

/** List sentences about how a game ended. @param {TableState} state @param {boolean} isTold whether the last move is known */
export function describeEnd(state, isTold = false) {
  const ranks = isTold ? "" : describeRanks(state);
  return [`${describeTurn(state)}.`, ranks, asSentence(state.outcome?.reason ?? "", state.names)].filter(Boolean);
}

/** Describe the last move in words, if someone else made it. @param {TableState} state */
export function describeLastMove(state) {
  const [ply, words] = [state.plies.at(-1), state.words.at(-1)];
  return ply && words && !state.seats.includes(ply[0]) ? `${namePlayer(state, ply[0])} ${words}.` : "";
}
