// Notifications that it is one's turn: one of the browser while the page is hidden, and a dot on the icon.

import { describeLastMove } from "./announcer.js";
import { Icon } from "./parts.js";
import { html, useSignal } from "./preact.js";
import { table } from "./table.js";
import { describeRematchRequest, hasOpponents, isAskedForRematch, isComputer } from "./table_state.js";
import { listWords } from "./text.js";

const TURN_ICON = "/static/icon-turn.svg";

export class Notifications {
  /** @type {boolean | null} */ #wasMine = null; // whether it was someone's turn here; null before the first state
  /** @type {boolean | null} */ #wasStarted = null;
  #wasAsked = false; // for a rematch
  #icon = document.querySelector('link[rel="icon"]');
  #plainIcon = this.#icon?.getAttribute("href") ?? "";

  /** Notify someone whose turn has come. @param {TableState} state */
  update(state) {
    const isMine = state.mine && !state.over && !state.study;
    const hasBegun = this.#wasStarted === false && state.started && state.seats.length > 0;
    const isAsked = isAskedForRematch(state);
    this.#wasStarted = state.started;
    if (isMine && this.#wasMine === false) this.#notify(state, "Your turn");
    else if (isAsked && !this.#wasAsked) this.#notify(state, "Rematch?", describeRematchRequest(state));
    else if (hasBegun) this.#notify(state, "The game has started");
    if (this.#wasMine !== isMine) this.#icon?.setAttribute("href", isMine ? TURN_ICON : this.#plainIcon);
    this.#wasMine = isMine;
    this.#wasAsked = isAsked;
  }

  /** Show a notification, if it is wanted and the page is hidden. @param {TableState} state @param {string} title @param {string} text */
  #notify(state, title, text = describeLastMove(state)) {
    if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    const body = text || `With ${listWords(state.names)}`;
    const options = { body, tag: location.pathname, icon: "/static/icon.svg" };
    try {
      const notification = new Notification(`${title} · ${state.game.title}`, options);
      notification.addEventListener("click", () => {
        window.focus();
        notification.close();
      });
    } catch {
      // Some mobile browsers allow notifications from service workers only.
    }
  }
}

/** Offers to allow notifications if the browser has not asked yet. */
export function Notices() {
  const state = table.value;
  const permission = useSignal("Notification" in window ? Notification.permission : "denied");
  if (!state || state.study || state.over || !state.seats.length) return null;
  if (!hasOpponents(state) && state.started && !state.kinds.some((_, seat) => isComputer(state, seat))) return null;
  const ask = async () => {
    permission.value = await Notification.requestPermission();
  };
  const note = "You will be notified when it is your turn and this page is in the background.";
  const button = html`<button type="button" class="plain wide" id="notify" onClick=${ask}><${Icon} name="bell" />
    Notify me when it is my turn</button>`;
  return html`<div class="notices">${permission.value === "default" && button}
    <p class="small muted">${permission.value === "granted" && note}</p></div>`;
}
