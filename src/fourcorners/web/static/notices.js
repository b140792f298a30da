// Notices that it is one's turn: a soft sound, a message of the browser while the page is out of sight, a dot on its icon.

import { keep, recall } from "./preferences.js";
import { listed } from "./dom.js";

const SOUND = "sound";
const NOTES = [
  [523.25, 0],
  [783.99, 0.13],
];

const byId = (id) => document.getElementById(id);

export class Notices {
  #mine = null; // whether it was one's turn; null before the first picture
  #started = null;
  #audio = null;

  constructor() {
    this.icon = document.querySelector('link[rel="icon"]');
    this.plain = this.icon?.getAttribute("href");
    const sound = byId("sound");
    sound.checked = recall(SOUND) === "yes";
    sound.addEventListener("change", () => {
      keep(SOUND, sound.checked ? "yes" : "no");
      if (sound.checked) this.#chime();
    });
    // A page may make a sound only after somebody has touched it.
    if (sound.checked) addEventListener("pointerdown", () => this.#context()?.resume(), { once: true });
    byId("notify").addEventListener("click", async () => {
      await Notification.requestPermission();
      this.#showAsk();
    });
  }

  update(state, others) {
    const mine = state.mine && !state.over && !state.study;
    const begins = this.#started === false && state.started && state.seats?.length > 0;
    this.#started = state.started;
    if (mine && this.#mine === false) this.#tell(state, "Your turn");
    else if (begins) this.#tell(state, "The game begins");
    if (this.#mine !== mine) this.icon?.setAttribute("href", mine ? "/static/icon-turn.svg" : this.plain);
    this.#mine = mine;
    const waits = !state.study && !state.over && state.seats?.length > 0 && (others || state.kinds.some((kind) => kind !== "person") || !state.started);
    byId("notices").hidden = !waits;
    this.#showAsk();
  }

  #showAsk() {
    const can = "Notification" in window;
    byId("notify").hidden = !can || Notification.permission !== "default";
    byId("notify-note").textContent = can && Notification.permission === "granted" ? "This browser tells you when it is your turn and the page is out of sight." : "";
  }

  #tell(state, title) {
    if (byId("sound").checked) this.#chime();
    if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    const last = state.plies?.at(-1);
    const body = last ? `${state.names[last[0]]} played ${last[1]}` : `With ${listed(state.names)}`;
    try {
      const notice = new Notification(`${title} · ${state.game.title}`, { body, tag: location.pathname, icon: "/static/icon.svg" });
      notice.addEventListener("click", () => {
        window.focus();
        notice.close();
      });
    } catch {
      // some browsers of phones show none from a page
    }
  }

  #context() {
    this.#audio ??= "AudioContext" in window ? new AudioContext() : null;
    return this.#audio;
  }

  // Two soft notes, the second a fifth above the first.
  #chime() {
    const audio = this.#context();
    if (!audio) return;
    audio.resume();
    for (const [pitch, after] of NOTES) {
      const [tone, gain] = [audio.createOscillator(), audio.createGain()];
      const at = audio.currentTime + after;
      tone.frequency.value = pitch;
      gain.gain.setValueAtTime(0.0001, at);
      gain.gain.exponentialRampToValueAtTime(0.12, at + 0.02);
      gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.5);
      tone.connect(gain).connect(audio.destination);
      tone.start(at);
      tone.stop(at + 0.55);
    }
  }
}
