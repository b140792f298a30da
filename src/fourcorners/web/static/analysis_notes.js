// Notes at the current move: a comment, a judgement, and marks on the board.

import { drawMarks, nameEventPlace, SHAPES, toggleMark } from "./board_marks.js";
import { byId, findAll, setText } from "./dom.js";

const SAVE_DELAY = 400;

/** @typedef {import("./analysis_tree.js").AnalysisTree} AnalysisTree */

export class AnalysisNotes {
  #tree;
  #onChange;
  #announce;
  #kind = "";
  /** @type {string} the first place of an arrow */ #first = "";
  #timer = 0;

  /** @param {AnalysisTree} tree @param {() => void} onChange @param {(sentence: string) => void} announce */
  constructor(tree, onChange, announce) {
    this.#tree = tree;
    this.#onChange = onChange;
    this.#announce = announce;
    const comment = byId("comment", HTMLTextAreaElement);
    comment.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.save(), SAVE_DELAY);
    });
    comment.addEventListener("change", () => this.save());
    for (const button of findAll(byId("judgements"), "[data-judgement]")) {
      button.addEventListener("click", () => this.judge(button.dataset.judgement ?? ""));
    }
    for (const button of findAll(byId("marks"), "[data-mark]")) {
      button.addEventListener("click", () => this.choose(button.dataset.mark ?? ""));
    }
    byId("unmark").addEventListener("click", () => {
      const marks = this.#tree.current.marks.filter((mark) => !(mark.split(" ")[0] in SHAPES));
      if (marks.length !== this.#tree.current.marks.length) this.#change({ marks });
      this.choose("");
    });
    this.#listen();
  }

  /** Mark places, instead of making moves, while a kind is chosen; the right mouse button always does. */
  #listen() {
    const frame = byId("frame");
    const stop = (/** @type {Event} */ event) => {
      if (!this.#kind) return;
      event.stopPropagation();
      event.preventDefault();
    };
    for (const name of ["pointerdown", "pointerup", "pointermove"]) {
      frame.addEventListener(name, stop, { capture: true });
    }
    frame.addEventListener(
      "click",
      (event) => {
        if (!this.#kind) return;
        stop(event);
        this.#mark(event);
      },
      { capture: true },
    );
    frame.addEventListener(
      "keydown",
      (event) => {
        if (!this.#kind || (event.key !== "Enter" && event.key !== " ")) return;
        stop(event);
        this.#mark(event);
      },
      { capture: true },
    );
    frame.addEventListener("contextmenu", (event) => event.preventDefault());
    let from = "";
    frame.addEventListener("mousedown", (event) => {
      if (event.button === 2) from = this.#nameTarget(event);
    });
    frame.addEventListener("mouseup", (event) => {
      if (event.button !== 2 || !from) return;
      const to = this.#nameTarget(event);
      if (to) this.#toggle(to === from ? `circle ${from}` : `arrow ${from} ${to}`);
      from = "";
    });
  }

  /** @param {MouseEvent | KeyboardEvent} event */
  #nameTarget(event) {
    const board = /** @type {SVGSVGElement | null} */ (byId("board").querySelector("svg"));
    return board ? nameEventPlace(event, board) : "";
  }

  /** @param {MouseEvent | KeyboardEvent} event */
  #mark(event) {
    const place = this.#nameTarget(event);
    if (!place) return;
    if (SHAPES[this.#kind] === 1) {
      this.#toggle(`${this.#kind} ${place}`);
    } else if (!this.#first) {
      this.#first = place;
      this.#announce(`From ${place}. Choose where the arrow ends.`);
    } else {
      if (place !== this.#first) this.#toggle(`${this.#kind} ${this.#first} ${place}`);
      this.#first = "";
    }
  }

  /** @param {string} mark */
  #toggle(mark) {
    const marks = toggleMark(this.#tree.current.marks, mark);
    this.#announce(marks.includes(mark) ? `${mark}.` : `No ${mark}.`);
    this.#change({ marks });
  }

  /** Mark with a kind from now on, or no longer. @param {string} kind */
  choose(kind) {
    this.#kind = kind === this.#kind ? "" : kind;
    this.#first = "";
    for (const button of findAll(byId("marks"), "[data-mark]")) {
      button.setAttribute("aria-pressed", String(button.dataset.mark === this.#kind));
    }
    byId("frame").classList.toggle("marking", this.#kind !== "");
  }

  /** Judge the current move, or take the judgement back. @param {string} kind */
  judge(kind) {
    const { current } = this.#tree;
    if (!current.parent) return this.#announce("There is no move to judge at the start.");
    const others = current.marks.filter((mark) => mark.includes(" "));
    const isSet = current.marks.includes(kind);
    this.#announce(isSet ? "No judgement." : `${kind}.`);
    this.#change({ marks: isSet ? others : [kind, ...others] });
  }

  /** Keep the comment that was typed. */
  save() {
    clearTimeout(this.#timer);
    const comment = byId("comment", HTMLTextAreaElement).value.trim();
    if (comment !== this.#tree.current.comment) this.#change({ comment });
  }

  /** @param {Partial<{ comment: string, marks: string[] }>} notes */
  #change(notes) {
    this.#tree.note(notes);
    this.#onChange();
  }

  /** Show what is noted at the current move. */
  show() {
    const { current } = this.#tree;
    const field = byId("comment", HTMLTextAreaElement);
    if (document.activeElement !== field || field.value.trim() !== current.comment) field.value = current.comment;
    setText(byId("notes-at"), current.parent ? `at ${current.path.length}. ${current.move}` : "at the start");
    for (const button of findAll(byId("judgements"), "[data-judgement]")) {
      button.setAttribute("aria-pressed", String(current.marks.includes(button.dataset.judgement ?? "")));
      button.setAttribute("aria-disabled", String(!current.parent));
    }
    this.draw();
  }

  /** Draw the marks over the board, which may be another picture now. */
  draw() {
    const board = /** @type {SVGSVGElement | null} */ (byId("board").querySelector("svg"));
    drawMarks(board, this.#tree.current.marks);
  }
}
