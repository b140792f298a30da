// The position editor: a draft that is changed by the gestures of the board, and becomes the start of an analysis.

import { askApi } from "./api_client.js";
import { byId, findAll, make, setText } from "./dom.js";
import { keepDraft } from "./draft.js";

/** @typedef {{ draft: string, problem: string, tool: string, tools: { id: string, label: string }[], picture: BoardPicture }} EditorAnswer */
/** @typedef {import("./lesson_board.js").LessonBoard} LessonBoard */

export class PositionEditor {
  #game;
  #board;
  #announce;
  #onClose;
  isOpen = false;
  #tool = "";
  /** @type {string[]} the drafts before this one */ #past = [];
  /** @type {EditorAnswer | null} */ #shown = null;
  /** The draft when the page was left. @type {string | null} */
  unfinished = keepDraft("position", () => this.#shown?.draft ?? null);

  /**
   * @param {{ game: string, options: object }} game @param {LessonBoard} board
   * @param {(sentence: string, isError?: boolean) => void} announce shows a sentence and speaks it @param {() => void} onClose
   */
  constructor(game, board, announce, onClose) {
    this.#game = game;
    this.#board = board;
    this.#announce = announce;
    this.#onClose = onClose;
    byId("editor-cancel").addEventListener("click", () => this.close());
    byId("editor-use").addEventListener("click", () => this.#use());
    byId("editor-start").addEventListener("click", () => this.#change({ position: "", edit: "" }));
    byId("editor-undo").addEventListener("click", () => this.undo());
    byId("editor-tools").addEventListener("change", (event) => {
      if (!(event.target instanceof HTMLInputElement)) return;
      this.#tool = event.target.value;
      this.#ask({ position: this.#shown?.draft ?? "", edit: "" });
    });
  }

  /** Begin with a position. @param {string} position */
  async open(position) {
    this.isOpen = true;
    this.#past = [];
    this.#tool = "";
    byId("analysis").classList.add("editing");
    byId("editor").hidden = false;
    const isKnown = await this.#ask({ position, edit: "" });
    if (!isKnown) return this.close();
    findAll(byId("editor-tools"), "input")[0]?.focus({ preventScroll: true });
    this.#announce("Position editor. Choose what to change, then change it on the board.");
  }

  close() {
    this.isOpen = false;
    this.#shown = null;
    byId("analysis").classList.remove("editing");
    byId("editor").hidden = true;
    this.#onClose();
  }

  /** Make a change. @param {string} edit @returns {Promise<MoveResult>} */
  async play(edit) {
    const isDone = await this.#change({ position: this.#shown?.draft ?? "", edit });
    return { type: isDone ? "done" : "refused" };
  }

  /** Ask what can follow the beginning of a change. @param {Token[]} tokens */
  async complete(tokens) {
    const body = { ...this.#game, position: this.#shown?.draft ?? "", tool: this.#tool, tokens };
    return (await askApi("/api/analysis/edit/complete", body)).answer;
  }

  undo() {
    const draft = this.#past.pop();
    if (draft === undefined) return this.#announce("There is nothing to undo.");
    this.#ask({ position: draft, edit: "" });
  }

  /** Change the draft, and remember the one before. @param {{ position: string, edit: string }} change */
  async #change(change) {
    const before = this.#shown?.draft;
    const isDone = await this.#ask(change);
    if (isDone && before !== undefined && before !== this.#shown?.draft) this.#past.push(before);
    byId("editor-undo").setAttribute("aria-disabled", String(!this.#past.length));
    return isDone;
  }

  /** Show what has come of a change; a refusal leaves the draft as it was. @param {{ position: string, edit: string }} change */
  async #ask(change) {
    const { answer, sentence } = await askApi("/api/analysis/edit", { ...this.#game, tool: this.#tool, ...change });
    if (!this.isOpen) return false;
    if (!answer) {
      this.#announce(sentence, true);
      return false;
    }
    this.#show(answer);
    return true;
  }

  /** @param {EditorAnswer} answer */
  #show(answer) {
    const isNewTool = this.#shown?.tool !== answer.tool || !this.#shown;
    this.#shown = answer;
    this.#tool = answer.tool;
    this.#board.show(answer.picture);
    if (isNewTool) this.#showTools(answer);
    setText(byId("editor-problem"), answer.problem || "This is a position. You can use it.");
    byId("editor-problem").classList.toggle("wrong", answer.problem !== "");
    byId("editor-use").setAttribute("aria-disabled", String(answer.problem !== ""));
    byId("editor-undo").setAttribute("aria-disabled", String(!this.#past.length));
    byId("analysis").dataset.draft = answer.draft;
  }

  /** @param {EditorAnswer} answer */
  #showTools({ tools, tool }) {
    const focused =
      document.activeElement instanceof HTMLInputElement && byId("editor-tools").contains(document.activeElement);
    const labels = tools.map(({ id, label }) => {
      const input = make("input", { type: "radio", name: "editor-tool", value: id, checked: id === tool });
      return make("label", {}, input, make("span", {}, label));
    });
    byId("editor-tools").replaceChildren(...labels);
    if (focused) /** @type {HTMLElement | null} */ (byId("editor-tools").querySelector("input:checked"))?.focus();
  }

  /** Begin a new analysis with the draft, with the same options. */
  #use() {
    if (!this.#shown || this.#shown.problem) return this.#announce(this.#shown?.problem ?? "", true);
    const form = new FormData(/** @type {HTMLFormElement} */ (byId("setup").querySelector("form")));
    const query = new URLSearchParams(/** @type {any} */ (form));
    query.set("position", this.#shown.draft);
    location.href = `/analysis/${this.#game.game}?${query}`;
  }
}
