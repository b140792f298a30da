// Short sounds, made by the browser itself: a move, a capture, one's own turn or a question, the end. One switch turns them on.

import { byId } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { isAskedForRematch } from "./table_state.js";

const PREFERENCE = "sound";
const SILENT = 0.0001; // exponential ramps cannot reach 0
/** A sound that the browser holds back for longer is left out, in milliseconds: later all would be heard at once. */
const LATEST = 300;
/** What tells the browser that someone is there; only then it allows sound. */
const GESTURES = ["pointerup", "keydown"];

/**
 * A tone: frequency in Hz, start and length in seconds, loudness up to 1, and the shape of its wave.
 * @typedef {[number, number, number, number, OscillatorType]} Tone
 */

/** @type {Record<SoundName, Tone[]>} */
const SOUNDS = {
  // A soft tap on wood.
  move: [
    [196, 0, 0.07, 0.2, "triangle"],
    [392, 0, 0.03, 0.08, "sine"],
  ],
  // Two taps, the second higher.
  capture: [
    [220, 0, 0.07, 0.2, "triangle"],
    [330, 0.08, 0.12, 0.18, "triangle"],
  ],
  // A fifth upwards.
  turn: [
    [523.25, 0, 0.5, 0.12, "sine"],
    [783.99, 0.13, 0.5, 0.12, "sine"],
  ],
  // A chord, one tone after the other.
  end: [
    [392, 0, 0.7, 0.1, "sine"],
    [493.88, 0.1, 0.7, 0.1, "sine"],
    [587.33, 0.2, 0.9, 0.1, "sine"],
  ],
};

/**
 * Return which sound a new state makes, or null. It depends on nothing but what every spectator sees.
 * @param {TableState | null} before @param {TableState} after @returns {SoundName | null}
 */
export function chooseSound(before, after) {
  if (!before || after.study || after.version === before.version) return null;
  if (after.over) {
    if (!before.over) return "end";
    return isAskedForRematch(after) && !isAskedForRematch(before) ? "turn" : null;
  }
  const isMine = after.mine && !before.mine;
  if (after.started && !before.started) return after.seats.length ? "turn" : null;
  if (after.ply <= before.ply) return null;
  const hasCaptured = after.scores.some((points, seat) => points > before.scores[seat]);
  if (hasCaptured) return "capture";
  return isMine ? "turn" : "move";
}

export class Sounds {
  /** @type {TableState | null} */ #state = null;
  /** @type {AudioContext | null} */ #audio = null;
  #isAllowed = false; // whether someone has touched the page
  #switch = byId("sound", HTMLInputElement);

  constructor() {
    const input = this.#switch;
    input.checked = loadFlag(PREFERENCE);
    const allow = () => {
      for (const gesture of GESTURES) removeEventListener(gesture, allow);
      this.#isAllowed = true;
      if (input.checked) this.#audioContext()?.resume();
    };
    input.addEventListener("change", () => {
      saveFlag(PREFERENCE, input.checked);
      allow();
      if (input.checked) this.play("turn");
    });
    for (const gesture of GESTURES) addEventListener(gesture, allow);
  }

  /** Make the sound of what has changed. @param {TableState} state */
  update(state) {
    const sound = chooseSound(this.#state, state);
    this.#state = state;
    if (sound && this.#switch.checked) this.play(sound);
  }

  #audioContext() {
    this.#audio ??= "AudioContext" in window ? new AudioContext() : null;
    return this.#audio;
  }

  /** Make a sound, unless the browser does not allow it now. @param {SoundName} name */
  async play(name) {
    const audio = this.#isAllowed ? this.#audioContext() : null;
    if (!audio) return;
    const asked = performance.now();
    if (audio.state !== "running") await audio.resume();
    if (performance.now() - asked > LATEST) return;
    for (const [frequency, delay, length, loudness, shape] of SOUNDS[name]) {
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      const start = audio.currentTime + delay;
      tone.type = shape;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(SILENT, start);
      volume.gain.exponentialRampToValueAtTime(loudness, start + 0.01);
      volume.gain.exponentialRampToValueAtTime(SILENT, start + length);
      tone.connect(volume).connect(audio.destination);
      tone.start(start);
      tone.stop(start + length + 0.05);
    }
  }
}
