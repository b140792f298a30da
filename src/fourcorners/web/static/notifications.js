// Notifications that it is one's turn: a soft sound, one of the browser while the page is hidden, a dot on the icon.

import { byId } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { hasOpponents, isComputer } from "./table_state.js";
import { listWords } from "./text.js";

const PREFERENCE = "sound";
const TURN_ICON = "/static/icon-turn.svg";
/** Two tones, the second a fifth above the first: frequency in Hz and start in seconds. */
const CHIME = [
  [523.25, 0],
  [783.99, 0.13],
];
const SILENT = 0.0001; // exponential ramps cannot reach 0
const LOUD = 0.12;

export class Notifications {
  /** @type {boolean | null} */ #wasMine = null; // whether it was somebody's turn here; null before the first state
  /** @type {boolean | null} */ #wasStarted = null;
  /** @type {AudioContext | null} */ #audio = null;
  #icon = document.querySelector('link[rel="icon"]');
  #plainIcon = this.#icon?.getAttribute("href") ?? "";

  constructor() {
    const sound = byId("sound", HTMLInputElement);
    sound.checked = loadFlag(PREFERENCE);
    sound.addEventListener("change", () => {
      saveFlag(PREFERENCE, sound.checked);
      if (sound.checked) this.#chime();
    });
    // Browsers allow sound only after somebody has touched the page.
    if (sound.checked) addEventListener("pointerdown", () => this.#audioContext()?.resume(), { once: true });
    byId("notify").addEventListener("click", async () => {
      await Notification.requestPermission();
      this.#showPermission();
    });
  }

  /** Notify somebody whose turn has come. @param {TableState} state */
  update(state) {
    const isMine = state.mine && !state.over && !state.study;
    const hasBegun = this.#wasStarted === false && state.started && state.seats.length > 0;
    this.#wasStarted = state.started;
    if (isMine && this.#wasMine === false) this.#notify(state, "Your turn");
    else if (hasBegun) this.#notify(state, "The game has started");
    if (this.#wasMine !== isMine) this.#icon?.setAttribute("href", isMine ? TURN_ICON : this.#plainIcon);
    this.#wasMine = isMine;
    const hasToWait = hasOpponents(state) || !state.started || state.kinds.some((_, seat) => isComputer(state, seat));
    byId("notices").hidden = state.study || state.over || !state.seats.length || !hasToWait;
    this.#showPermission();
  }

  /** Offer to allow notifications if the browser has not asked yet. */
  #showPermission() {
    const permission = "Notification" in window ? Notification.permission : "denied";
    byId("notify").hidden = permission !== "default";
    const note = "You will be notified when it is your turn and this page is in the background.";
    byId("notify-note").textContent = permission === "granted" ? note : "";
  }

  /** Make a sound and show a notification, where they are wanted. @param {TableState} state @param {string} title */
  #notify(state, title) {
    if (byId("sound", HTMLInputElement).checked) this.#chime();
    if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    const last = state.plies.at(-1);
    const body = last ? `${state.names[last[0]]} played ${last[1]}` : `With ${listWords(state.names)}`;
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

  #audioContext() {
    this.#audio ??= "AudioContext" in window ? new AudioContext() : null;
    return this.#audio;
  }

  /** Play two soft tones. */
  #chime() {
    const audio = this.#audioContext();
    if (!audio) return;
    audio.resume();
    for (const [frequency, delay] of CHIME) {
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      const start = audio.currentTime + delay;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(SILENT, start);
      volume.gain.exponentialRampToValueAtTime(LOUD, start + 0.02);
      volume.gain.exponentialRampToValueAtTime(SILENT, start + 0.5);
      tone.connect(volume).connect(audio.destination);
      tone.start(start);
      tone.stop(start + 0.55);
    }
  }
}
