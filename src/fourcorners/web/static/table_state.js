// What follows from the state of a table, and the sentences that describe it.

import { asSentence, capitalise, listWords } from "./text.js";

/** How games end on the board, so that the points tell by how much. */
const ON_BOARD = new Set(["complete", "no-moves", "forfeit"]);

/** Return the state after a message; what a patch leaves out has not changed. @param {TableState | null} before @param {StateMessage | PatchMessage} message */
export function applyMessage(before, message) {
  const kept = message.type === "patch" ? message.plies_from : 0;
  const { plies = [], words = [], miniatures = [], gains = [] } = /** @type {Partial<TableState>} */ (before ?? {});
  return /** @type {TableState} */ ({
    ...before,
    ...message,
    plies: [...plies.slice(0, kept), ...message.plies],
    words: [...words.slice(0, kept), ...message.words],
    gains: [...gains.slice(0, kept), ...message.gains],
    miniatures: [...miniatures.slice(0, kept), ...message.plies.map((_, index) => message.miniatures[index] ?? "")],
  });
}

/** Return the colour of a seat's pieces, which can change during a game. @param {TableState} state @param {Seat} seat @param {Fact[]} facts */
export function findColour(state, seat, facts = state.facts) {
  const fact = facts.find(([owner, name]) => owner === seat && name === "colour");
  return fact?.[2] ?? state.game.seat_names[seat];
}

/** Return whether a computer plays a seat. @param {TableState} state @param {Seat} seat */
export function isComputer(state, seat) {
  return state.kinds[seat] !== "person";
}

/** Return the only seat that belongs to this browser, or null if it has none or several. @param {TableState} state */
export function onlySeat(state) {
  return state.seats.length === 1 ? state.seats[0] : null;
}

/** Return the seats of this browser if they win together, so that "you" can mean them; none otherwise. @param {TableState} state @returns {Seat[]} */
export function sharedSeats({ seats, game }) {
  return game.teams.some((party) => seats.every((seat) => party.includes(seat))) ? seats : [];
}

/** Return whether seats are still free before the first move. @param {TableState} state */
export function isWaiting(state) {
  return !state.started && !state.over && !state.study;
}

/** Return the seats of this browser that have neither resigned nor lost on time. @param {TableState} state */
export function activeSeats(state) {
  return state.seats.filter((seat) => !state.out.includes(seat));
}

/** Return whether the game allows no help: people play each other, it is rated, or points are hidden. @param {TableState} state */
export function forbidsAdvice(state) {
  if (state.study) return false;
  if ((state.settings.hide_points || state.settings.rated) && !state.outcome) return true;
  const people = state.chairs.filter((_, seat) => !isComputer(state, seat));
  return state.seats.length ? people.some((chair) => !chair.mine) : people.length > 1;
}

/** Return whether someone from another browser sits at this table. @param {TableState} state */
export function hasOpponents(state) {
  return state.chairs.some((chair, seat) => chair.taken && !chair.mine && !isComputer(state, seat));
}

/** Say who asks for a rematch, whose answer is missing, or who has declined; empty if no one has asked. @param {TableState} state */
export function describeRematchRequest(state) {
  const { rematch_request: request, rematch, presence, seats } = state;
  if (!request || rematch) return "";
  if (request.declined !== null) {
    return seats.includes(request.declined) ? "" : `${namePlayer(state, request.declined)} declined the rematch.`;
  }
  const name = (/** @type {Seat} */ seat) => namePlayer(state, seat);
  const others = request.missing.filter((seat) => !seats.includes(seat));
  const away = others.filter((seat) => presence && !presence.chairs[seat]);
  const by = request.by ?? 0;
  if (seats.length && !state.may.includes("rematch")) {
    const own = seats.includes(by) ? "You asked for a rematch." : "You agreed to a rematch.";
    const waits = `${own} Waiting for ${listWords(others.map(name))}.`;
    return away.length ? `${waits} ${listWords(away.map(name))} left the table.` : waits;
  }
  const hasLeft = presence && !presence.chairs[by];
  return hasLeft ? `${name(by)} asked for a rematch and left the table.` : `${name(by)} asks for a rematch.`;
}

/** Return whether someone else asks for a rematch. @param {TableState | null} state */
export function isAskedForRematch(state) {
  return Boolean(state?.may.includes("decline-rematch") && state.may.includes("rematch"));
}

/** Return whether the next person at this screen has not asked for their hand yet. @param {TableState} state */
export function isCurtained(state) {
  return state.curtain && state.mine && !state.over && state.viewer !== state.seat;
}

/** Say whom the table waits for before the start. @param {TableState} state */
export function describeMissingPlayers(state) {
  if (state.shuffle?.waiting) return "Shuffling the tiles";
  const missing = state.chairs.filter((chair) => !chair.taken);
  if (missing.length !== 1) return `Waiting for ${missing.length} more players`;
  const [chair] = missing;
  const isReserved = chair.kept && !chair.mine;
  return isReserved ? `Waiting for ${state.names[state.chairs.indexOf(chair)]}` : "Waiting for one more player";
}

/** Name a position that someone looks back at. @param {number} ply @param {number} last the number of moves */
export function describePast(ply, last) {
  return ply ? `After move ${ply} of ${last}` : "Before the first move";
}

/** Say whose turn it is, or how the game ended. @param {TableState} state */
export function describeTurn(state) {
  if (state.over && state.count && !state.outcome) return "Count the points";
  if (state.over) return state.outcome?.verdict ?? "Game closed without a result";
  if (isWaiting(state)) return describeMissingPlayers(state);
  if (state.study && !state.mine) return "Game record";
  if (state.mine && onlySeat(state) !== null) return "Your turn";
  if (state.seat === null) return "";
  const isThinking = isComputer(state, state.seat) && !state.out.includes(state.seat);
  const name = namePlayer(state, state.seat);
  return isThinking ? `${name} is thinking` : `${name} to move`;
}

/**
 * Return whether the points decided a finished game: not if a player left it, and not while the points are hidden until
 * the players have counted them.
 * @param {TableState} state
 */
function isDecidedByPoints({ outcome, scores, game }) {
  return Boolean(outcome && ON_BOARD.has(outcome.termination) && game.scoring !== "last-move" && scores.length);
}

/** List the parties, the most points first. @param {TableState} state @returns {Seat[][]} */
function rankParties({ game, scores }) {
  return [...game.teams].sort(([one], [other]) => scores[other] - scores[one]);
}

/**
 * List the points of parties, each with its players: "you: 9, Player 2: 7", since a name may end with a number.
 * @param {TableState} state @param {Seat[][]} parties
 */
export function listPoints(state, parties) {
  const own = sharedSeats(state);
  const name = (/** @type {Seat} */ seat) => (own.includes(seat) ? "you" : namePlayer(state, seat));
  const named = (/** @type {Seat[]} */ party) => listWords([...new Set(party.map(name))]);
  return parties.map((party) => `${named(party)}: ${state.scores[party[0]]}`).join(", ");
}

/**
 * Say what the points do not: of three and more parties whose they are, by rank, and where the last move wins, which it
 * was; empty otherwise.
 * @param {TableState} state
 */
export function describeRanks(state) {
  const { outcome, game } = state;
  if (game.scoring === "last-move") return outcome && ON_BOARD.has(outcome.termination) ? describeLastMove(state) : "";
  if (game.teams.length < 3 || !isDecidedByPoints(state)) return "";
  return asSentence(listPoints(state, rankParties(state)), state.names);
}

/**
 * Say with which move the winner had more than half of all points: "With d5 you had 13 of 25 points."; empty if none did
 * so by its own gains, or if it is not known how many points a game can have.
 * @param {TableState} state
 */
export function describeMajority(state) {
  const { outcome, game, scores, gains, plies, miniatures } = state;
  const total = game.points;
  const winner = game.teams.find(([seat]) => outcome?.winners.includes(seat));
  if (!winner || !total || !isDecidedByPoints(state) || outcome?.winners.length !== winner.length) return "";
  let points = 0;
  const counts = plies.map(([seat], ply) => {
    if (winner.includes(seat)) points += gains[ply];
    return points;
  });
  const index = counts.findIndex((count) => 2 * count > total);
  if (points !== scores[winner[0]] || index < 0 || points < 2) return "";
  const who = sharedSeats(state).some((seat) => winner.includes(seat))
    ? "you"
    : listWords(winner.map((seat) => namePlayer(state, seat)));
  const move = miniatures[index] ? `move ${index + 1}` : plies[index][1];
  return `With ${move} ${who} had ${counts[index]} of ${total} points.`;
}

/** Say who made the last move, and what it was. @param {TableState} state */
function describeLastMove(state) {
  const [ply, move] = [state.plies.at(-1), state.words.at(-1)];
  if (!ply || !move) return "";
  return `${onlySeat(state) === ply[0] ? "You" : namePlayer(state, ply[0])} ${move}.`;
}

/** Write a rating after a game with its change: "1512 (+12)". @param {[number, number]} ratings before and after */
export function formatRatingChange([before, after]) {
  const change = after - before;
  return `${after} (${change > 0 ? "+" : change < 0 ? "−" : "±"}${Math.abs(change)})`;
}

/** Describe a computer: "computer, level 3". @param {string} kind "computer:LEVEL" or "computer:SECONDSs" */
export function describeComputer(kind) {
  const [name, strength] = kind.split(":");
  if (!strength) return name;
  return strength.endsWith("s") ? `${name}, ${strength.slice(0, -1)} s per move` : `${name}, level ${strength}`;
}

/** Return a player's name; a computer without its own name is called by its level. @param {TableState} state @param {Seat} seat */
export function describePlayer(state, seat) {
  const isUnnamed = isComputer(state, seat) && /^Computer \(?\d/.test(state.names[seat]);
  return isUnnamed ? capitalise(describeComputer(state.kinds[seat])) : state.names[seat];
}

/** Name a player in a sentence; a computer without its own name is "Computer (level 3)". @param {TableState} state @param {Seat} seat */
export function namePlayer(state, seat) {
  return state.sentence_names[seat];
}

/** Say whether a game is rated, and name its clock. @param {TableState} state */
export function describeStakes({ settings, clock_label }) {
  return `${settings.rated ? "Rated" : "Casual"} · ${clock_label || "no clock"}`;
}

/** List rating, clock, partners and visibility of a game. @param {TableState} state */
export function describeTerms(state) {
  const { settings, game } = state;
  const terms = [describeStakes(state)];
  if (game.teams.some((team) => team.length > 1)) {
    const teams = game.teams.map((team) => team.map((seat) => game.seat_names[seat]).join(" and "));
    terms.push(`partners: ${teams.join(", ")}`);
  }
  if (settings.hide_points) terms.push("points hidden until the end");
  terms.push(settings.visibility === "public" ? "listed in the lobby" : "invite link only");
  return terms.join(" · ");
}

/** Tell someone what to do until the game starts. @param {TableState} state */
export function describeWaiting({ chairs, may, settings }) {
  if (chairs.some((chair) => chair.mine && chair.kept)) {
    return "A seat is reserved for you. The game starts when every seat is taken.";
  }
  if (may.includes("sit")) return "Choose an open seat. The game starts when every seat is taken.";
  if (chairs.some((chair) => chair.mine && chair.taken)) {
    return settings.visibility === "public"
      ? "The game starts when every seat is taken. Anyone can join it in the lobby, or with the link."
      : "The game starts when every seat is taken. Send the link to the people you want to play with.";
  }
  return "You are watching. The game starts when every seat is taken.";
}

/** Return whether this browser may cancel a game before its start: while no one else has or keeps a seat. @param {TableState} state */
export function canCancel(state) {
  const isFree = (/** @type {Chair} */ chair) => !chair.taken && !chair.kept;
  return state.host && state.chairs.every((chair, seat) => chair.mine || isFree(chair) || isComputer(state, seat));
}

/**
 * List letter and name of the colours that a player may choose at a seat, that of the seat first.
 * @param {TableState} state @param {Seat} seat @returns {[string, string][]}
 */
export function listFreeColours(state, seat) {
  const { colours } = state.game;
  if (!colours) return [];
  const held = state.chairs.flatMap((chair, other) => (chair.taken ? [colours.value[other]] : []));
  const own = colours.value[seat];
  const free = Object.entries(colours.names).filter(([letter]) => letter !== own && !held.includes(letter));
  return [[own, colours.names[own]], ...free];
}
