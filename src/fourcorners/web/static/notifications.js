// Notifications that it is one's turn: those of this page while it is hidden, those that the server sends through the
// browser's push service while it is closed, and a dot on the icon.

import { describeLastMove, STARTED } from "./announcer.js";
import { askApi } from "./api_client.js";
import { html, signal } from "./preact.js";
import { loadPreference, savePreference } from "./preferences.js";
import { table } from "./table.js";
import { describeRematchRequest, hasOpponents, isAskedForRematch, isComputer } from "./table_state.js";
import { listWords } from "./text.js";
import { findWorker } from "./worker.js";

const TURN_ICON = "/static/icon-turn.svg";
const ADDRESS = "/api/notifications";
const PREFERENCE = "notify";
/** @typedef {"" | "page" | "push"} Way how this browser notifies: not at all, by the open page, or even while the site is closed */
/** @type {Record<Way | "blocked", string>} the note on each */
const NOTES = {
  "": "",
  page: "While this page is open in the background.",
  push: "In all your games, even while this site is closed.",
  blocked: "Your browser blocks notifications from this site. You can allow them in its settings.",
};

const way = signal(/** @type {Way | "blocked"} */ (""));
const isBusy = signal(true);
const isOn = signal(false); // while it is busy, what the player has chosen

export class Notifications {
  /** @type {boolean | null} */ #wasMine = null; // whether it was someone's turn here; null before the first state
  /** @type {boolean | null} */ #wasStarted = null;
  #wasAsked = false; // for a rematch
  #icon = document.querySelector('link[rel="icon"]');
  #plainIcon = this.#icon?.getAttribute("href") ?? "";

  constructor() {
    const clear = () => document.hidden || closeShown();
    document.addEventListener("visibilitychange", clear);
    clear();
    follow(readWay());
  }

  /** Notify someone whose turn has come. @param {TableState} state */
  update(state) {
    const isMine = state.mine && !state.over && !state.study;
    const hasBegun = this.#wasStarted === false && state.started && state.seats.length > 0;
    const isAsked = isAskedForRematch(state);
    this.#wasStarted = state.started;
    if (isMine && this.#wasMine === false) notify(state, "Your turn");
    else if (isAsked && !this.#wasAsked) notify(state, "Rematch offered", describeRematchRequest(state));
    else if (hasBegun) notify(state, STARTED);
    if (this.#wasMine !== isMine) this.#icon?.setAttribute("href", isMine ? TURN_ICON : this.#plainIcon);
    this.#wasMine = isMine;
    this.#wasAsked = isAsked;
  }
}

/** Show a notification, if it is wanted and the page is hidden. @param {TableState} state @param {string} title @param {string} said */
async function notify(state, title, said = describeLastMove(state)) {
  if (!document.hidden || !loadPreference(PREFERENCE) || Notification.permission !== "granted") return;
  const body = said || `With ${listWords(state.names)}`;
  const options = { body, tag: location.pathname, icon: "/static/icons/192.png" };
  const text = `${title} · ${state.game.title}`;
  const worker = await findWorker();
  if (worker) {
    // One that the server sends later takes its place.
    await worker.showNotification(text, options);
    return;
  }
  const notification = new Notification(text, options);
  notification.addEventListener("click", () => {
    window.focus();
    notification.close();
  });
}

/** Close what was shown about this table. */
async function closeShown() {
  const shown = await (await findWorker())?.getNotifications({ tag: location.pathname });
  for (const notification of shown ?? []) notification.close();
}

/** Return how this browser notifies. @returns {Promise<Way>} */
async function readWay() {
  const way = /** @type {Way} */ (loadPreference(PREFERENCE));
  if (!way || !("Notification" in window) || Notification.permission !== "granted") return "";
  if (way === "page") return way;
  // The account page may have ended it.
  const response = await fetch(ADDRESS).catch(() => null);
  if (!response?.ok) return way;
  const { subscribed } = await response.json();
  if (!subscribed) savePreference(PREFERENCE, "");
  return subscribed ? way : "";
}

/** Have this browser notified. @returns {Promise<Way | "blocked">} */
async function turnOn() {
  if ((await Notification.requestPermission()) !== "granted") return "blocked";
  const way = (await subscribe().catch(() => false)) ? "push" : "page";
  savePreference(PREFERENCE, way);
  return way;
}

/** Have the server notify this browser; return false if its push service, or the server, does not do that. */
async function subscribe() {
  const worker = await findWorker();
  if (!worker || !("pushManager" in worker)) return false;
  const { key } = await (await fetch(ADDRESS)).json();
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  return (await askApi(ADDRESS, subscription.toJSON())).answer !== null;
}

/** Have this browser notified no more. @returns {Promise<Way>} */
async function turnOff() {
  const isPushed = loadPreference(PREFERENCE) === "push";
  savePreference(PREFERENCE, "");
  if (isPushed) {
    await askApi(`${ADDRESS}/removal`, {});
    const subscription = await (await findWorker())?.pushManager.getSubscription();
    await subscription?.unsubscribe().catch(() => false);
  }
  return "";
}

/** Show how this browser notifies, once that is known. @param {Promise<Way | "blocked">} work */
async function follow(work) {
  isBusy.value = true;
  way.value = await work;
  isOn.value = way.value === "page" || way.value === "push";
  isBusy.value = false;
}

/** The switch that turns notifications on and off for this browser. */
export function NotificationSwitch() {
  const state = table.value;
  if (!("Notification" in window) || !state || state.study || state.over || !state.seats.length) return null;
  if (!hasOpponents(state) && state.started && !state.kinds.some((_, seat) => isComputer(state, seat))) return null;
  const onChange = (/** @type {Event} */ event) => {
    isOn.value = /** @type {HTMLInputElement} */ (event.currentTarget).checked;
    follow(isOn.value ? turnOn() : turnOff());
  };
  return html`<div class="notices"><label class="check"><input type="checkbox" id="notify" role="switch" checked=${isOn.value}
    aria-describedby="notify-note" disabled=${isBusy.value} onChange=${onChange} /> <span>Notify me when it is my turn</span></label>
    <p class="small muted" id="notify-note" role="status">${NOTES[way.value]}</p></div>`;
}
