// The page to type a game that was played on paper: each move is checked at once, and any can be corrected later.

import "./page.js";
import { askApi } from "./api_client.js";
import { byId, find, findAll, keepFocus, make, setText } from "./dom.js";
import { keepDraft } from "./draft.js";
import { LessonBoard } from "./lesson_board.js";
import { capitalise } from "./text.js";

/** The number before a move. */
const NUMBER = /^\d+[.:)]*\s*/;

/** Whether a text is the beginning of a move, or begins with it. @param {string} move @param {string} text */
const beginsAlike = (move, text) =>
  move.startsWith(text) || (text.startsWith(move) && /[\s,;]/.test(text[move.length]));

/** Whether a text is a link, which stands for the moves of its game. @param {string} text */
const isLink = (text) => text.includes("/");

class EntryPage {
  #place = byId("entry");
  #field = byId("typed-move", HTMLInputElement);
  /** The tiles in drawing order, in games with hidden tiles. */
  #deck = /** @type {HTMLTextAreaElement | null} */ (document.getElementById("deck"));
  /** @type {string[]} */ #moves;
  /** @type {EntryAnswer | null} */ #answer = null;
  /** The move that is being corrected, counted from 0; otherwise the number of moves. */
  #index;
  #board;
  /** Counts the questions to the server: only the last one is answered. */
  #question = 0;
  /** The last question, as long as it has no answer. @type {Promise<{ answer: EntryAnswer | null }> | null} */
  #open = null;

  constructor() {
    const kept = keepDraft("entry", () => ({ moves: this.#moves, index: this.#index }));
    this.#moves = kept?.moves ?? [];
    this.#index = kept?.index ?? 0;
    this.#board = new LessonBoard({
      place: this.#place,
      play: (move) => this.#play(move),
      explain: (text) => this.#enter(text),
      onHint: () => {},
    });
    byId("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#enter(this.#field.value.trim());
    });
    this.#field.addEventListener("input", () => this.#checkBeginning());
    byId("undo").addEventListener("click", () => this.#moves.length && this.#change(this.#moves.slice(0, -1)));
    byId("resign").addEventListener("click", () => this.#answer?.over || this.#enter("resign"));
    byId("finish").addEventListener("change", () => this.#checkAgain());
    for (const name of ["save", "download"]) byId(name).addEventListener("click", (event) => this.#onSave(event));
    this.#deck?.addEventListener("change", () => this.#checkAgain());
    // Enter in the name of a player checks it instead of leaving the page.
    for (const field of findAll(byId("finish"), "input")) {
      field.addEventListener("keydown", (event) => {
        if (/** @type {KeyboardEvent} */ (event).key !== "Enter") return;
        event.preventDefault();
        this.#checkAgain();
      });
    }
    this.#checkAgain();
  }

  /** Have the same moves checked; without the tiles there is nothing to check, and nothing wrong either. */
  #checkAgain() {
    if (this.#needsTiles) {
      this.#say("", false);
      this.#allowSaving(false);
    } else this.#change(this.#moves);
  }

  /** @param {boolean} isAllowed whether there is a record without a wrong move */
  #allowSaving(isAllowed) {
    for (const name of ["save", "download"]) byId(name).setAttribute("aria-disabled", String(!isAllowed));
  }

  /** Save what was typed last, such as a name that the press has just left. @param {Event} event */
  async #onSave(event) {
    if (!this.#open) return;
    event.preventDefault();
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    let last = null;
    while (this.#open) last = await this.#open;
    if (last?.answer) button.click();
  }

  get #needsTiles() {
    return this.#deck !== null && !this.#tiles.length;
  }

  get #tiles() {
    return this.#deck?.value.split(/[\s,]+/).filter(Boolean) ?? [];
  }

  /** The number of the move that is typed next, counted from 0: a wrong one, one that is corrected, or a new one. */
  get #next() {
    const { wrong } = this.#answer ?? {};
    return this.#index < this.#moves.length ? this.#index : wrong ? wrong.number - 1 : this.#moves.length;
  }

  /** Put a line, of one move or several, in place of the one that is typed. @param {string} line @returns {Promise<MoveResult>} */
  async #enter(line) {
    if (!line) return { type: "refused" };
    if (this.#needsTiles) {
      this.#say("Type the tiles in drawing order first: moves can be checked only with them.", true);
      this.#deck?.focus();
      return { type: "refused" };
    }
    const index = this.#next;
    await this.#change([...this.#moves.slice(0, index), line, ...this.#moves.slice(index + 1)], index);
    return { type: this.#answer?.wrong ? "refused" : "done" };
  }

  /** Play a move on the board, which shows the position after all right moves. @param {string} move */
  #play(move) {
    this.#index = this.#answer?.played ?? 0;
    return this.#enter(move);
  }

  /**
   * Have other moves checked, and show what they lead to.
   * @param {string[]} moves @param {number | null} typed which of them is a typed line, perhaps of several moves
   */
  async #change(moves, typed = null) {
    const question = ++this.#question;
    const asked = this.#ask(moves, typed);
    this.#open = asked;
    const { answer, sentence } = await asked;
    if (question !== this.#question) return;
    this.#open = null;
    if (!answer) return this.#say(sentence, true);
    const isSame = moves === this.#moves;
    this.#moves = answer.moves;
    this.#answer = answer;
    if (!isSame) this.#index = this.#moves.length;
    this.#board.show(answer.picture);
    this.#show(answer);
    // A line that is being typed while the same moves are checked again stays as it is.
    const wrong = answer.wrong ? (this.#moves[this.#next] ?? "") : "";
    if (isSame && this.#field.value) this.#edit(this.#next, this.#field.value, null);
    else this.#edit(this.#next, wrong, answer.wrong?.move.length);
  }

  /** @param {string[]} moves @param {number | null} typed @returns {Promise<{ answer: EntryAnswer | null, sentence: string }>} */
  #ask(moves, typed) {
    const fields = /** @type {HTMLInputElement[]} */ (findAll(byId("finish"), ".player"));
    const names = fields.map((field) => field.value.trim() || field.placeholder);
    const tiles = this.#tiles;
    const { game, options = "{}" } = this.#place.dataset;
    const date = byId("date", HTMLInputElement).value;
    const deck = tiles.length ? tiles : null;
    return askApi("/api/entries", { game, options: JSON.parse(options), moves, typed, names, date, deck });
  }

  /** @param {EntryAnswer} answer */
  #show(answer) {
    const { wrong, words, over, result, picture } = answer;
    if (wrong) this.#say(wrong.sentence, true);
    else if (over) this.#say(`The game is over. ${result}.`, false);
    else this.#say(words && `${capitalise(words)}.`, false);
    byId("typed-moves").replaceChildren(...(picture.moves ?? []).map((move) => make("option", { value: move })));
    byId("undo").setAttribute("aria-disabled", String(!this.#moves.length));
    byId("resign").setAttribute("aria-disabled", String(over));
    byId("record", HTMLTextAreaElement).value = answer.record;
    byId("download", HTMLAnchorElement).href = URL.createObjectURL(new Blob([answer.record], { type: "text/plain" }));
    this.#allowSaving(!wrong);
    this.#listMoves(wrong);
    this.#place.dataset.moves = String(this.#moves.length);
  }

  /** Show all moves, each to be corrected. @param {EntryAnswer["wrong"]} wrong */
  #listMoves(wrong) {
    const items = this.#moves.map((move, index) => {
      const place = wrong && index >= wrong.number - 1 ? (index === wrong.number - 1 ? "wrong" : "later") : "";
      const label = `${index + 1}, ${move}${place === "wrong" ? ", wrong" : ""}`;
      const button = make("button", { type: "button", class: `plain ${place}`, "aria-label": label }, move);
      button.addEventListener("click", () => this.#edit(index, move, move.length, true));
      return make("li", {}, make("span", { class: "number", "aria-hidden": "true" }, String(index + 1)), button);
    });
    byId("entered").replaceChildren(...items);
    byId("entered").scrollTop = byId("entered").scrollHeight;
  }

  /**
   * Let a move be typed, unless the game is over.
   * @param {number} index @param {string} text its text so far
   * @param {number | null} end where the part to replace ends in it; null if it is being typed
   * @param {boolean} takesFocus
   */
  #edit(index, text, end = 0, takesFocus = false) {
    this.#index = index;
    const isNew = index >= this.#moves.length;
    const isOver = isNew && Boolean(this.#answer?.over);
    keepFocus(
      () => byId("typed").toggleAttribute("hidden", isOver),
      () => find(byId("finish"), "input"),
    );
    if (isOver) return;
    setText(byId("typed-label"), isNew ? `Move ${index + 1}` : `Correct move ${index + 1}`);
    this.#field.value = text;
    this.#field.setAttribute("aria-invalid", String(Boolean(text) && !takesFocus));
    const focused = document.activeElement;
    if (end === null) this.#checkBeginning();
    if (!takesFocus && focused !== document.body && !byId("typed").contains(focused)) return;
    this.#field.focus({ preventScroll: true });
    if (end !== null) this.#field.setSelectionRange(0, end);
  }

  /** Say at once when no legal move begins like this. */
  #checkBeginning() {
    const text = this.#field.value.trim().replace(/\s+/g, " ").replace(NUMBER, "");
    const moves = this.#answer?.picture.moves;
    const isChecked = moves && this.#next === this.#answer?.played && !isLink(text);
    const isWrong = Boolean(
      isChecked && text && !["resigns", ...moves].some((move) => beginsAlike(move.toLowerCase(), text.toLowerCase())),
    );
    this.#field.setAttribute("aria-invalid", String(isWrong));
  }

  /** @param {string} text @param {boolean} isWrong */
  #say(text, isWrong) {
    const place = byId("feedback");
    place.className = `feedback ${isWrong ? "refused" : "open"}`;
    place.replaceChildren(make("p", {}, text));
  }
}

new EntryPage();
