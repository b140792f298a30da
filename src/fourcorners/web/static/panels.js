// What surrounds the board: seats with points and facts, the computer's progress, the curtain.

import { byId, make, makeBadge, makeButton } from "./dom.js";
import * as table from "./table_state.js";
import { capitalise } from "./text.js";

/** With more seats than this, a game without clocks shows no strip above the board. */
const MOST_IN_STRIP = 4;

/** Show every seat, and the facts of the table. @param {TableState} state @param {ShownPosition} shown */
export function showSeats(state, shown) {
  const factsOf = (/** @type {Seat | null} */ seat) => shown.facts.filter(([owner]) => owner === seat);
  const seats = state.names.map((_, seat) => {
    // A seat's badge has the colour of its pieces, which can change during a game.
    const colour = table.findColour(state, seat, shown.facts);
    document.documentElement.style.setProperty(`--seat-${seat}`, `var(--seat-${colour.toLowerCase()})`);
    return makeSeat(state, seat, factsOf(seat), findPoints(state, shown, seat));
  });
  byId("seats").replaceChildren(...seats);
  showStrip(state, shown);
  const watching = state.study ? 0 : (state.presence?.watching ?? 0);
  byId("watching").textContent = watching ? `${watching} watching` : "";
  const facts = factsOf(null).map(([, name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  byId("facts").replaceChildren(...facts);
  byId("facts").hidden = !facts.length;
}

/** Make a seat's entry. @param {TableState} state @param {Seat} seat @param {Fact[]} facts @param {number | null} points */
function makeSeat(state, seat, facts, points) {
  const isToMove = !state.over && state.seat === seat;
  const hasWon = state.over && Boolean(state.outcome?.winners.includes(seat));
  const notes = describeSeat(state, seat, facts);
  const presence = showsPresence(state, seat) ? [notes.length ? " · " : "", makePresence(state, seat)] : [];
  const ratings = state.over ? state.moved?.[seat] : null;
  const classes = ["seat", isToMove && "to-move", hasWon && "won", state.out.includes(seat) && "out"];
  const others = facts.filter(([, name]) => name !== "colour");
  const details = others.map(([, name, value]) => make("span", {}, `${name} `, make("b", {}, value)));
  if (ratings) details.push(make("span", {}, "rating ", make("b", {}, table.formatRatingChange(ratings))));
  const name = make("strong", {}, table.describePlayer(state, seat));
  const isDraw = state.outcome?.winners.length === state.names.length;
  const win = hasWon ? make("span", { class: "won-note" }, isDraw ? " · draw" : " · won") : null;
  const progress = make("span", { class: "thinking" });
  const muted = make("span", { class: "small muted" }, ` ${notes.join(" · ")}`, ...presence, win, progress);
  const turn = isToMove ? make("span", { class: "hidden" }, ", to move") : null;
  return make(
    "li",
    { class: classes.filter(Boolean).join(" ") },
    makeBadge(seat),
    make("div", { class: "who" }, name, muted, turn),
    makeClock(state, seat),
    points === null ? null : makePoints(state, points),
    details.length ? make("p", { class: "small seat-facts" }, ...details) : null,
  );
}

/**
 * Return a seat's points, or what has been counted of them so far; null where the last move wins or they are hidden.
 * @param {TableState} state @param {ShownPosition} shown @param {Seat} seat @returns {number | null}
 */
function findPoints(state, shown, seat) {
  if (state.tallies) return state.tallies[seat];
  return state.game.scoring === "points" && state.scores.length ? shown.scores[seat] : null;
}

/** @param {TableState} state @param {number} points */
function makePoints(state, points) {
  const words = state.tallies ? "counted: " : "points: ";
  const kind = state.tallies ? "points tally" : "points";
  return make("span", { class: kind }, make("span", { class: "hidden" }, words), String(points));
}

/** List what stands beside a seat's name. @param {TableState} state @param {Seat} seat @param {Fact[]} facts */
function describeSeat(state, seat, facts) {
  const notes = [capitalise(table.findColour(state, seat, facts))];
  const isNamed = table.describePlayer(state, seat) === state.names[seat];
  if (table.isComputer(state, seat) && isNamed) notes.push(table.describeComputer(state.kinds[seat]));
  if (table.onlySeat(state) === seat && state.names[seat] !== "You") notes.push("you");
  if (!state.started && !state.study && !state.chairs[seat].taken) notes.push("open");
  if (state.out.includes(seat)) notes.push("out");
  return notes;
}

/** Return whether to show if a player is connected. @param {TableState} state @param {Seat} seat */
function showsPresence(state, seat) {
  const isOther = state.chairs[seat].taken && !state.chairs[seat].mine && !table.isComputer(state, seat);
  return isOther && state.presence && !state.study && (!state.over || state.presence.chairs[seat]);
}

/** Make a sign and a word that tell whether a player is connected. @param {TableState} state @param {Seat} seat */
export function makePresence(state, seat) {
  const isHere = state.presence?.chairs[seat];
  return make("span", { class: `presence${isHere ? " here" : ""}` }, isHere ? "online" : "offline");
}

/** Make a seat's clock, for `Clocks` to write; a computer has none. @param {TableState} state @param {Seat} seat */
function makeClock(state, seat) {
  if (!state.clock || table.isComputer(state, seat)) return null;
  const isRunning = state.clock.running === seat && !state.over;
  const words = isRunning ? "time left, running: " : "time left: ";
  const time = make("span", { "data-clock": seat });
  return make("span", { class: `clock${isRunning ? " running" : ""}` }, make("span", { class: "hidden" }, words), time);
}

/** Show clocks and points above the board of a narrow screen. @param {TableState} state @param {ShownPosition} shown */
function showStrip(state, shown) {
  const isCrowded = state.names.length > MOST_IN_STRIP && !state.clock;
  byId("strip").hidden = isCrowded || (!state.started && !state.study);
  const seats = state.names.map((_, seat) => {
    const kind = `strip-seat${state.seat === seat && !state.over ? " to-move" : ""}`;
    const name = make("span", { class: "strip-name" }, table.describePlayer(state, seat));
    const points = findPoints(state, shown, seat);
    const number = points === null ? null : make("span", { class: "strip-points" }, String(points));
    return make("span", { class: kind }, makeBadge(seat), name, makeClock(state, seat), number);
  });
  byId("strip").replaceChildren(...seats);
}

/** Show how far a computer's move has got. @param {TableState} state @param {ComputerProgressMessage | null} progress */
export function showThinking(state, progress) {
  const isRunning = state.started && !state.over && !state.study;
  const isThinking = isRunning && state.seat !== null && table.isComputer(state, state.seat);
  const bar = byId("thought", HTMLProgressElement);
  bar.hidden = !isThinking;
  if (isThinking && progress) bar.value = progress.share;
  else bar.removeAttribute("value");
  const place = byId("seats").children[state.seat ?? -1]?.querySelector(".thinking");
  if (place) place.textContent = isThinking && progress ? describeProgress(progress) : "";
}

/** Write how much of its time a computer has used, or how far its level is compiled. @param {ComputerProgressMessage} progress */
export function describeProgress({ share, preparing }) {
  const percent = `${Math.round(100 * share)}%`;
  return preparing ? `preparing its level… ${percent}` : percent;
}

/** Hide the next person's hand until they ask. @param {TableState} state @param {(seat: Seat) => void} reveal */
export function showCurtain(state, reveal) {
  const curtain = byId("curtain");
  const isDrawn = table.isCurtained(state);
  const { seat } = state;
  // The tray keeps its place, so that the board does.
  byId("tray").inert = isDrawn;
  if (curtain.hidden === !isDrawn && curtain.dataset.seat === String(seat)) return;
  curtain.hidden = !isDrawn;
  curtain.dataset.seat = String(seat);
  curtain.replaceChildren();
  if (!isDrawn || seat === null) return;
  const name = table.seatName(state, seat);
  const button = makeButton(`I am ${name}: show my hand`, () => reveal(seat), { class: "primary big" });
  curtain.append(make("p", {}, `Pass the screen to ${name}. Nobody else should look now.`), button);
}
