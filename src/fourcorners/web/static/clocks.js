// The clocks of the seats: they follow the server's time, and one timer counts them down.

import { signal } from "./preact.js";
import { pluralise } from "./text.js";

const TENTHS_BELOW = 20;
const LOW = 20;
const LOW_FOR_DAYS = 3600;
const DAY = 86_400;
/** When to say how much time is left, in seconds; each once in a game. */
const WARNINGS = [60, 30, 10];
const SAMPLES = 8;

/** Estimates the server's time from the beats it sends. The device's own clock, which may be wrong, plays no part. */
export class ServerTime {
  #monotonic;
  /** @type {number[]} */ #offsets = [];
  #isCut = false; // whether the connection was lost after the last beat

  /** @param {() => number} monotonic a local time in seconds that never jumps */
  constructor(monotonic = () => performance.now() / 1000) {
    this.#monotonic = monotonic;
  }

  /** @param {number} now the server's time when it sent a beat, in seconds */
  addBeat(now) {
    // The local time may have stood still while the computer slept.
    if (this.#isCut) this.#offsets.length = 0;
    this.#isCut = false;
    this.#offsets.push(now - this.#monotonic());
    if (this.#offsets.length > SAMPLES) this.#offsets.shift();
  }

  /** Go on from the beats so far until the next one, which counts alone. */
  cut() {
    this.#isCut = true;
  }

  /**
   * The server's time in seconds, or null before the first beat. The beat that travelled fastest is the most exact, and
   * has the largest offset.
   */
  get now() {
    return this.#offsets.length ? Math.max(...this.#offsets) + this.#monotonic() : null;
  }
}

/** What the clocks of the seats show; null before the server has told its time. */
export const clockTimes = signal(/** @type {{ text: string, isLow: boolean }[] | null} */ (null));

/** In how many seconds the clock of the seat to move starts unless it moves before; null if it runs or there is none. */
export const startsIn = signal(/** @type {number | null} */ (null));

export class Clocks {
  #time = new ServerTime();
  /** @type {ClockReading | null} */ #clock = null;
  /** @type {Seat[]} */ #ownSeats = [];
  /** @type {Set<number>} */ #given = new Set(); // the warnings that were given
  #announce;
  #timer = 0;

  /** @param {TableClient} client @param {(sentence: string) => void} announce speaks a sentence */
  constructor(client, announce) {
    this.#announce = announce;
    client.on("beat", ({ now }) => {
      this.#time.addBeat(now);
      this.#tick();
    });
    client.on("lost", () => this.#time.cut());
    document.addEventListener("visibilitychange", () => this.#tick());
  }

  /** Take a new state. @param {TableState} state */
  update(state) {
    this.#clock = state.over && state.clock ? { ...state.clock, running: null } : state.clock;
    this.#ownSeats = state.seats;
    this.#tick();
  }

  /** Show all clocks, and come back when the text of the running one changes. */
  #tick() {
    clearTimeout(this.#timer);
    const clock = this.#clock;
    const { now } = this.#time;
    if (!clock || now === null) return;
    const low = clock.kind === "days" ? LOW_FOR_DAYS : LOW;
    const times = clock.left.map((_, seat) => timeLeft(clock, seat, now));
    clockTimes.value = times.map((left) => ({ text: formatTime(left), isLow: left < low }));
    const wait = clock.running === null ? 0 : clock.since - now;
    startsIn.value = wait > 0 ? Math.ceil(wait) : null;
    if (clock.running === null || document.hidden) return;
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#tick(), 1000 * (wait - Math.ceil(wait) + 1) + 5);
      return;
    }
    const left = times[clock.running];
    if (clock.kind !== "days" && this.#ownSeats.includes(clock.running)) this.#warn(left);
    if (left > 0) this.#timer = setTimeout(() => this.#tick(), 1000 * secondsUntilChange(left));
  }

  /** Tell screen readers how much time is left, a few times in a game. @param {number} left in seconds */
  #warn(left) {
    const due = WARNINGS.filter((seconds) => left <= seconds && !this.#given.has(seconds));
    if (!due.length || left <= 0) return;
    for (const seconds of due) this.#given.add(seconds);
    const seconds = Math.ceil(left);
    this.#announce(seconds === 60 ? "One minute left." : pluralise(seconds, "{} second left.", "{} seconds left."));
  }
}

/** Return the seconds that a seat has left. @param {ClockReading} clock @param {Seat} seat @param {number} now in seconds */
export function timeLeft({ left, running, since }, seat, now) {
  return Math.max(0, left[seat] - (seat === running ? Math.max(0, now - since) : 0));
}

/** Return the seconds until the text of a running clock changes. @param {number} left in seconds */
export function secondsUntilChange(left) {
  const step = left < TENTHS_BELOW + 0.05 ? 0.1 : left < DAY ? 1 : 60;
  return Math.max(0.02, (left % step) + 0.005);
}

/** Write a time: 4:03, 0:09.3, 1:02:03, 2 d 5 h. @param {number} left in seconds */
export function formatTime(left) {
  const [hours, minutes] = [Math.floor(left / 3600), Math.floor(left / 60)];
  const pad = (/** @type {number} */ number) => String(Math.floor(number)).padStart(2, "0");
  if (left >= DAY) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours) return `${hours}:${pad(minutes % 60)}:${pad(left % 60)}`;
  return `${minutes}:${pad(left % 60)}${left < TENTHS_BELOW ? `.${Math.floor(10 * left) % 10}` : ""}`;
}
