// What surrounds the board: seats with points and facts, the computer's progress, the result, the curtain.

/** @import { Fact, Seat, ShownPosition, TableState, ThinkingMessage } from "./messages.js" */
import { badge, byId, make } from "./dom.js";
import {
  describeComputer,
  describeResult,
  describeTurn,
  formatRatingChange,
  isComputer,
  isCurtained,
  onlySeat,
  seatName,
} from "./table_state.js";
import { asSentence, capitalise } from "./text.js";

/** With more seats than this, a game without clocks shows no strip above the board. */
const MOST_IN_STRIP = 4;

/** @param {TableState} state */
export function showResult(state) {
  byId("result").hidden = !state.over;
  const parts = state.over ? makeResult(state) : [];
  const text = parts.map((part) => part.textContent).join("");
  if (byId("result-text").textContent !== text) byId("result-text").replaceChildren(...parts);
}

/** @param {TableState} state */
function makeResult(state) {
  if (!state.outcome) return [make("strong", {}, describeTurn(state))];
  const parts = [make("strong", {}, describeResult(state))];
  const hasPoints = state.scores.some((points) => points > 1);
  if (hasPoints) parts.push(make("span", { class: "score-line" }, state.scores.join(" : ")));
  const { reason } = state.outcome;
  if (reason) parts.push(make("span", { class: "reason" }, asSentence(reason)));
  const own = onlySeat(state);
  const ratings = own === null ? null : state.moved?.[own];
  if (ratings) parts.push(make("span", { class: "moved" }, `Your rating: ${formatRatingChange(ratings)}`));
  return parts;
}

/**
 * Show the facts of the table and of each seat.
 * @param {TableState} state
 * @param {ShownPosition} shown the current position, or an earlier one
 */
export function showSeats(state, shown) {
  const factsOf = (/** @type {Seat | null} */ seat) => shown.facts.filter(([owner]) => owner === seat);
  colourBadges(state, factsOf);
  byId("seats").replaceChildren(
    ...state.names.map((_, seat) => makeSeat(state, seat, factsOf(seat), shown.scores[seat])),
  );
  showStrip(state, shown);
  const watching = state.study ? 0 : (state.here?.watching ?? 0);
  byId("watching").textContent = watching ? `${watching} watching` : "";
  const facts = byId("facts");
  facts.replaceChildren(
    ...factsOf(null).map(([, name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
  facts.hidden = !facts.children.length;
}

/**
 * Give every seat's badge the colour of its pieces, which can change during a game.
 * @param {TableState} state
 * @param {(seat: Seat) => Fact[]} factsOf
 */
function colourBadges(state, factsOf) {
  state.names.forEach((_, seat) => {
    const colour = findColour(factsOf(seat)) ?? state.game.seat_names[seat];
    document.documentElement.style.setProperty(`--seat-${seat}`, `var(--seat-${colour.toLowerCase()})`);
  });
}

/** @param {Fact[]} facts */
function findColour(facts) {
  return facts.find(([, name]) => name === "colour")?.[2];
}

/**
 * @param {TableState} state
 * @param {Seat} seat
 * @param {Fact[]} facts
 * @param {number} points
 */
function makeSeat(state, seat, facts, points) {
  const isToMove = !state.over && state.seat === seat;
  const isOut = state.out.includes(seat);
  const hasWon = state.over && Boolean(state.outcome?.winners.includes(seat));
  const notes = describeSeat(state, seat, facts);
  const presence = showsPresence(state, seat) ? [notes.length ? " · " : "", makePresence(state, seat)] : [];
  const ratings = state.over ? state.moved?.[seat] : null;
  return make(
    "li",
    { class: ["seat", isToMove && "to-move", hasWon && "won", isOut && "out"].filter(Boolean).join(" ") },
    badge(seat),
    make(
      "div",
      { class: "who" },
      make("strong", {}, state.names[seat]),
      make("span", { class: "small muted" }, ` ${notes.join(" · ")}`, ...presence),
      isToMove ? make("span", { class: "hidden" }, ", to move") : null,
      hasWon ? make("span", { class: "won-note" }, " won") : null,
    ),
    makeClock(state, seat),
    make("span", { class: "points" }, make("span", { class: "hidden" }, "points: "), String(points)),
    make(
      "p",
      { class: "small seat-facts" },
      ...facts.map(([, name, value]) => make("span", {}, `${name} `, make("b", {}, value))),
      ratings ? make("span", {}, "rating ", make("b", {}, formatRatingChange(ratings))) : null,
      make("span", { class: "thinking" }),
    ),
  );
}

/**
 * List what stands beside a seat's name: its colour, its level, whether it is free or out.
 * @param {TableState} state
 * @param {Seat} seat
 * @param {Fact[]} facts
 */
function describeSeat(state, seat, facts) {
  // Where colours can change, the facts name the current one.
  const notes = findColour(facts) ? [] : [capitalise(state.game.seat_names[seat])];
  if (isComputer(state, seat)) notes.push(describeComputer(state.kinds[seat]));
  else if (onlySeat(state) === seat && state.names[seat] !== "You") notes.push("you");
  if (!state.started && !state.study && !state.chairs[seat].taken) notes.push("free");
  if (state.out.includes(seat)) notes.push("out");
  return notes;
}

/**
 * Return whether it is worth showing that somebody is connected: not of this browser, and not of those who left.
 * @param {TableState} state
 * @param {Seat} seat
 */
function showsPresence(state, seat) {
  const isOther = state.chairs[seat].taken && !state.chairs[seat].mine && !isComputer(state, seat);
  if (!isOther || !state.here || state.study) return false;
  return !state.over || state.here.chairs[seat];
}

/**
 * Make a sign and a word that tell whether the player of a seat is connected.
 * @param {TableState} state
 * @param {Seat} seat
 */
export function makePresence(state, seat) {
  const isHere = state.here?.chairs[seat];
  return make("span", { class: `presence${isHere ? " here" : ""}` }, isHere ? "online" : "offline");
}

/**
 * Make a seat's clock, whose text `Clocks` writes; a computer has none.
 * @param {TableState} state
 * @param {Seat} seat
 */
function makeClock(state, seat) {
  if (!state.clock || isComputer(state, seat)) return null;
  const isRunning = state.clock.running === seat && !state.over;
  return make(
    "span",
    { class: `clock${isRunning ? " running" : ""}` },
    make("span", { class: "hidden" }, isRunning ? "time left, running: " : "time left: "),
    make("span", { "data-clock": seat }),
  );
}

/**
 * Show clocks and points above the board too, for narrow screens where the seats stand below it.
 * @param {TableState} state
 * @param {ShownPosition} shown
 */
function showStrip(state, shown) {
  const strip = byId("strip");
  const isCrowded = state.names.length > MOST_IN_STRIP && !state.clock;
  strip.hidden = isCrowded || (!state.started && !state.study);
  if (strip.hidden) return;
  strip.replaceChildren(
    ...state.names.map((name, seat) =>
      make(
        "span",
        { class: `strip-seat${state.seat === seat && !state.over ? " to-move" : ""}` },
        badge(seat),
        make("span", { class: "strip-name" }, name),
        makeClock(state, seat),
        make("span", { class: "strip-points" }, String(shown.scores[seat])),
      ),
    ),
  );
}

/**
 * Show how far the computer is that is to move: simulations so far, and the share of its time or simulations used.
 * @param {TableState} state
 * @param {ThinkingMessage | null} progress
 */
export function showThinking(state, progress) {
  const isRunning = state.started && !state.over && !state.study;
  const seat = isRunning && state.seat !== null && isComputer(state, state.seat) ? state.seat : null;
  const bar = byId("thought", HTMLProgressElement);
  bar.hidden = seat === null;
  if (seat !== null && progress) bar.value = progress.share;
  else bar.removeAttribute("value");
  if (state.seat === null) return;
  const place = byId("seats").children[state.seat]?.querySelector(".thinking");
  if (place) place.textContent = seat !== null && progress ? describeProgress(progress) : "";
}

/**
 * Write a computer's progress: "1,200 simulations, 40%".
 * @param {Pick<ThinkingMessage, "simulations" | "share">} progress
 * @returns {string}
 */
export function describeProgress({ simulations, share }) {
  const percent = `${Math.round(100 * share)}%`;
  if (!simulations) return percent;
  return `${simulations.toLocaleString("en")} ${simulations === 1 ? "simulation" : "simulations"}, ${percent}`;
}

/**
 * Hide the hand of the next person at this screen until they ask for it.
 * @param {TableState} state
 * @param {(seat: Seat) => void} reveal
 */
export function showCurtain(state, reveal) {
  const curtain = byId("curtain");
  const isDrawn = isCurtained(state);
  byId("tray").hidden = isDrawn;
  if (curtain.hidden === !isDrawn && curtain.dataset.seat === String(state.seat)) return;
  curtain.hidden = !isDrawn;
  curtain.dataset.seat = String(state.seat);
  curtain.replaceChildren();
  if (!isDrawn || state.seat === null) return;
  const { seat } = state;
  const name = seatName(state, seat);
  const button = make("button", { type: "button", class: "primary big" }, `I am ${name}: show my hand`);
  button.addEventListener("click", () => reveal(seat));
  curtain.append(make("p", {}, `Pass the screen to ${name}. Nobody else should look now.`), button);
}
