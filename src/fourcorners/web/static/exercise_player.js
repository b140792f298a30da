// A series of exercises: a text for each, a board to move on, and what came of the move. Lessons, mistakes and puzzles.

import { byId, find, findAll, make, setText } from "./dom.js";
import { groupOutcomes, listOutcomes } from "./exercise_summary.js";
import { LessonBoard } from "./lesson_board.js";
import { showPreparation, watchPreparation } from "./preparation.js";
import { connectSingleKeys } from "./shortcuts.js";

const FAILED = "The server cannot be reached. Check the connection and try again.";
const SIGNS = { done: "✓", wrong: "✗", refused: "✗", open: "" };

export class ExercisePlayer {
  #place = byId("exercise");
  #steps = findAll(byId("steps"), ".step[data-task]");
  #host;
  #number = 0;
  /** @type {string[]} the moves made in this step */ #moves = [];
  /** @type {Judgement | null} */ #answer = null;
  #board;
  /** Counts the questions to the server: only the last one is answered. */
  #question = 0;
  /** How each step was solved, by number. @type {Map<number, ExerciseResult>} */ #results = new Map();
  /** Whether something wrong was tried, or help was used, in this step. */
  #hasErred = false;
  /** Ends when the last move has been judged and shown. @type {Promise<MoveResult>} */
  #last = Promise.resolve({ type: "done" });

  /** @param {ExerciseHost} host */
  constructor(host = {}) {
    this.#host = host;
    this.#board = new LessonBoard({
      place: this.#place,
      play: (move) => this.#play(move),
      explain: (text) => this.#explain(text),
      onHint: () => byId("hint").hidden || byId("hint").click(),
      onRules: () => byId("keys", HTMLDetailsElement).toggleAttribute("open"),
      onType: () => byId("typed-move", HTMLInputElement).focus(),
    });
    connectSingleKeys();
    byId("back").addEventListener("click", () => this.#number && this.#open(this.#number - 1, true));
    byId("next").addEventListener("click", () => this.#goOn());
    byId("hint").addEventListener("click", () => this.#toggleHint());
    byId("show").addEventListener("click", () => this.#showMove());
    byId("retry").addEventListener("click", () => this.#retry());
    byId("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#playTyped();
    });
    for (const [number, step] of this.#steps.entries()) {
      const known = /** @type {ExerciseResult | ""} */ (step.dataset.result ?? "");
      if (known) this.#results.set(number, known);
    }
    const first = host.first ?? 0;
    this.#open(first < this.#steps.length ? first : 0, false);
  }

  /** How many steps there are. */
  get count() {
    return this.#steps.length;
  }

  /** Whether the step that is shown has something to do. */
  get #hasTask() {
    return this.#steps[this.#number]?.dataset.task === "yes";
  }

  /** Show a step. @param {number} number from 0; their number shows the end @param {boolean} takesFocus */
  async #open(number, takesFocus) {
    this.#number = number;
    this.#moves = [];
    this.#answer = null;
    this.#hasErred = false;
    const count = this.#steps.length;
    const isEnd = number >= count;
    for (const [index, step] of this.#steps.entries()) step.hidden = index !== number;
    byId("finish").hidden = !isEnd;
    const game = this.#steps[number]?.dataset.game;
    if (game) byId("scene").className = `fc-scene overlaid game-${game}`;
    const noun = this.#place.dataset.noun ?? "Step";
    const nouns = this.#place.dataset.nouns ?? "steps";
    setText(byId("step-count"), isEnd ? `All ${count} ${nouns} done` : `${noun} ${number + 1} of ${count}`);
    byId("progress", HTMLProgressElement).value = number;
    this.#showHint(false);
    this.#say("open", "");
    this.#updateControls();
    if (takesFocus) byId("steps").focus({ preventScroll: true });
    if (isEnd) {
      this.#summarise();
      return this.#board.rest();
    }
    // When the page opens, the focus stays before the text: only somebody who has done something wants the board.
    const wantsBoard = this.#isAtBoard && navigator.userActivation.hasBeenActive;
    const answer = await this.#ask([]);
    if (!answer) return;
    this.#answer = answer;
    this.#board.show(answer.picture);
    this.#updateControls();
    if (wantsBoard) this.#board.focus();
  }

  /** Whether somebody makes moves on the board just now, and does nothing elsewhere on the page. */
  get #isAtBoard() {
    const focused = document.activeElement;
    return !focused || focused === document.body || byId("scene").contains(focused);
  }

  /** Go on to the next exercise, solved or not. */
  skip() {
    this.#miss();
    this.#open(this.#number + 1, !this.#isAtBoard);
  }

  /** Show the end, even if this exercise is not solved. */
  end() {
    this.#miss();
    this.#open(this.#steps.length, true);
  }

  #goOn() {
    const state = this.#answer?.state;
    if (this.#hasTask && state !== "done") return;
    this.#host.onStep?.(this.#number + 1);
    if (this.#host.onEnd && this.#number + 1 === this.#steps.length) this.#host.onEnd();
    else this.#open(this.#number + 1, true);
  }

  /** Note that this exercise was not solved, if it was not. */
  #miss() {
    const isOpen = this.#number < this.#steps.length && !this.#results.has(this.#number);
    if (isOpen) this.#results.set(this.#number, "missed");
  }

  /** List the outcomes at the end, on pages that have a place for them. */
  #summarise() {
    const place = this.#place.querySelector("[data-summary]");
    if (!place || !this.#steps.length) return;
    const outcomes = this.#steps.map(({ dataset }, number) => ({
      name: dataset.name ?? "",
      link: dataset.link ?? "",
      result: this.#results.get(number) ?? null,
    }));
    const isShort = this.#place.dataset.endsEarly === "yes";
    const shown = isShort ? outcomes.filter(({ result }) => result !== null) : outcomes;
    place.replaceChildren(listOutcomes(groupOutcomes(shown)));
  }

  /**
   * Ask the server about moves of this step; null without an answer, or if another question was asked meanwhile.
   * @param {string[]} moves @param {Record<string, unknown>} more fields of the question
   * @returns {Promise<Judgement | null>}
   */
  async #ask(moves, more = {}) {
    const question = ++this.#question;
    const fields = JSON.parse(this.#steps[this.#number]?.dataset.question ?? "{}");
    const body = JSON.stringify({ ...fields, moves, ...this.#host.describe?.(this.#hasErred), ...more });
    const headers = { "content-type": "application/json" };
    /** @type {Judgement | { sentence: string } | null} */ let answer = null;
    const stop = this.#watch(question);
    try {
      answer = await (await fetch(this.#place.dataset.judge ?? "", { method: "POST", headers, body })).json();
    } catch {
      answer = { sentence: FAILED };
    } finally {
      stop();
    }
    if (question !== this.#question) return null;
    if (answer && "state" in answer) return answer;
    this.#say("refused", "", answer?.sentence ?? FAILED);
    return null;
  }

  /** Say that the engine is being prepared while a question waits for it, on pages that need it. @param {number} question */
  #watch(question) {
    const { prepares } = this.#place.dataset;
    if (!prepares) return () => {};
    return watchPreparation(prepares, "review", (share) => {
      if (question !== this.#question) return;
      this.#say("open", "", " ");
      if (share < 1) showPreparation(find(byId("feedback"), "p"), share);
    });
  }

  /** Play a move in the step that is shown, after those made before it. @param {string} move */
  #play(move) {
    const number = this.#number;
    this.#last = this.#last.then(() => this.#playNow(move, number));
    return this.#last;
  }

  /** @param {string} move @param {number} number of its step @returns {Promise<MoveResult>} */
  async #playNow(move, number) {
    if (this.#number !== number || this.#answer?.state !== "open") return { type: "refused" };
    byId("scene").setAttribute("aria-busy", "true");
    const answer = await this.#ask([...this.#moves, move]);
    if (answer) await this.#take(answer, move);
    byId("scene").setAttribute("aria-busy", "false");
    return { type: !answer || answer.state === "refused" ? "refused" : "done" };
  }

  /** Show what came of a move. @param {Judgement} answer @param {string} move */
  async #take(answer, move) {
    if (answer.state === "refused") {
      this.#say(answer.state, answer.feedback);
      return;
    }
    this.#answer = answer;
    this.#host.onAnswer?.(answer);
    if (answer.state === "open") this.#moves = [...this.#moves, move];
    if (answer.state === "wrong") this.#hasErred = true;
    if (answer.state === "done") this.#finish(this.#hasErred ? "later" : "first");
    if (answer.state === "wrong") this.#host.onWrong?.(this.#number);
    this.#updateControls();
    this.#say(answer.state, answer.feedback);
    byId("progress", HTMLProgressElement).value = this.#number + (answer.state === "done" ? 1 : 0);
    if (this.#isAtBoard && answer.state === "done") byId("next").focus({ preventScroll: true });
    if (this.#isAtBoard && answer.state === "wrong") byId("retry").focus({ preventScroll: true });
    await this.#follow(answer);
  }

  /** Show what was played, and then say what others played, below what came of the move. @param {Judgement} answer */
  async #follow(answer) {
    const question = this.#question;
    await this.#board.follow(answer);
    if (question !== this.#question) return;
    byId("feedback").append(...answer.events.map((event) => make("p", { class: "small muted" }, event)));
  }

  /** Note that the step is solved. @param {ExerciseResult} result */
  #finish(result) {
    if (!this.#results.has(this.#number)) this.#results.set(this.#number, result);
    this.#host.onStep?.(this.#number + 1);
    this.#host.onDone?.(this.#number, result);
  }

  /** Say why something cannot be chosen. @param {string} text a move, or its beginning */
  async #explain(text) {
    const answer = await this.#ask([...this.#moves, text]);
    if (answer?.state === "refused") this.#say("refused", answer.feedback);
  }

  async #playTyped() {
    const field = byId("typed-move", HTMLInputElement);
    const typed = field.value.trim();
    if (!typed) return;
    field.value = "";
    const move = await this.#board.page.input.read(typed);
    const { type } = await this.#play(move);
    if (type === "refused" && !field.value) field.value = typed;
  }

  #retry() {
    const moves = this.#moves;
    this.#say("open", "");
    this.#restore(moves);
    this.#board.focus();
  }

  /** Show the step again as it was after these moves. @param {string[]} moves */
  async #restore(moves) {
    const answer = await this.#ask(moves);
    if (!answer) return;
    this.#answer = answer;
    this.#board.show(answer.picture);
    this.#updateControls();
  }

  /** The next move of the solution, if the server has told it. */
  get #nextMove() {
    return this.#answer && "next" in this.#answer ? this.#answer.next : null;
  }

  /** Play the next move of the solution. */
  async #showMove() {
    this.#hasErred = true;
    if (this.#place.dataset.help === "server") return this.#giveUp();
    if (this.#answer?.state === "wrong") await this.#restore(this.#moves);
    if (!this.#nextMove && this.#answer?.state === "open") {
      // The moves so far were others than those of the solution.
      this.#moves = [];
      await this.#restore([]);
    }
    const move = this.#nextMove;
    if (move && this.#answer?.state === "open") await this.#play(move);
  }

  /** Have the server show the solution. */
  async #giveUp() {
    const answer = await this.#ask([], { show: true });
    if (!answer) return;
    this.#answer = answer;
    this.#host.onAnswer?.(answer);
    this.#finish("shown");
    this.#updateControls();
    this.#say("open", answer.feedback);
    if (!byId("next").hidden) byId("next").focus({ preventScroll: true });
    await this.#follow(answer);
  }

  #toggleHint() {
    this.#hasErred = true;
    const hint = this.#steps[this.#number]?.querySelector(".hint");
    if (hint) this.#showHint(hint.hasAttribute("hidden"));
  }

  /** @param {boolean} isShown */
  #showHint(isShown) {
    for (const hint of findAll(byId("steps"), ".hint")) hint.hidden = true;
    const hint = this.#steps[this.#number]?.querySelector(".hint");
    if (hint) /** @type {HTMLElement} */ (hint).hidden = !isShown;
    byId("hint").setAttribute("aria-pressed", String(isShown));
  }

  /** Say what came of a move. @param {keyof typeof SIGNS} state @param {string} html from the server @param {string} text */
  #say(state, html, text = "") {
    const place = byId("feedback");
    place.className = `feedback ${state}`;
    place.replaceChildren();
    if (!html && !text) return;
    const line = make("p", {}, make("span", { class: "sign", "aria-hidden": "true" }, SIGNS[state]));
    const words = make("span", {}, text);
    if (html) words.innerHTML = html;
    line.append(" ", words);
    place.append(line);
  }

  /** Link the analysis board with the position that is shown, on pages that say how. */
  #linkAnalysis() {
    const address = this.#steps[this.#number]?.dataset.analysis;
    if (!address) return;
    const text = this.#answer?.picture.text;
    byId("analyse-here").hidden = !text;
    if (text) byId("analyse", HTMLAnchorElement).href = address + encodeURIComponent(text);
  }

  /** Show the buttons that make sense now. */
  #updateControls() {
    this.#linkAnalysis();
    const { state } = this.#answer ?? {};
    const isEnd = this.#number >= this.#steps.length;
    const isDone = !this.#hasTask || state === "done";
    const hint = this.#steps[this.#number]?.querySelector(".hint");
    byId("controls").dataset.state = state ?? "";
    this.#place.dataset.state = isEnd ? "over" : (state ?? "");
    this.#place.dataset.step = String(this.#number);
    byId("back").setAttribute("aria-disabled", String(this.#number === 0));
    byId("hint").hidden = isEnd || isDone || !hint;
    byId("show").hidden = isEnd || isDone;
    byId("retry").hidden = state !== "wrong";
    byId("next").hidden = isEnd || state === "wrong";
    byId("next").setAttribute("aria-disabled", String(!isDone));
    byId("next").classList.toggle("primary", isDone);
    find(this.#place, ".typed", HTMLElement).hidden = isEnd || !this.#hasTask;
  }
}
