// What stands around the board: seats with points and facts, whose turn it is, the result, the curtain.

import { badge, listed, make } from "./dom.js";
import { awaited, presence } from "./waiting.js";

const MOST_IN_STRIP = 4;

const byId = (id) => document.getElementById(id);

export function nameOf(state, seat) {
  const twice = state.names.filter((name) => name === state.names[seat]).length > 1;
  return twice ? `${state.names[seat]} (${state.game.seat_names[seat]})` : state.names[seat];
}

function isComputer(state, seat) {
  return state.kinds[seat] !== "person";
}

function alone(state) {
  return state.seats?.length === 1;
}

export function turnText(state) {
  if (state.over) return state.outcome ? resultText(state) : "This game was closed unfinished";
  if (!state.started && !state.study) return awaited(state);
  if (state.study && !state.mine) return "A record";
  if (state.mine && alone(state)) return "Your turn";
  if (isComputer(state, state.seat) && !state.out.includes(state.seat)) return `${nameOf(state, state.seat)} is thinking`;
  return `${nameOf(state, state.seat)} to move`;
}

function resultText(state) {
  const { winners } = state.outcome;
  if (winners.length === state.names.length) return "A draw";
  if (alone(state) && winners.length === 1 && winners[0] === state.seats[0]) return "You win";
  const names = listed(winners.map((seat) => nameOf(state, seat)));
  if (alone(state) && winners.includes(state.seats[0])) return `You win: ${names}`;
  return `${names} ${winners.length > 1 ? "win" : "wins"}`;
}

export function showResult(state) {
  const place = byId("result-text");
  byId("result").hidden = !state.over;
  if (!state.over) {
    place.replaceChildren();
    return;
  }
  if (!state.outcome) {
    place.replaceChildren(make("strong", {}, turnText(state)));
    return;
  }
  const reason = state.outcome.reason;
  const text = [make("strong", {}, resultText(state))];
  const counted = state.scores.some((points) => points > 1);
  if (counted) text.push(make("span", { class: "score-line" }, state.scores.join(" : ")));
  if (reason) text.push(make("span", { class: "reason" }, `${reason[0].toUpperCase()}${reason.slice(1)}.`));
  const own = alone(state) ? state.moved?.[state.seats[0]] : null;
  if (own) text.push(make("span", { class: "moved" }, `Your rating: ${ratingText(own)}`));
  if (place.textContent !== text.map((node) => node.textContent).join("")) place.replaceChildren(...text);
}

// A rating before and after a game.
function ratingText([before, after]) {
  const change = after - before;
  return `${after} (${change > 0 ? "+" : change < 0 ? "−" : "±"}${Math.abs(change)})`;
}

// Whether it is of interest who is at the table just now.
function among(state, seat) {
  if (state.study || state.kinds[seat] !== "person" || !state.here || !state.chairs[seat].taken) return false;
  return !state.chairs[seat].mine && !(state.over && !state.here.chairs[seat]);
}

// Signs of seats wear their colours: those of now, where colours can change.
function dress(state, own) {
  state.names.forEach((_, seat) => {
    const worn = own(seat).find(([, name]) => name === "colour")?.[2] ?? state.game.seat_names[seat];
    document.documentElement.style.setProperty(`--seat-${seat}`, `var(--seat-${worn.toLowerCase()})`);
  });
}

// The facts of the table and of each seat; `shown` may be an earlier position.
export function showSeats(state, shown) {
  const list = byId("seats");
  const own = (seat) => shown.facts.filter(([whose]) => whose === seat);
  dress(state, own);
  const items = state.names.map((_, seat) => {
    const computer = isComputer(state, seat);
    const toMove = !state.over && state.seat === seat;
    const colour = state.game.seat_names[seat];
    // Where seats can change their colours the facts say which is whose now.
    const notes = own(seat).some(([, name]) => name === "colour") ? [] : [`${colour[0].toUpperCase()}${colour.slice(1)}`];
    if (computer) notes.push(levelOf(state.kinds[seat]));
    else if (state.seats?.includes(seat) && alone(state) && state.names[seat] !== "You") notes.push("you");
    if (!state.started && !state.study && !state.chairs[seat].taken) notes.push("free");
    if (state.out.includes(seat)) notes.push("out");
    const rating = state.over ? state.moved?.[seat] : null;
    const won = state.over && state.outcome?.winners.includes(seat);
    return make(
      "li",
      { class: ["seat", toMove && "to-move", won && "won", state.out.includes(seat) && "out"].filter(Boolean).join(" ") },
      badge(seat),
      make(
        "div",
        { class: "who" },
        make("strong", {}, state.names[seat]),
        make("span", { class: "small muted" }, ` ${notes.join(" · ")}`, ...(among(state, seat) ? [notes.length ? " · " : "", presence(state, seat)] : [])),
        toMove ? make("span", { class: "hidden" }, ", to move") : null,
        won ? make("span", { class: "won-note" }, " won") : null,
      ),
      clockOf(state, seat),
      make("span", { class: "points" }, make("span", { class: "hidden" }, "points: "), String(shown.scores[seat])),
      make(
        "p",
        { class: "small seat-facts" },
        ...own(seat).map(([, name, value]) => make("span", {}, `${name} `, make("b", {}, value))),
        rating ? make("span", {}, "rating ", make("b", {}, ratingText(rating))) : null,
        make("span", { class: "thinking" }),
      ),
    );
  });
  list.replaceChildren(...items);
  showStrip(state, shown);
  const watching = state.study ? 0 : (state.here?.watching ?? 0);
  byId("watching").textContent = watching ? `${watching} watching` : "";
  const facts = byId("facts");
  facts.replaceChildren(
    ...shown.facts
      .filter(([seat]) => seat === null)
      .map(([, name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
  facts.hidden = !facts.children.length;
}

// A seat's clock; its text is written by `Clocks`. A computer has none.
function clockOf(state, seat) {
  if (!state.clock || isComputer(state, seat)) return null;
  const running = state.clock.running === seat && !state.over;
  return make(
    "span",
    { class: `clock${running ? " running" : ""}` },
    make("span", { class: "hidden" }, running ? "time left, running: " : "time left: "),
    make("span", { "data-clock": seat }),
  );
}

// Where the seats stand below the board, the clocks and points stand above it as well, of many seats the clocks alone.
function showStrip(state, shown) {
  const strip = byId("strip");
  const many = state.names.length > MOST_IN_STRIP && !state.clock;
  strip.hidden = many || (!state.started && !state.study);
  if (strip.hidden) return;
  strip.replaceChildren(
    ...state.names.map((name, seat) =>
      make("span", { class: `strip-seat${state.seat === seat && !state.over ? " to-move" : ""}` }, badge(seat), make("span", { class: "strip-name" }, name), clockOf(state, seat), make("span", { class: "strip-points" }, String(shown.scores[seat]))),
    ),
  );
}

// How far the computer is that is to move: games tried so far, and the share of its time or games that is used.
export function showThinking(state, thought) {
  const thinking = !state.over && !state.study && state.started && state.seat !== null && isComputer(state, state.seat);
  const line = byId("thought");
  line.hidden = !thinking;
  if (thinking && thought) line.value = thought.share;
  else line.removeAttribute("value");
  const place = byId("seats").children[state.seat]?.querySelector(".thinking");
  if (place) place.textContent = thinking && thought ? `${tried(thought.simulations)}${Math.round(100 * thought.share)}%` : "";
}

function tried(simulations) {
  if (!simulations) return "";
  return `${simulations.toLocaleString("en")} ${simulations === 1 ? "game" : "games"} tried, `;
}

function levelOf(kind) {
  const [what, strength] = kind.split(":");
  if (!strength) return what;
  return strength.endsWith("s") ? `${what}, ${strength.slice(0, -1)} s a move` : `${what}, level ${strength}`;
}

// Several people at one table with hidden hands: whether the next one has still to come to the screen.
export function curtained(state) {
  return Boolean(state.curtain && state.mine && !state.over && state.viewer !== state.seat);
}

// The next one's hand is shown when asked for.
export function showCurtain(state, lift) {
  const place = byId("curtain");
  const up = curtained(state);
  byId("tray").hidden = up;
  if (place.hidden === !up && place.dataset.seat === String(state.seat)) return;
  place.hidden = !up;
  place.dataset.seat = String(state.seat);
  if (!up) {
    place.replaceChildren();
    return;
  }
  const name = nameOf(state, state.seat);
  const button = make("button", { type: "button", class: "primary big" }, `I am ${name}: show my hand`);
  button.addEventListener("click", () => lift(state.seat));
  place.replaceChildren(make("p", {}, `It is the turn of ${name}. Nobody else should look at the screen now.`), button);
}
