// A series of exercises: a text for each, a board to move on, and what came of the move. Lessons, mistakes and puzzles.

import { askApi } from "./api_client.js";
import { byId, findAll, setText } from "./dom.js";
import { BestPlay, Controls, Feedback, LaterHint, MoveField } from "./exercise_panels.js";
import { Outcomes } from "./exercise_summary.js";
import { LessonBoard } from "./lesson_board.js";
import { Preparation, singleKeys } from "./parts.js";
import { effect, html, render, signal } from "./preact.js";
import { watchPreparation } from "./preparation.js";
import { connectSingleKeys } from "./shortcuts.js";

/** What is known of a step when it is shown. */
const NEW_STEP = { moves: [], answer: null, hasErred: false, isHintShown: false, events: [], shownPly: -1 };

export class ExercisePlayer {
  #place = byId("exercise");
  /** @type {ExerciseHost} */ host;
  #board;
  /** Counts the questions to the server: only the last one is answered. */
  #question = 0;
  /** The picture of the position with which the step begins. @type {BoardPicture | null} */ #start = null;
  /** Ends when the last move has been judged and shown. @type {Promise<MoveResult>} */
  #last = Promise.resolve({ type: "done" });
  /** The texts, which the server has written. */
  steps = findAll(byId("steps"), ".step[data-task]");
  state = signal(
    /** @type {ExerciseState} */ ({
      ...NEW_STEP,
      number: 0,
      said: { state: "open", words: "", key: 0 },
      results: this.steps.map(({ dataset }) => /** @type {ExerciseResult | undefined} */ (dataset.result) ?? null),
    }),
  );

  /** @param {ExerciseHost} host */
  constructor(host = {}) {
    this.host = host;
    this.#board = new LessonBoard({
      place: this.#place,
      play: (move) => this.#play(move),
      explain: (text) => this.#explain(text),
      onHint: () => this.toggleHint(),
      onRules: () => byId("keys", HTMLDetailsElement).toggleAttribute("open"),
      onType: () => document.getElementById("typed-move")?.focus(),
    });
    connectSingleKeys(singleKeys);
    const panels = [LaterHint, Feedback, BestPlay, Controls, MoveField];
    render(
      panels.map((panel) => html`<${panel} exercise=${this} />`),
      byId("panels"),
    );
    const summary = this.#place.querySelector("[data-summary]");
    if (summary) render(html`<${Outcomes} exercise=${this} />`, summary);
    effect(() => this.#showStep());
    this.open((host.first ?? 0) < this.count ? (host.first ?? 0) : 0, false);
  }

  /** How many steps there are. */
  get count() {
    return this.steps.length;
  }

  /** The step that is shown; undefined at the end. @returns {HTMLElement | undefined} */
  get step() {
    return this.steps[this.state.value.number];
  }

  /** Whether nothing, or nothing more, is to be done in this step. */
  get isDone() {
    return this.step?.dataset.task !== "yes" || this.state.value.answer?.state === "done";
  }

  /** Whether there is a hint for the next move of this step that helps. */
  get hasHint() {
    return !this.isDone && Boolean(this.laterHint ?? this.#ownHint);
  }

  /** The hint in the text of the step, for its first move, or for all moves. @returns {HTMLElement | null} */
  get #ownHint() {
    return this.step?.querySelector(".hint") ?? null;
  }

  /** The hint for a move after the first one, empty without one; null where that of the text holds. */
  get laterHint() {
    const { moves, answer } = this.state.value;
    return moves.length && answer && "hint" in answer ? answer.hint : null;
  }

  /** Best play of this step from its position on, once it is told. @returns {LineMove[]} */
  get play() {
    const { answer } = this.state.value;
    return answer && "play" in answer ? answer.play : [];
  }

  /** @param {Partial<ExerciseState>} changes */
  #set(changes) {
    this.state.value = { ...this.state.value, ...changes };
  }

  /** Show the text of the step, and how far the series is. */
  #showStep() {
    const { number, answer, isHintShown, shownPly } = this.state.value;
    const isEnd = number >= this.count;
    for (const [index, step] of findAll(byId("steps"), ".step").entries()) step.hidden = index !== number;
    if (this.#ownHint) this.#ownHint.hidden = !isHintShown || this.laterHint !== null;
    const facts = /** @type {HTMLElement | null | undefined} */ (this.step?.querySelector(".facts"));
    if (facts && answer && "facts" in answer) setText(facts, (this.play[shownPly] ?? answer).facts);
    this.#place.dataset.state = isEnd ? "over" : (answer?.state ?? "");
    this.#place.dataset.step = String(number);
    const bar = /** @type {HTMLProgressElement | null} */ (document.getElementById("progress"));
    if (!bar) return;
    const { noun, nouns } = this.#place.dataset;
    bar.value = number + (answer?.state === "done" ? 1 : 0);
    setText(byId("step-count"), isEnd ? `All ${this.count} ${nouns} done` : `${noun} ${number + 1} of ${this.count}`);
  }

  /** Show a step. @param {number} number from 0; their number shows the end @param {boolean} takesFocus */
  async open(number, takesFocus) {
    this.#set({ ...NEW_STEP, number });
    this.#say("open", "");
    const game = this.step?.dataset.game;
    if (game) byId("scene").className = `fc-scene overlaid game-${game}`;
    if (takesFocus) byId("steps").focus({ preventScroll: true });
    if (!this.step) {
      // What is still being shown of the step before does not go on.
      this.#question++;
      return this.#board.rest();
    }
    // When the page opens, the focus stays before the text: the board gets it only after the page has been used.
    const wantsBoard = this.#isAtBoard && navigator.userActivation.hasBeenActive;
    if ((await this.#restore([])) && wantsBoard) this.#board.focus();
  }

  /** Whether moves are being made on the board, and nothing is done elsewhere on the page. */
  get #isAtBoard() {
    const focused = document.activeElement;
    return !focused || focused === document.body || byId("scene").contains(focused);
  }

  /** Go back to the step before. */
  back() {
    if (this.state.value.number) this.open(this.state.value.number - 1, true);
  }

  /** Go on to the next exercise, solved or not. */
  skip() {
    this.#miss();
    this.open(this.state.value.number + 1, !this.#isAtBoard);
  }

  /** Show the end, even if this exercise is not solved. */
  end() {
    this.#miss();
    this.open(this.count, true);
  }

  /** Go on to the next step once this one is done. */
  goOn() {
    if (!this.isDone) return;
    const next = this.state.value.number + 1;
    this.host.onStep?.(next);
    if (this.host.onEnd && next === this.count) this.host.onEnd();
    else this.open(next, true);
  }

  /** Note how this exercise ended, unless that is known. @param {ExerciseResult} result */
  #note(result) {
    const { number, results } = this.state.value;
    this.#set({ results: results.map((known, index) => (index === number ? (known ?? result) : known)) });
  }

  #miss() {
    this.#note("missed");
  }

  /**
   * Ask the server about moves of this step; null without an answer, or if another question was asked meanwhile.
   * @param {string[]} moves @param {Record<string, unknown>} more fields of the question
   * @returns {Promise<Judgement | null>}
   */
  async #ask(moves, more = {}) {
    const question = ++this.#question;
    const fields = JSON.parse(this.step?.dataset.question ?? "{}");
    const { judge = "", prepares } = this.#place.dataset;
    const stop = prepares ? this.#watch(prepares, question) : () => {};
    const body = { ...fields, moves, ...this.host.describe?.(this.state.value.hasErred), ...more };
    const { answer, sentence } = await (this.host.ask ?? askApi)(judge, body);
    stop();
    if (question !== this.#question) return null;
    if (!answer) this.#say("refused", sentence);
    return answer;
  }

  /** Say that the engine is being prepared while a question waits for it. @param {string} game @param {number} question */
  #watch(game, question) {
    return watchPreparation(game, "review", (share) => {
      const words = share < 1 ? html`<${Preparation} share=${share} />` : "";
      if (question === this.#question) this.#say("open", words);
    });
  }

  /** Play a move in the step that is shown, after those made before it. @param {string} move */
  #play(move) {
    const { number } = this.state.value;
    this.#last = this.#last.then(() => this.#playNow(move, number));
    return this.#last;
  }

  /** @param {string} move @param {number} number of its step @returns {Promise<MoveResult>} */
  async #playNow(move, number) {
    const { number: shown, moves, answer: before } = this.state.value;
    if (shown !== number || before?.state !== "open") return { type: "refused" };
    byId("scene").setAttribute("aria-busy", "true");
    const answer = await this.#ask([...moves, move]);
    if (answer) await this.#take(answer, move);
    byId("scene").setAttribute("aria-busy", "false");
    return { type: !answer || answer.state === "refused" ? "refused" : "done" };
  }

  /** Show what came of a move. @param {Judgement} answer @param {string} move */
  async #take(answer, move) {
    if (answer.state === "refused") return this.#say("refused", answer.feedback, true);
    const { number, moves, hasErred } = this.state.value;
    this.#set({ answer, hasErred: hasErred || answer.state === "wrong" });
    if (answer.state === "open") this.#set({ moves: [...moves, move], isHintShown: false });
    this.host.onAnswer?.(answer);
    if (answer.state === "done") this.#finish(hasErred ? "later" : "first");
    if (answer.state === "wrong") this.host.onWrong?.(number);
    const isRight = answer.state === "open" && "found" in answer;
    this.#say(isRight ? "done" : answer.state, answer.feedback, true);
    if (this.#isAtBoard && answer.state !== "open") this.#focusNext();
    await this.#follow(answer);
  }

  /** Focus the button that leads on, or back to where the wrong move was made. */
  #focusNext() {
    (document.getElementById("next") ?? document.getElementById("retry"))?.focus({ preventScroll: true });
  }

  /** Show what was played, and then say what others played, below what came of the move. @param {Judgement} answer */
  async #follow(answer) {
    const question = this.#question;
    await this.#board.follow(answer);
    if (question === this.#question) this.#set({ events: answer.events });
  }

  /** Note that the step is solved. @param {ExerciseResult} result */
  #finish(result) {
    const { number } = this.state.value;
    this.#note(result);
    this.host.onStep?.(number + 1);
    this.host.onDone?.(number, result);
  }

  /** Say why something cannot be chosen. @param {string} text a move, or its beginning */
  async #explain(text) {
    const answer = await this.#ask([...this.state.value.moves, text]);
    if (answer?.state === "refused") this.#say("refused", answer.feedback, true);
  }

  /** Play a move as it was typed. @param {string} typed @returns {Promise<boolean>} whether that is a move */
  async type(typed) {
    const { type } = await this.#play(await this.#board.page.input.read(typed));
    return type !== "refused";
  }

  /** Let another move be tried. */
  retry() {
    this.#say("open", "");
    this.#restore(this.state.value.moves);
    this.#board.focus();
  }

  /** Show the step as it was after some moves. @param {string[]} moves @returns {Promise<Judgement | null>} */
  async #restore(moves) {
    // What is shown until the answer comes is another position.
    this.#board.rest();
    const answer = await this.#ask(moves);
    if (!answer) return null;
    this.#set({ answer, moves });
    if (!moves.length) this.#start = answer.picture;
    this.#board.show(answer.picture);
    return answer;
  }

  /** Play the next move of the solution. */
  async showMove() {
    this.#set({ hasErred: true });
    if (this.#place.dataset.help === "server") return this.#giveUp();
    let { answer } = this.state.value;
    if (answer?.state === "wrong") answer = await this.#restore(this.state.value.moves);
    // The moves so far may be others than those of the solution.
    if (answer?.state === "open" && !findNext(answer)) answer = await this.#restore([]);
    const move = findNext(answer);
    if (move && answer?.state === "open") await this.#play(move);
  }

  /** Have the server show the solution. */
  async #giveUp() {
    const answer = await this.#ask(this.state.value.moves, { show: true });
    if (!answer) return;
    this.#set({ answer });
    this.host.onAnswer?.(answer);
    this.#finish("shown");
    this.#say("open", answer.feedback, true);
    this.#focusNext();
    await this.#follow(answer);
  }

  /** Show the position after a move of best play. @param {number} ply its number, from 0 */
  showPly(ply) {
    if (!this.#start) return;
    const patches = this.play.slice(0, ply + 1).map(({ patch }) => patch);
    this.#board.showLine(this.#start, patches);
    this.#set({ shownPly: ply });
  }

  /** Show or hide the hint, if there is one. */
  toggleHint() {
    if (this.hasHint) this.#set({ hasErred: true, isHintShown: !this.state.value.isHintShown });
  }

  /** Say what came of a move. @param {Said["state"]} state @param {Said["words"]} words @param {boolean} isHtml whether they are HTML of the server */
  #say(state, words, isHtml = false) {
    const shown = isHtml ? html`<span dangerouslySetInnerHTML=${{ __html: words }} />` : words;
    this.#set({ said: { state, words: words && shown, key: this.#question }, events: [] });
  }
}

/** Return the next move of the solution, if the server has told it. @param {Judgement | null} answer */
function findNext(answer) {
  return answer && "next" in answer ? answer.next : null;
}
