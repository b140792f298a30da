// The engine: the best moves of the shown position, as the server finds them, and what they are worth.

import { streamApi } from "./api_client.js";
import { Badge, classes, describeShortcut, Preparation } from "./parts.js";
import { OVER_HERE } from "./position_words.js";
import { html, signal } from "./preact.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { watchPreparation } from "./preparation.js";
import { formatMargin } from "./text.js";

const PREFERENCE = "engine";
/** A player who steps quickly asks only about the position where they stop; in milliseconds. */
const ASK_DELAY = 200;
const LONGEST_SHOWN = 12;
const MOST_LINES = 5;
/** Up to what share, in percent, a part of the bar has no room for words. */
const NARROW = 20;

/** @typedef {import("./analysis_state.js").Analysis} Analysis */
/** What to ask about: a position, none after the end, or none until one is shown. @typedef {object | "over" | null} Question */
/** What is shown: `prepared` is how much of the engine is compiled. @typedef {{ state: EngineUpdate["state"] | "waiting", sentence: string, seat: Seat, nodes: number, share: number, lines: EngineLine[], prepared: number, isOld: boolean }} Found */
/** @type {Found} */
const NOTHING = { state: "waiting", sentence: "", seat: 0, nodes: 0, share: 0, lines: [], prepared: 1, isOld: false };

export class EngineLines {
  #analysis;
  #announce;
  /** @type {Question} */ #question = null;
  #controller = new AbortController();
  #timer = 0;
  isOn = signal(loadFlag(PREFERENCE));
  count = signal(3);
  found = signal(NOTHING);

  /** @param {Analysis} analysis @param {(sentence: string) => void} announce */
  constructor(analysis, announce) {
    this.#analysis = analysis;
    this.#announce = announce;
    addEventListener("pagehide", () => this.#controller.abort());
  }

  toggle() {
    this.isOn.value = !this.isOn.value;
    saveFlag(PREFERENCE, this.isOn.value);
    this.#announce(this.isOn.value ? "Engine on." : "Engine off.");
    this.#restart();
  }

  /** Find this many lines. @param {number} count */
  setCount(count) {
    this.count.value = count;
    this.#restart();
  }

  /** Say the lines that were found. */
  describe() {
    const { lines, isOld, sentence, seat } = this.found.value;
    if (!this.isOn.value) return "The engine is off.";
    if (!lines.length || isOld) return sentence || "The engine has found nothing yet.";
    const { seats } = this.#analysis.state.value;
    const words = lines.map(
      (line, index) => `${index + 1}: ${line.line.slice(0, 4).join(", ")}, ${describeWorth(line, seats)}`,
    );
    return `For ${seats.names[seat]}. ${words.join(". ")}.`;
  }

  /** Ask no longer. The old lines stay, faded, until the next answer. */
  #abort() {
    clearTimeout(this.#timer);
    this.#controller.abort();
    this.found.value = { ...this.found.value, state: "waiting", isOld: true };
  }

  /** Take the position that is shown now. @param {Question} question */
  update(question) {
    this.#question = question;
    this.#restart();
  }

  #restart() {
    this.#abort();
    if (!this.isOn.value || !this.#question) return;
    if (this.#question === "over") return this.#say(OVER_HERE);
    const controller = new AbortController();
    this.#controller = controller;
    this.#timer = setTimeout(() => this.#ask(controller.signal), ASK_DELAY);
  }

  /** Play the beginning of a line, unless it is faded: then it begins at another position. @param {EngineLine} line @param {number} count */
  play({ line, seats }, count) {
    if (!this.found.value.isOld) this.#analysis.playLine(line.slice(0, count), seats.slice(0, count));
  }

  /** @param {AbortSignal} signal */
  async #ask(signal) {
    const { game } = this.#analysis.where;
    const stop = watchPreparation(game, "hint", (prepared) => {
      this.found.value = { ...NOTHING, sentence: "Thinking…", prepared };
    });
    signal.addEventListener("abort", stop);
    try {
      const question = { .../** @type {object} */ (this.#question), lines: this.count.value };
      for await (const update of streamApi("/api/analysis/lines", question, signal)) {
        if (signal.aborted) return;
        if (update.state === "refused" || update.lines.length) stop();
        this.#show(update);
      }
    } catch (error) {
      if (!signal.aborted) this.#say(/** @type {Error} */ (error).message);
    } finally {
      stop();
    }
  }

  /** Show nothing but a sentence. @param {string} sentence */
  #say(sentence) {
    this.found.value = { ...NOTHING, state: "refused", sentence };
  }

  /** @param {EngineUpdate} update */
  #show(update) {
    if (update.state === "refused") return this.#say(update.sentence);
    if (!update.lines.length && update.state === "running") return;
    const wasDone = this.found.value.state === "done";
    this.found.value = { ...NOTHING, ...update };
    if (update.state !== "done" || wasDone) return;
    const [best] = update.lines;
    const words = best ? `${best.move}, ${describeWorth(best, this.#analysis.state.value.seats)}` : "no move";
    this.#announce(`Engine: ${words}.`);
  }
}

/** Write what a move is worth: "+3" if proven, "≈ +2.4" if not; of a game without points the chance to win. @param {EngineLine} line @param {AnalysisSeats} seats */
function formatWorth({ margin, win, lower, upper }, { has_points }) {
  if (!has_points) return lower === upper ? (lower > 0 ? "W" : "L") : `${Math.round(100 * win)}%`;
  if (lower === upper) return formatMargin(lower);
  return `≈ ${formatMargin(Math.round(10 * margin) / 10)}`;
}

/** Say what a move is worth. @param {EngineLine} line @param {AnalysisSeats} seats */
function describeWorth({ margin, win, lower, upper }, { has_points }) {
  const chance = `${Math.round(100 * win)}% to win`;
  if (!has_points) return lower === upper ? (lower > 0 ? "proven to win" : "proven to lose") : chance;
  if (lower === upper) {
    if (lower === 0) return "proven draw";
    return lower > 0 ? `proven to win by ${lower}` : `proven to lose by ${-lower}`;
  }
  const estimate = formatMargin(Math.round(10 * margin) / 10);
  return `about ${estimate}, between ${formatMargin(lower)} and ${formatMargin(upper)}, ${chance}`;
}

/** The switch, the chances and the lines; `children` stand below. @param {{ engine: EngineLines, analysis: Analysis, children: unknown }} props */
export function EnginePanel({ engine, analysis, children }) {
  const { state, isOld } = engine.found.value;
  const isOn = engine.isOn.value;
  const setCount = (/** @type {Event} */ { target }) =>
    engine.setCount(Number(/** @type {HTMLSelectElement} */ (target).value));
  const options = Array.from({ length: MOST_LINES }, (_, index) => html`<option>${index + 1}</option>`);
  const count = html`<label class="lines-count small muted">Lines <select id="engine-count"
    aria-label="Number of lines" value=${engine.count.value} onChange=${setCount}>${options}</select></label>`;
  return html`<section class=${classes("panel engine", isOld && "old")} id="engine" aria-labelledby="engine-title"
      data-state=${state}>
    <div class="panel-head"><h2 id="engine-title">Engine</h2>${isOn && count}
      <button type="button" id="engine-switch" role="switch" aria-checked=${isOn} aria-label="Engine"
        ...${describeShortcut("Engine", "e")} onClick=${() => engine.toggle()}><span aria-hidden="true" /></button></div>
    ${isOn && html`<${Lines} engine=${engine} analysis=${analysis} />`}${children}</section>`;
}

/** What was found. @param {{ engine: EngineLines, analysis: Analysis }} props */
function Lines({ engine, analysis }) {
  const { state, sentence, seat, nodes, share, lines, prepared } = engine.found.value;
  const { seats } = analysis.state.value;
  const [best] = lines;
  const proven = best && best.lower === best.upper ? "Proven" : "Estimated";
  const summary = `${proven} for ${seats.names[seat]}, to move · ${nodes.toLocaleString("en")} nodes`;
  const note = prepared < 1 ? html`<${Preparation} share=${prepared} />` : best ? summary : sentence;
  return html`<div id="engine-body">
    ${best && html`<${Odds} seats=${seats} seat=${seat} win=${best.win} />`}
    ${
      best &&
      state !== "done" &&
      html`<progress id="engine-share" max="1" value=${share}
      aria-label="Share of the engine’s time used" />`
    }
    <ol class="engine-lines" id="engine-lines" role="list" aria-label="Best moves">
      ${lines.map((line) => html`<${Line} line=${line} seats=${seats} engine=${engine} />`)}</ol>
    <p class="small muted" id="engine-note">${note}</p></div>`;
}

/** A line, whose moves lead there. @param {{ line: EngineLine, seats: AnalysisSeats, engine: EngineLines }} props */
function Line({ line, seats, engine }) {
  const worth = describeWorth(line, seats);
  const moves = line.line.slice(0, LONGEST_SHOWN).map((move, index) => {
    const seat = line.seats[index] ?? line.seats[0];
    const label = index ? `${seats.names[seat]} ${move}` : `${move}, ${worth}`;
    return html`<button type="button" aria-label=${label} onClick=${() => engine.play(line, index + 1)}><${Badge} seat=${seat} />${move}</button>`;
  });
  return html`<li><span class=${classes("line-worth", line.lower === line.upper && "exact")} title=${worth}>
      ${formatWorth(line, seats)}</span>
    <span class="line-moves">${moves}
      ${line.line.length > LONGEST_SHOWN && html`<span class="muted">…</span>`}</span></li>`;
}

/** The chances of two parties as a bar. @param {{ seats: AnalysisSeats, seat: Seat, win: number }} props */
function Odds({ seats: { parties, names }, seat, win }) {
  if (parties.length !== 2) return null;
  const share = Math.round(100 * (parties[0].includes(seat) ? win : 1 - win));
  const percents = [share, 100 - share];
  const words = parties.map((party, index) => `${party.map((each) => names[each]).join(" and ")} ${percents[index]}%`);
  // A part too narrow for its sign and number has neither, rather than pieces of them; the label says both.
  const parts = parties.map(
    ([first], index) => html`<span class="odds-part seat-${first}"
      style=${{ flexGrow: String(Math.max(0.001, percents[index])) }}>
      ${percents[index] >= NARROW && html`<${Badge} seat=${first} />${percents[index]}%`}</span>`,
  );
  return html`<div class="odds" id="odds" role="img" aria-label="Chances: ${words.join(", ")}">${parts}</div>`;
}
