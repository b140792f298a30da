// Notes at the current move: a comment, a judgement, and marks on the board.

import { JUDGEMENTS } from "./analysis_tree.js";
import { drawMarks, nameEventPlace, SHAPES, toggleMark } from "./board_marks.js";
import { byId } from "./dom.js";
import { html, signal, useLayoutEffect, useRef } from "./preact.js";
import { capitalise } from "./text.js";

const SAVE_DELAY = 400;
/** The signs of the kinds of marks. */
const SIGNS = { circle: "○", cross: "×", square: "□", arrow: "↗" };

/** @typedef {import("./analysis_state.js").Analysis} Analysis */

export class Notes {
  #analysis;
  #announce;
  #frame = byId("frame");
  kind = signal("");
  /** @type {string} the first place of an arrow */ #first = "";
  #timer = 0;

  /** @param {Analysis} analysis @param {(sentence: string) => void} announce */
  constructor(analysis, announce) {
    this.#analysis = analysis;
    this.#announce = announce;
    this.#listen();
  }

  /** Mark places, instead of making moves, while a kind is chosen; the right mouse button always does. */
  #listen() {
    const frame = this.#frame;
    const intercept = (/** @type {MouseEvent | KeyboardEvent} */ event) => {
      const isMeant = !(event instanceof KeyboardEvent) || event.key === "Enter" || event.key === " ";
      if (!this.kind.value || !isMeant) return;
      event.stopPropagation();
      event.preventDefault();
      if (event.type === "click" || event.type === "keydown") this.#mark(event);
    };
    for (const name of /** @type {const} */ (["pointerdown", "pointerup", "pointermove", "click", "keydown"])) {
      frame.addEventListener(name, intercept, { capture: true });
    }
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.choose("");
    });
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

  get #board() {
    return /** @type {SVGSVGElement | null} */ (byId("board").querySelector("svg"));
  }

  /** @param {MouseEvent | KeyboardEvent} event */
  #nameTarget(event) {
    return this.#board ? nameEventPlace(event, this.#board) : "";
  }

  /** @param {MouseEvent | KeyboardEvent} event */
  #mark(event) {
    const place = this.#nameTarget(event);
    const kind = this.kind.value;
    if (!place) return;
    if (SHAPES[kind] === 1) {
      this.#toggle(`${kind} ${place}`);
    } else if (!this.#first) {
      this.#first = place;
      this.#announce(`From ${place}. Choose where the arrow ends.`);
    } else {
      if (place !== this.#first) this.#toggle(`${kind} ${this.#first} ${place}`);
      this.#first = "";
    }
  }

  /** @param {string} mark */
  #toggle(mark) {
    const marks = toggleMark(this.#analysis.tree.current.marks, mark);
    this.#announce(marks.includes(mark) ? `${mark}.` : `No ${mark}.`);
    this.#change(marks);
  }

  /** @param {string[]} marks */
  #change(marks) {
    this.#analysis.note({ marks });
    this.draw();
  }

  /** Remove all marks of the shown position. */
  clear() {
    const { marks } = this.#analysis.tree.current;
    const others = marks.filter((mark) => !(mark.split(" ")[0] in SHAPES));
    if (others.length < marks.length) this.#change(others);
    this.choose("");
  }

  /** Mark with a kind from now on, or no longer. @param {string} kind */
  choose(kind) {
    this.kind.value = kind === this.kind.value ? "" : kind;
    this.#first = "";
    this.#frame.classList.toggle("marking", this.kind.value !== "");
  }

  /** Judge the current move, or take the judgement back. @param {string} kind */
  judge(kind) {
    const { current } = this.#analysis.tree;
    if (!current.parent) return this.#announce("There is no move to judge at the start.");
    const others = current.marks.filter((mark) => mark.includes(" "));
    const isSet = current.marks.includes(kind);
    this.#announce(isSet ? "No judgement." : `${kind}.`);
    this.#change(isSet ? others : [kind, ...others]);
  }

  /**
   * Take what is being typed as the comment, and save it soon: not when the field is left, because the list of moves
   * would grow under a button that is being pressed.
   * @param {string} comment
   */
  type(comment) {
    this.#analysis.typed = comment;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#analysis.save(), SAVE_DELAY);
  }

  /** Draw the marks over the board, which may be another picture now, unless it shows another position. */
  draw() {
    if (this.#analysis.isShown) drawMarks(this.#board, this.#analysis.tree.current.marks);
  }
}

/** What is noted at the current move. @param {{ analysis: Analysis, notes: Notes }} props */
export function NotesPanel({ analysis, notes }) {
  const { current } = analysis.state.value.tree;
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useLayoutEffect(() => {
    if (field.current && field.current.value.trim() !== current.comment) field.current.value = current.comment;
  }, [current, current.comment]);
  const judgements = Object.entries(JUDGEMENTS).map(([kind, [sign, words]]) => {
    const label = capitalise(words);
    return html`<button type="button" class="plain" aria-label=${label} title=${label}
      aria-pressed=${current.marks.includes(kind)} aria-disabled=${!current.parent}
      onClick=${() => notes.judge(kind)}>${sign}</button>`;
  });
  const kinds = Object.entries(SIGNS).map(
    ([kind, sign]) => html`<button type="button" class="plain mark-kind" aria-label=${capitalise(kind)}
      title=${capitalise(kind)} aria-pressed=${kind === notes.kind.value} onClick=${() => notes.choose(kind)}>
      ${sign}</button>`,
  );
  return html`<section class="panel notes" aria-labelledby="notes-title">
    <h2 id="notes-title">Notes <span class="small muted" id="notes-at">
      ${current.parent ? `at ${current.path.length}. ${current.move}` : "at the start"}</span></h2>
    <div class="row judgements" role="group" aria-label="Judge this move" id="judgements">${judgements}</div>
    <label class="hidden" for="comment">Comment</label>
    <textarea id="comment" rows="3" maxlength="2000" placeholder="Comment on this position" ref=${field}
      onInput=${() => notes.type(field.current?.value ?? "")} />
    <div class="row marks" role="group" aria-label="Mark places on the board" id="marks">
      ${kinds}<button type="button" class="plain" id="unmark" onClick=${() => notes.clear()}>Clear marks</button></div>
  </section>`;
}
