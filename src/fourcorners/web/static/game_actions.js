// Actions other than moves: undo, resigning, draw offers and takeback requests.

import { byId } from "./dom.js";
import { focusAtOnce, Icon } from "./parts.js";
import { html, useLayoutEffect, useRef, useSignal } from "./preact.js";
import { table } from "./table.js";
import { activeSeats, describeRematchRequest, isAskedForRematch, namePlayer } from "./table_state.js";
import { listWords, pluralise } from "./text.js";

/** Say which moves to take back. @param {number} ply how many would remain @param {number} last how many there are */
export function describeTakeback(ply, last) {
  const [move, later] = [`move ${ply + 1}`, last - ply - 1];
  return later < 1 ? move : pluralise(later, `${move} and the move after it`, `${move} and the {} moves after it`);
}

/** Say how the own offer or request was answered; empty while it is open. @param {TableState} before @param {TableState} after */
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

/** Takes the last move back where no one else has to agree. @param {PanelPage} page */
export function UndoButton({ send }) {
  if (!table.value?.may.includes("undo")) return null;
  return html`<button type="button" class="plain" id="undo" aria-label="Undo" title="Undo" onClick=${() => send("undo")}>
    <${Icon} name="undo" /></button>`;
}

/** Open offers and requests, with the buttons to answer them. @param {PanelPage} page */
export function Requests({ send, toast, announce }) {
  const state = table.value;
  const before = useRef({ state, text: "", rematch: "" });
  /** @type {OpenRequest[]} */ const requests = [];
  if (state && !state.over) requests.push(...[describeDrawOffer(state), describeTakebackRequest(state)].flat());
  const text = requests.map((each) => each.text).join(" ");
  const rematch = state?.over ? describeRematchRequest(state) : "";
  useLayoutEffect(() => {
    // Its buttons stand beside the result. What is there when the page opens is read with the page.
    if (rematch && before.current.state && rematch !== before.current.rematch) {
      announce(rematch);
      if (isAskedForRematch(state)) byId("turnline").scrollIntoView({ block: "nearest" });
    }
    for (const each of requests) if (!each.isOwn && !before.current.text.includes(each.text)) announce(each.text);
    const last = before.current.state;
    before.current = { state, text, rematch };
    const answer = last && state && last.version !== state.version ? describeAnswer(last, state) : "";
    if (answer) toast.show(answer);
  });
  /** Answer for the first own seat that may. @param {"answer-draw" | "answer-takeback"} verb @param {boolean} accept */
  function answer(verb, accept) {
    const { draw, takeback_request } = state ?? {};
    const mayAnswer = (/** @type {Seat} */ seat) =>
      verb === "answer-draw" ? seat !== draw : takeback_request?.missing.includes(seat);
    send(verb, { seat: state ? activeSeats(state).find(mayAnswer) : undefined, accept });
  }
  const buttons = requests.map(({ verb }) => {
    if (!verb) return null;
    const accept = verb === "answer-draw" ? "Accept draw" : "Accept takeback";
    return html`<button type="button" class="primary" onClick=${() => answer(verb, true)}>${accept}</button>
      <button type="button" onClick=${() => answer(verb, false)}>Decline</button>`;
  });
  return html`<div class="request" id="request" role="group" aria-label="Request" hidden=${!requests.length}>
    <p id="request-text">${text}</p><div class="row">${buttons}</div></div>`;
}

/** What players can ask for, and resigning. @param {PanelPage} page */
export function Actions({ send }) {
  const state = table.value;
  const isAsking = useSignal(false);
  const resign = useRef(/** @type {HTMLElement | null} */ (null));
  const seat = state ? resigningSeat(state) : null;
  useLayoutEffect(() => {
    if (seat === null) isAsking.value = false;
  }, [seat]);
  if (!state) return null;
  const own = activeSeats(state);
  const lastMover = state.plies.findLast(([mover]) => own.includes(mover))?.[0] ?? own[0];
  /** Close the question, and resign if the answer was yes. @param {boolean} isConfirmed */
  function confirm(isConfirmed) {
    isAsking.value = false;
    resign.current?.focus();
    if (isConfirmed && seat !== null) send("resign", { seat });
  }
  const undo = html`<button type="button" aria-label="Request takeback"
    onClick=${() => send("request-takeback", { seat: lastMover })}><${Icon} name="undo" />Takeback</button>`;
  const draw = html`<button type="button" onClick=${() => send("offer-draw", { seat: own[0] })}>
    <${Icon} name="draw" />Offer draw</button>`;
  const ask = () => {
    isAsking.value = true;
  };
  const question = html`<div class="row ask" id="resign-ask" role="group" aria-label="Resign?">
    <span>Resign this game?</span>
    <button type="button" class="danger" onClick=${() => confirm(true)}>Resign</button>
    <button type="button" ref=${focusAtOnce} onClick=${() => confirm(false)}>Cancel</button></div>`;
  return html`<div class="row">
      ${state.may.includes("request-takeback") && undo}
      ${state.may.includes("offer-draw") && draw}
      ${seat !== null && html`<button type="button" ref=${resign} onClick=${ask}><${Icon} name="flag" />Resign</button>`}
    </div>
    ${isAsking.value && seat !== null && question}`;
}

/** Return the seat for which this browser may resign now, or null. @param {TableState} state */
function resigningSeat(state) {
  if (!state.may.includes("resign")) return null;
  const seats = activeSeats(state);
  if (seats.length === 1) return seats[0];
  return state.seat !== null && seats.includes(state.seat) ? state.seat : null;
}

/** Describe the open draw offer, if there is one. @param {TableState} state @returns {OpenRequest[]} */
function describeDrawOffer(state) {
  const { draw } = state;
  if (draw === null) return [];
  const isOwn = state.seats.includes(draw);
  const text = isOwn ? "You offered a draw." : `${namePlayer(state, draw)} offers a draw.`;
  if (state.may.includes("answer-draw")) return [{ text, isOwn, verb: "answer-draw" }];
  const others = [...state.names.keys()].filter((seat) => seat !== draw);
  return [{ text: `${text} ${describeMissingAnswers(state, others)}`, isOwn }];
}

/** Describe the open takeback request, if there is one. @param {TableState} state @returns {OpenRequest[]} */
function describeTakebackRequest(state) {
  if (!state.takeback_request) return [];
  const { by, ply, missing } = state.takeback_request;
  const isOwn = state.seats.includes(by);
  const who = isOwn ? "You asked" : `${namePlayer(state, by)} asks`;
  const text = `${who} to take back ${describeTakeback(ply, state.ply)}.`;
  if (state.may.includes("answer-takeback")) return [{ text, isOwn, verb: "answer-takeback" }];
  return [{ text: missing.length ? `${text} ${describeMissingAnswers(state, missing)}` : text, isOwn }];
}

/** Say whose answer is missing. @param {TableState} state @param {Seat[]} seats */
function describeMissingAnswers(state, seats) {
  return `Waiting for ${listWords(seats.map((seat) => namePlayer(state, seat)))}.`;
}
