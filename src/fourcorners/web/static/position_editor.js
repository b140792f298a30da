// The position editor: a draft that is changed by the gestures of the board, and becomes the start of an analysis.

import { askApi } from "./api_client.js";
import { byId, find } from "./dom.js";
import { keepDraft } from "./draft.js";
import { classes } from "./parts.js";
import { NOTHING_TO_UNDO } from "./position_words.js";
import { html, signal } from "./preact.js";

/** @typedef {{ draft: string, problem: string, tool: string, tools: { id: string, label: string }[], picture: BoardPicture }} EditorAnswer */
/** What is asked for; null undoes the last change. @typedef {{ position?: string, edit?: string, tool?: string } | null} Change */
/** @typedef {import("./lesson_board.js").LessonBoard} LessonBoard */

export class PositionEditor {
  #game;
  #board;
  #announce;
  #onClose;
  isOpen = false;
  /** Counts how often the editor was opened and closed: an answer to an earlier question is dropped. */ #session = 0;
  /** @type {Element | null} what had the focus before the editor was opened */ #opener = null;
  /** Ends when all changes so far have been made. @type {Promise<boolean>} */ #last = Promise.resolve(true);
  #tool = "";
  /** @type {string[]} the drafts before this one */ #past = [];
  /** The draft, and whether a change can be undone. */
  shown = signal(/** @type {EditorAnswer & { canUndo: boolean } | null} */ (null));
  /** The draft when the page was left. @type {string | null} */
  unfinished = keepDraft("position", () => this.shown.value?.draft ?? null);

  /**
   * @param {{ game: string, options: object }} game @param {LessonBoard} board
   * @param {(sentence: string, isError?: boolean) => void} announce shows a sentence and speaks it @param {() => void} onClose
   */
  constructor({ game, options }, board, announce, onClose) {
    this.#game = { game, options };
    this.#board = board;
    this.#announce = announce;
    this.#onClose = onClose;
  }

  /** Begin with a position. @param {string} position */
  async open(position) {
    const session = this.#begin();
    this.isOpen = true;
    this.#opener = document.activeElement;
    this.#past = [];
    this.#tool = "";
    byId("analysis").classList.add("editing");
    const isKnown = await this.#ask({ position });
    if (session !== this.#session) return;
    if (!isKnown) return this.close();
    find(byId("editor-tools"), "input").focus({ preventScroll: true });
    this.#announce("Position editor. Choose what to change, then change it on the board.");
  }

  close() {
    this.isOpen = false;
    this.#begin();
    this.shown.value = null;
    byId("analysis").classList.remove("editing");
    // A button of the menu, which has closed, or nothing: the draft was restored.
    const isThere = this.#opener !== document.body && this.#opener?.checkVisibility();
    const next = isThere ? this.#opener : find(byId("menu"), "summary");
    /** @type {HTMLElement} */ (next).focus({ preventScroll: true });
    this.#onClose();
  }

  /** Drop what is under way, and return the number of the session that begins. */
  #begin() {
    this.#last = Promise.resolve(true);
    return ++this.#session;
  }

  /** Make a change. @param {string} edit @returns {Promise<MoveResult>} */
  async play(edit) {
    return { type: (await this.#ask({ edit })) ? "done" : "refused" };
  }

  /** Ask what can follow the beginning of a change. @param {Token[]} tokens */
  async complete(tokens) {
    const body = { ...this.#game, position: this.shown.value?.draft ?? "", tool: this.#tool, tokens };
    return (await askApi("/api/analysis/edit/complete", body)).answer;
  }

  /** Change with another tool. @param {string} tool */
  choose(tool) {
    this.#ask({ tool });
  }

  /** Begin again with the start of the game. */
  restart() {
    this.#ask({ position: "" });
  }

  undo() {
    this.#ask(null);
  }

  /** Make a change after those that are under way, and return whether it was made. @param {Change} change */
  #ask(change) {
    const session = this.#session;
    this.#last = this.#last.then(() => this.#askNow(change, session));
    return this.#last;
  }

  /** Show what has come of a change; a refusal leaves the draft as it was. @param {Change} change @param {number} session */
  async #askNow(change, session) {
    if (session !== this.#session) return false;
    const before = this.shown.value?.draft;
    const draft = change ? before : this.#past.at(-1);
    if (!change && draft === undefined) {
      this.#announce(NOTHING_TO_UNDO);
      return false;
    }
    const body = { ...this.#game, tool: this.#tool, position: draft ?? "", edit: "", ...change };
    const { answer, sentence } = await askApi("/api/analysis/edit", body);
    if (session !== this.#session) return false;
    if (!answer) {
      this.#announce(sentence, true);
      return false;
    }
    if (!change) this.#past.pop();
    else if (before !== undefined && before !== answer.draft) this.#past.push(before);
    this.#tool = answer.tool;
    this.shown.value = { ...answer, canUndo: this.#past.length > 0 };
    this.#board.show(answer.picture);
    byId("analysis").dataset.draft = answer.draft;
    return true;
  }

  /** Begin a new analysis with the draft, once all changes are made, with the same options. */
  async use() {
    const session = this.#session;
    await this.#last;
    if (session !== this.#session) return;
    const { draft = "", problem = "" } = this.shown.value ?? {};
    if (problem) return this.#announce(problem, true);
    const form = new FormData(/** @type {HTMLFormElement} */ (byId("setup").querySelector("form")));
    const query = new URLSearchParams(/** @type {any} */ (form));
    query.set("position", draft);
    location.href = `/analysis/${this.#game.game}?${query}`;
  }
}

/** The tools, and what is still wrong with the draft. @param {{ editor: PositionEditor }} props */
export function EditorPanel({ editor }) {
  if (!editor.shown.value) return null;
  const { problem, tool, tools, canUndo } = editor.shown.value;
  const choices = tools.map(
    ({ id, label }) => html`<label key=${id}><input type="radio" name="editor-tool" value=${id} checked=${id === tool}
      onChange=${() => editor.choose(id)} /><span>${label}</span></label>`,
  );
  return html`<section class="panel editor" id="editor" aria-labelledby="editor-title">
    <h2 id="editor-title">Position editor</h2>
    <div class="editor-tools" id="editor-tools" role="radiogroup" aria-label="What to change">${choices}</div>
    <p id="editor-problem" class=${classes(problem && "wrong")} role="status">
      ${problem || "This position can be used."}</p>
    <div class="row">
      <button type="button" class="primary" id="editor-use" aria-disabled=${problem !== ""}
        onClick=${() => editor.use()}>Analyse this position</button>
      <button type="button" id="editor-undo" aria-disabled=${!canUndo} onClick=${() => editor.undo()}>Undo</button>
      <button type="button" id="editor-start" onClick=${() => editor.restart()}>Start position</button>
      <button type="button" id="editor-cancel" onClick=${() => editor.close()}>Cancel</button></div></section>`;
}
