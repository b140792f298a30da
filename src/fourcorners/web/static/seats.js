// What surrounds the board: whose turn it is, the seats with points and facts, and the curtain.

import { clockTimes, startsIn } from "./clocks.js";
import { byId } from "./dom.js";
import { Badge, classes, Presence } from "./parts.js";
import { html, useLayoutEffect } from "./preact.js";
import { Rematch } from "./result.js";
import { past, table, thinking } from "./table.js";
import * as words from "./table_state.js";
import { capitalise } from "./text.js";

/** With more seats than this, a game without clocks shows no strip above the board. */
const MOST_IN_STRIP = 4;
/** @typedef {{ state: TableState, shown: ShownPosition, seat: Seat }} SeatProps */

/** Whose turn it is, how far a computer's move has got, and a rematch. @param {PanelPage} page */
export function TurnLine({ send }) {
  const state = table.value;
  const { value: earlier } = past;
  const now = state ? words.describeTurn(state) : "Loading…";
  const text = state && earlier ? words.describePast(earlier.ply, state.plies.length) : now;
  const isMine = state?.mine && !earlier;
  useLayoutEffect(() => {
    if (state) document.title = `${state.mine && !state.over ? "● " : ""}${text} · ${state.game.title}`;
  });
  const kind = classes("turn", earlier && "past", isMine && "mine", text.endsWith("thinking") && "thinking");
  const share = thinking.value?.share;
  const label = "Share of the computer’s time used";
  const bar = html`<progress key=${share === undefined} max="1" value=${share} aria-label=${label} />`;
  const wait = !earlier && state?.clock?.kind === "game" && !state.over ? startsIn.value : null;
  const start = state?.mine ? `Clock starts when you move, or in ${wait} s` : `Clock starts in ${wait} s`;
  const note = wait !== null && html`<p class="small muted clock-start" role="timer">${start}</p>`;
  return html`<p class=${kind} id="turn">${text}</p>${note}${state && isThinking(state) && bar}
    ${!state?.tallies && html`<${Rematch} send=${send} />`}`;
}

/** Return whether a computer is thinking about its move. @param {TableState} state */
function isThinking(state) {
  return state.started && !state.over && !state.study && state.seat !== null && words.isComputer(state, state.seat);
}

/** All seats, and the facts of the table. */
export function Seats() {
  const state = table.value;
  const shown = past.value ?? state;
  useLayoutEffect(() => {
    // A seat's badge has the colour of its pieces, which can change during a game.
    for (const seat of state?.names.keys() ?? []) {
      const colour = state && words.findColour(state, seat, shown?.facts).toLowerCase();
      document.documentElement.style.setProperty(`--seat-${seat}`, `var(--seat-${colour})`);
    }
  });
  const facts = shown?.facts.filter(([owner]) => owner === null) ?? [];
  const items = facts.map(([, name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`);
  const watching = state && !state.study && state.presence?.watching;
  return html`<ol class="seats" id="seats" role="list">
      ${state?.names.map((_, seat) => html`<${SeatEntry} state=${state} shown=${shown} seat=${seat} />`)}</ol>
    ${items.length > 0 && html`<dl class="facts" id="facts">${items}</dl>`}
    ${state?.started && !state.study && html`<p class="small muted stakes">${words.describeStakes(state)}</p>`}
    <p class="small muted watching" id="watching" role="status">${watching ? `${watching} watching` : ""}</p>`;
}

/** @param {SeatProps} props */
function SeatEntry({ state, shown, seat }) {
  const facts = shown.facts.filter(([owner]) => owner === seat);
  const isToMove = !state.over && state.seat === seat;
  const hasWon = state.over && state.outcome?.winners.includes(seat);
  const isDraw = state.outcome?.winners.length === state.names.length;
  const notes = describeSeat(state, seat, facts);
  const ratings = state.over ? state.moved?.[seat] : null;
  const details = facts.filter(([, name]) => name !== "colour").map(([, name, value]) => [name, value]);
  if (ratings) details.push(["rating", words.formatRatingChange(ratings)]);
  const progress = isToMove && isThinking(state) && thinking.value;
  const points = findPoints(state, shown, seat);
  const counted = html`<span class=${classes("points", state.tallies && "tally")}>
    <span class="hidden">${state.tallies ? "counted: " : "points: "}</span>${points}</span>`;
  const more = details.map(([name, value]) => html`<span>${name} <b>${value}</b></span>`);
  return html`<li class=${classes("seat", isToMove && "to-move", hasWon && "won", state.out.includes(seat) && "out")}>
    <${Badge} seat=${seat} />
    <div class="who"><strong>${words.describePlayer(state, seat)}</strong>
      <span class="small muted">${` ${notes.join(" · ")}`}
        ${showsPresence(state, seat) && html`${" · "}<${Presence} state=${state} seat=${seat} />`}
        ${hasWon && html`<span class="won-note">${isDraw ? " · draw" : " · won"}</span>`}
        <span class="thinking">${progress && describeProgress(progress)}</span></span>
      ${isToMove && html`<span class="hidden">, to move</span>`}</div>
    <${Clock} state=${state} seat=${seat} />
    ${points !== null && counted}
    ${more.length > 0 && html`<p class="small seat-facts">${more}</p>`}</li>`;
}

/**
 * Return a seat's points, or what has been counted of them so far; null where the last move wins or they are hidden.
 * @param {TableState} state @param {ShownPosition} shown @param {Seat} seat @returns {number | null}
 */
function findPoints(state, shown, seat) {
  if (state.tallies) return state.tallies[seat];
  return state.game.scoring === "points" && state.scores.length ? shown.scores[seat] : null;
}

/** List what stands beside a seat's name. @param {TableState} state @param {Seat} seat @param {Fact[]} facts */
function describeSeat(state, seat, facts) {
  const notes = [capitalise(words.findColour(state, seat, facts))];
  const isNamed = words.describePlayer(state, seat) === state.names[seat];
  if (words.isComputer(state, seat) && isNamed) notes.push(words.describeComputer(state.kinds[seat]));
  if (words.onlySeat(state) === seat && state.names[seat] !== "You") notes.push("you");
  if (!state.started && !state.study && !state.chairs[seat].taken) notes.push("open");
  if (state.out.includes(seat)) notes.push("out");
  return notes;
}

/** Return whether to show if a player is connected. @param {TableState} state @param {Seat} seat */
function showsPresence(state, seat) {
  const isOther = state.chairs[seat].taken && !state.chairs[seat].mine && !words.isComputer(state, seat);
  return isOther && state.presence && !state.study && (!state.over || state.presence.chairs[seat]);
}

/** A seat's clock; a computer has none. @param {{ state: TableState, seat: Seat }} props */
function Clock({ state, seat }) {
  if (!state.clock || words.isComputer(state, seat)) return null;
  const isRunning = state.clock.running === seat && !state.over;
  const { text = "", isLow = false } = clockTimes.value?.[seat] ?? {};
  return html`<span class=${classes("clock", isRunning && "running")}>
    <span class="hidden">${isRunning ? "time left, running: " : "time left: "}</span>
    <span class=${isLow ? "low" : ""} data-clock=${seat}>${text}</span></span>`;
}

/** Clocks and points above the board of a narrow screen. */
export function Strip() {
  const state = table.value;
  const isCrowded = state && state.names.length > MOST_IN_STRIP && !state.clock;
  if (!state || isCrowded || (!state.started && !state.study)) return null;
  const seats = state.names.map((_, seat) => {
    const points = findPoints(state, past.value ?? state, seat);
    return html`<span class=${classes("strip-seat", state.seat === seat && !state.over && "to-move")} key=${seat}>
      <${Badge} seat=${seat} /><span class="strip-name">${words.describePlayer(state, seat)}</span>
      <${Clock} state=${state} seat=${seat} />
      ${points !== null && html`<span class="strip-points">${points}</span>`}</span>`;
  });
  return html`<div class="strip" id="strip" aria-hidden="true">${seats}</div>`;
}

/** Write how much of its time a computer has used, or how far its level is compiled. @param {ComputerProgressMessage} progress */
export function describeProgress({ share, preparing }) {
  const percent = `${Math.round(100 * share)}%`;
  return preparing ? `preparing its level… ${percent}` : percent;
}

/** Hides the next player’s hand until they ask. @param {PanelPage} page */
export function Curtain({ client }) {
  const state = table.value;
  const seat = state && words.isCurtained(state) ? state.seat : null;
  useLayoutEffect(() => {
    // The tray keeps its place, so that the board does.
    byId("tray").inert = seat !== null;
  });
  if (!state || seat === null) return null;
  const name = words.namePlayer(state, seat);
  const reveal = () => client.view(seat);
  return html`<div class="curtain" id="curtain"><p>Pass the screen to ${name}. No one else should look now.</p>
    <button type="button" class="primary big" onClick=${reveal}>I am ${name}: show my hand</button></div>`;
}
