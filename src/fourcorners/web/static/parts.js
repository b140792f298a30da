// Small parts of panels.

import { html } from "./preact.js";

const BADGE_COLOURS = 8;

/** The sign of a seat, the same beside its name and its moves. @param {{ seat: Seat }} props */
export function Badge({ seat }) {
  return html`<span class="badge seat-${seat % BADGE_COLOURS}" aria-hidden="true">${seat + 1}</span>`;
}

/** A sign and a word that tell whether a player is connected. @param {{ state: TableState, seat: Seat }} props */
export function Presence({ state, seat }) {
  const isHere = state.presence?.chairs[seat];
  return html`<span class=${isHere ? "presence here" : "presence"}>${isHere ? "online" : "offline"}</span>`;
}
