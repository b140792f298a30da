// The engine: the best moves of the shown position, as the server finds them, and what they are worth.

import { streamApi } from "./api_client.js";
import { byId, closest, make, makeBadge, setText } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { showPreparation, watchPreparation } from "./preparation.js";
import { formatMargin } from "./text.js";

const PREFERENCE = "engine";
/** Somebody who steps quickly asks only about the position where they stop; in milliseconds. */
const ASK_DELAY = 200;
const LONGEST_SHOWN = 12;

/** Up to what share, in percent, a part of the bar has no room for words. */
const NARROW = 20;

export class EngineLines {
  #seats;
  #onPlay;
  #announce;
  #isOn = loadFlag(PREFERENCE);
  /** @type {object | null} what is asked about */ #question = null;
  #controller = new AbortController();
  #timer = 0;
  /** @type {EngineLine[]} */ #lines = [];
  #seat = 0;
  #state = "";

  /**
   * @param {AnalysisSeats} seats @param {(moves: string[], seats: Seat[]) => void} onPlay plays the beginning of a line
   * @param {(sentence: string) => void} announce
   */
  constructor(seats, onPlay, announce) {
    this.#seats = seats;
    this.#onPlay = onPlay;
    this.#announce = announce;
    byId("engine-switch").addEventListener("click", () => this.toggle());
    byId("engine-count").addEventListener("change", () => this.#restart());
    byId("engine-lines").addEventListener("click", (event) => {
      const button = closest(event, "[data-length]");
      const line = this.#lines[Number(button?.dataset.line)];
      if (!button || !line) return;
      const length = Number(button.dataset.length);
      this.#onPlay(line.line.slice(0, length), line.seats.slice(0, length));
    });
    addEventListener("pagehide", () => this.#controller.abort());
    this.#showSwitch();
  }

  toggle() {
    this.#isOn = !this.#isOn;
    saveFlag(PREFERENCE, this.#isOn);
    this.#showSwitch();
    this.#announce(this.#isOn ? "Engine on." : "Engine off.");
    this.#restart();
  }

  /** Say the lines that were found. */
  describe() {
    if (!this.#isOn) return "The engine is off.";
    if (!this.#lines.length) return byId("engine-note").textContent || "The engine has found nothing yet.";
    const lines = this.#lines.map(
      (line, index) => `${index + 1}: ${line.line.slice(0, 4).join(", ")}, ${this.#describeWorth(line)}`,
    );
    return `For ${this.#seats.names[this.#seat]}. ${lines.join(". ")}.`;
  }

  /** Take the position that is shown now; null if nobody is to move. @param {object | null} question */
  update(question) {
    this.#question = question;
    this.#restart();
  }

  #showSwitch() {
    byId("engine-switch").setAttribute("aria-checked", String(this.#isOn));
    byId("engine-body").hidden = !this.#isOn;
    byId("engine-count-label").hidden = !this.#isOn;
  }

  #restart() {
    clearTimeout(this.#timer);
    this.#controller.abort();
    this.#lines = [];
    this.#state = "";
    if (!this.#isOn) return;
    byId("engine").dataset.state = "waiting";
    byId("engine").classList.add("old");
    if (!this.#question) {
      this.#clear("The game is over here.");
      return;
    }
    const controller = new AbortController();
    this.#controller = controller;
    this.#timer = setTimeout(() => this.#ask(controller.signal), ASK_DELAY);
  }

  /** @param {AbortSignal} signal */
  async #ask(signal) {
    const lines = Number(byId("engine-count", HTMLSelectElement).value);
    const stop = watchPreparation(byId("analysis").dataset.game ?? "", "hint", (share) => this.#showPreparation(share));
    signal.addEventListener("abort", stop);
    try {
      for await (const update of streamApi("/api/analysis/lines", { ...this.#question, lines }, signal)) {
        if (signal.aborted) return;
        if (update.state === "refused" || update.lines.length) stop();
        this.#show(update);
      }
    } catch (error) {
      if (signal.aborted) return;
      const isRefused = error instanceof Error && error.name === "Error";
      this.#clear(isRefused ? error.message : "The server cannot be reached. Check the connection and try again.");
    } finally {
      stop();
    }
  }

  /** Say that the engine is being prepared. @param {number} share 1 once it is */
  #showPreparation(share) {
    this.#clear("Thinking…");
    byId("engine").dataset.state = "waiting";
    if (share < 1) showPreparation(byId("engine-note"), share);
  }

  /** Show nothing but a sentence. @param {string} sentence */
  #clear(sentence) {
    byId("engine").classList.remove("old");
    byId("engine").dataset.state = "refused";
    byId("engine-lines").replaceChildren();
    byId("odds").hidden = true;
    byId("engine-share").hidden = true;
    setText(byId("engine-note"), sentence);
  }

  /** @param {EngineUpdate} update */
  #show({ state, sentence, seat, nodes, share, lines }) {
    if (state === "refused") return this.#clear(sentence);
    if (!lines.length && state === "running") return;
    this.#lines = lines;
    this.#seat = seat;
    byId("engine").classList.remove("old");
    byId("engine").dataset.state = state;
    const bar = byId("engine-share", HTMLProgressElement);
    bar.hidden = state === "done";
    bar.value = share;
    byId("engine-lines").replaceChildren(...lines.map((line, index) => this.#makeLine(line, index)));
    if (lines[0]) this.#showOdds(lines[0]);
    const proven = lines[0] && lines[0].lower === lines[0].upper ? "Proven" : "Estimated";
    setText(
      byId("engine-note"),
      `${proven} for ${this.#seats.names[seat]}, to move · ${nodes.toLocaleString("en")} nodes`,
    );
    if (state === "done" && this.#state !== "done") this.#announce(`Engine: ${this.#describeBest()}`);
    this.#state = state;
  }

  #describeBest() {
    const [best] = this.#lines;
    return best ? `${best.move}, ${this.#describeWorth(best)}.` : "no move.";
  }

  /** @param {EngineLine} line @param {number} index */
  #makeLine(line, index) {
    const worth = make(
      "span",
      { class: `line-worth${line.lower === line.upper ? " exact" : ""}` },
      this.#formatWorth(line),
    );
    worth.title = this.#describeWorth(line);
    const shown = line.line.slice(0, LONGEST_SHOWN);
    const moves = shown.map((move, place) => {
      const seat = line.seats[place] ?? line.seats[0];
      const attributes = {
        type: "button",
        "data-line": index,
        "data-length": place + 1,
        "aria-label": place ? `${this.#seats.names[seat]} ${move}` : `${move}, ${this.#describeWorth(line)}`,
      };
      return make("button", attributes, makeBadge(seat), move);
    });
    const more = line.line.length > shown.length ? make("span", { class: "muted" }, "…") : null;
    return make("li", {}, worth, make("span", { class: "line-moves" }, ...moves, more));
  }

  /** Write what a move is worth: "+3" if proven, "≈ +2.4" if not; of a game without points the chance to win. @param {EngineLine} line */
  #formatWorth({ margin, win, lower, upper }) {
    if (!this.#seats.hasPoints) return lower === upper ? (lower > 0 ? "W" : "L") : `${Math.round(100 * win)}%`;
    if (lower === upper) return formatMargin(lower);
    const rounded = Math.round(10 * margin) / 10;
    return `≈ ${formatMargin(rounded)}`;
  }

  /** Say what a move is worth. @param {EngineLine} line */
  #describeWorth({ margin, win, lower, upper }) {
    const chance = `${Math.round(100 * win)}% to win`;
    if (!this.#seats.hasPoints) return lower === upper ? (lower > 0 ? "proven to win" : "proven to lose") : chance;
    if (lower === upper) {
      return lower === 0 ? "proven draw" : `proven to ${lower > 0 ? "win" : "lose"} by ${Math.abs(lower)}`;
    }
    const estimate = formatMargin(Math.round(10 * margin) / 10);
    return `about ${estimate}, between ${formatMargin(lower)} and ${formatMargin(upper)}, ${chance}`;
  }

  /** Show the chances of two parties as a bar. @param {EngineLine} best */
  #showOdds({ win }) {
    const { parties, names } = this.#seats;
    const bar = byId("odds");
    bar.hidden = parties.length !== 2;
    if (bar.hidden) return;
    const share = parties[0].includes(this.#seat) ? win : 1 - win;
    const percents = [Math.round(100 * share), 100 - Math.round(100 * share)];
    const say = (/** @type {number} */ index) => parties[index].map((seat) => names[seat]).join(" and ");
    bar.setAttribute("aria-label", `Chances: ${say(0)} ${percents[0]}%, ${say(1)} ${percents[1]}%`);
    // A part too narrow for its sign and number has neither, rather than pieces of them; the label says both.
    const parts = parties.map((party, index) => {
      const words = percents[index] < NARROW ? [] : [makeBadge(party[0]), `${percents[index]}%`];
      return make("span", { class: `odds-part seat-${party[0]}`, style: null }, ...words);
    });
    for (const [index, part] of parts.entries()) part.style.flexGrow = String(Math.max(0.001, percents[index]));
    bar.replaceChildren(...parts);
  }
}
