// The clocks of the seats, by the server's time, counted down by one timer that changes nothing but texts.

const TENTHS_BELOW = 20;
const LOW = 20;
const LOW_OF_DAYS = 3600;
const TOLD = [[60, "One minute left."], [30, "30 seconds left."], [10, "10 seconds left."]];
const KEPT_BEATS = 8;

const byId = (id) => document.getElementById(id);
const monotonic = () => performance.now() / 1000;

export class Clocks {
  #offsets = [];
  #clock = null;
  #own = [];
  #shown = []; // the elements, by seat
  #told = new Set();
  #timer = 0;

  constructor(live) {
    live.addEventListener("beat", (event) => {
      this.#offsets.push(event.detail.now - monotonic());
      if (this.#offsets.length > KEPT_BEATS) this.#offsets.shift();
      this.#tick();
    });
    // Who slept, and comes back, knows nothing of the time meanwhile.
    live.addEventListener("lost", () => this.#offsets.splice(0));
    document.addEventListener("visibilitychange", () => this.#tick());
  }

  // The server's time: the beat that took the shortest way tells it best.
  get now() {
    return this.#offsets.length ? Math.max(...this.#offsets) + monotonic() : Date.now() / 1000;
  }

  // The elements with `data-clock` may be new ones.
  update(state) {
    const running = this.#clock?.running;
    this.#clock = state.over && state.clock ? { ...state.clock, running: null } : state.clock;
    this.#own = state.seats ?? [];
    if (this.#clock && this.#clock.running !== running) this.#begun();
    this.#shown = this.#clock?.left.map((_, seat) => [...document.querySelectorAll(`[data-clock="${seat}"]`)]) ?? [];
    this.#tick();
  }

  left(seat) {
    const { left, running, since } = this.#clock;
    return Math.max(0, left[seat] - (seat === running ? Math.max(0, this.now - since) : 0));
  }

  // Another seat's time runs: only what it falls below from now on is told.
  #begun() {
    const { running } = this.#clock;
    const left = running === null ? 0 : this.left(running);
    this.#told = new Set(TOLD.map(([seconds]) => seconds).filter((seconds) => left <= seconds));
    byId("clock-said").textContent = "";
  }

  #tick() {
    clearTimeout(this.#timer);
    const clock = this.#clock;
    if (!clock) return;
    for (const seat of clock.left.keys()) this.#paint(seat, this.left(seat));
    if (clock.running === null || document.hidden) return;
    const left = this.left(clock.running);
    this.#say(clock.running, left);
    if (left > 0) this.#timer = setTimeout(() => this.#tick(), 1000 * untilChange(left, clock.kind));
  }

  #paint(seat, left) {
    const text = timeText(left);
    const low = left < (this.#clock.kind === "days" ? LOW_OF_DAYS : LOW);
    for (const element of this.#shown[seat]) {
      if (element.textContent !== text) element.textContent = text;
      if (element.classList.contains("low") !== low) element.classList.toggle("low", low);
    }
  }

  // In words for who does not see it, seldom: of one's own running clock alone.
  #say(seat, left) {
    if (!this.#own.includes(seat) || this.#clock.kind === "days") return;
    const due = TOLD.filter(([seconds]) => left <= seconds && !this.#told.has(seconds));
    if (!due.length) return;
    for (const [seconds] of due) this.#told.add(seconds);
    byId("clock-said").textContent = due.at(-1)[1];
  }
}

// The seconds until the text is another one.
function untilChange(left) {
  const step = left < TENTHS_BELOW + 0.05 ? 0.1 : left < 86_400 ? 1 : 60;
  return Math.max(0.02, (left % step) + 0.005);
}

// 4:03, 0:09.3, 1:02:03, 2 d 5 h
export function timeText(left) {
  const seconds = Math.floor(left);
  const two = (number) => String(number).padStart(2, "0");
  if (seconds >= 86_400) return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  const minutes = `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return left < TENTHS_BELOW ? `${minutes}.${Math.floor(10 * left) % 10}` : minutes;
}
