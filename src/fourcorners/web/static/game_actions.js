// Actions other than moves: undo, resigning, draw offers, takeback requests and rematches.

import { byId, closest, findAll, make } from "./dom.js";
import { activeSeats, seatName } from "./table_state.js";
import { listWords } from "./text.js";

/** Say which moves to take back. @param {number} ply how many would remain @param {number} last how many there are */
export function describeTakeback(ply, last) {
  const later = last - ply - 1;
  const move = `move ${ply + 1}`;
  return later < 1 ? move : `${move} and the ${later > 1 ? `${later} moves` : "move"} after it`;
}

/** Say what became of the own offer or request; empty if open. @param {TableState} before @param {TableState} after */
export function describeAnswer(before, after) {
  if (after.over) return "";
  const isOwn = (/** @type {Seat | null | undefined} */ seat) => typeof seat === "number" && after.seats.includes(seat);
  const hasMovedOn = after.ply > before.ply;
  if (isOwn(before.takeback_request?.by) && !after.takeback_request) {
    if (after.ply < before.ply) return "Your takeback request was accepted.";
    return hasMovedOn ? "The game moved on, so your takeback request expired." : "Your takeback request was declined.";
  }
  if (isOwn(before.draw) && after.draw === null) {
    return hasMovedOn ? "The game moved on, so your draw offer expired." : "Your draw offer was declined.";
  }
  return "";
}

export class GameActions {
  #page;
  /** @type {TableState | null} */ #state = null;
  #shown = "";

  /** @param {ActionsPage} page */
  constructor(page) {
    this.#page = page;
    byId("undo").addEventListener("click", () => this.#page.send("undo"));
    byId("offer-draw").addEventListener("click", () => this.#page.send("offer-draw", { seat: this.#ownSeats[0] }));
    byId("request-takeback").addEventListener("click", () =>
      this.#page.send("request-takeback", { seat: this.#lastMover() }),
    );
    byId("resign").addEventListener("click", () => {
      byId("resign-ask").hidden = false;
      findAll(byId("resign-ask"), '[data-answer="no"]')[0].focus();
    });
    byId("resign-ask").addEventListener("click", (event) => {
      const button = closest(event, "[data-answer]");
      if (button) this.#confirmResignation(button.dataset.answer === "yes");
    });
    byId("request").addEventListener("click", (event) => {
      const { deed, accept } = closest(event, "button")?.dataset ?? {};
      if (deed === "answer-draw" || deed === "answer-takeback") this.#answer(deed, accept === "yes");
    });
  }

  /** Offer the actions that are allowed now, and say what was answered. @param {TableState} state */
  update(state) {
    const before = this.#state;
    this.#state = state;
    byId("analyse-menu").hidden = !state.outcome && !state.study;
    document.getElementById("confirm")?.closest("label")?.toggleAttribute("hidden", !state.seats.length);
    for (const verb of /** @type {Verb[]} */ (["undo", "offer-draw", "request-takeback"])) {
      byId(verb).hidden = !state.may.includes(verb);
    }
    const canResign = this.#resigningSeat() !== null;
    byId("resign").hidden = !canResign;
    if (!canResign) byId("resign-ask").hidden = true;
    this.#showRequests(state);
    const answer = before && before.version !== state.version ? describeAnswer(before, state) : "";
    if (answer) this.#page.toast.show(answer);
  }

  /** Show open offers and requests, with the buttons to answer them. @param {TableState} state */
  #showRequests(state) {
    const key = JSON.stringify([state.draw, state.takeback_request, state.may, state.names, state.over]);
    if (key === this.#shown) return;
    this.#shown = key;
    const requests = state.over
      ? []
      : [describeDrawOffer(state), describeTakebackRequest(state)].filter((each) => each !== null);
    const before = byId("request-text").textContent ?? "";
    byId("request-text").textContent = requests.map(({ text }) => text).join(" ");
    for (const { text, isOwn } of requests) if (!isOwn && !before.includes(text)) this.#page.announce(text);
    byId("request-answers").replaceChildren(...requests.flatMap(({ answers }) => answers));
    byId("request").hidden = !requests.length;
  }

  /** Answer for the first own seat that may. @param {"answer-draw" | "answer-takeback"} verb @param {boolean} accept */
  #answer(verb, accept) {
    const { draw, takeback_request } = this.#state ?? {};
    const mayAnswer = (/** @type {Seat} */ seat) =>
      verb === "answer-draw" ? seat !== draw : takeback_request?.missing.includes(seat);
    this.#page.send(verb, { seat: this.#ownSeats.find(mayAnswer), accept });
  }

  get #ownSeats() {
    return this.#state ? activeSeats(this.#state) : [];
  }

  /** Return which of the own seats moved last. */
  #lastMover() {
    const seats = this.#ownSeats;
    return this.#state?.plies.findLast(([seat]) => seats.includes(seat))?.[0] ?? seats[0];
  }

  /** Return the seat for which this browser may resign now, or null. */
  #resigningSeat() {
    if (!this.#state?.may.includes("resign")) return null;
    const seats = this.#ownSeats;
    if (seats.length === 1) return seats[0];
    const { seat } = this.#state;
    return seat !== null && seats.includes(seat) ? seat : null;
  }

  /** Close the question, and resign if the answer was yes. @param {boolean} isConfirmed */
  #confirmResignation(isConfirmed) {
    byId("resign-ask").hidden = true;
    byId("resign").focus();
    const seat = this.#resigningSeat();
    if (isConfirmed && seat !== null) this.#page.send("resign", { seat });
  }
}

/** Describe the open draw offer, or return null. @param {TableState} state @returns {OpenRequest | null} */
function describeDrawOffer(state) {
  const { draw } = state;
  if (draw === null) return null;
  const isOwn = state.seats.includes(draw);
  const text = isOwn ? "You offered a draw." : `${seatName(state, draw)} offers a draw.`;
  if (state.may.includes("answer-draw")) return { text, isOwn, answers: makeAnswers("answer-draw", "Accept draw") };
  const others = [...state.names.keys()].filter((seat) => seat !== draw);
  return { text: `${text} ${describeMissingAnswers(state, others)}`, isOwn, answers: [] };
}

/** Describe the open takeback request, or return null. @param {TableState} state @returns {OpenRequest | null} */
function describeTakebackRequest(state) {
  if (!state.takeback_request) return null;
  const { by, ply, missing } = state.takeback_request;
  const isOwn = state.seats.includes(by);
  const who = isOwn ? "You asked" : `${seatName(state, by)} asks`;
  const text = `${who} to take back ${describeTakeback(ply, state.ply)}.`;
  if (state.may.includes("answer-takeback"))
    return { text, isOwn, answers: makeAnswers("answer-takeback", "Accept takeback") };
  return { text: missing.length ? `${text} ${describeMissingAnswers(state, missing)}` : text, isOwn, answers: [] };
}

/** Say whose answer is missing. @param {TableState} state @param {Seat[]} seats */
function describeMissingAnswers(state, seats) {
  return `Waiting for ${listWords(seats.map((seat) => seatName(state, seat)))}.`;
}

/** Make the buttons that answer a request. @param {Verb} verb @param {string} accept */
function makeAnswers(verb, accept) {
  return [
    make("button", { type: "button", class: "primary", "data-deed": verb, "data-accept": "yes" }, accept),
    make("button", { type: "button", "data-deed": verb, "data-accept": "no" }, "Decline"),
  ];
}
