// A larger board for touch screens on which the targets would be too small.

/** @import { Geometry } from "./geometry.js" */
/** @import { MoveInput } from "./move_input.js" */

/** Targets closer together than this are too small for a finger; in pixels. */
const TOO_CLOSE = 24;
const NARROW = 600;

export class Zoom {
  #board;
  #button;
  #geometry;
  #input;
  #coarsePointer = matchMedia("(pointer: coarse)");

  /**
   * @param {HTMLElement} board
   * @param {HTMLElement} button
   * @param {Geometry} geometry
   * @param {MoveInput} input
   */
  constructor(board, button, geometry, input) {
    this.#board = board;
    this.#button = button;
    this.#geometry = geometry;
    this.#input = input;
    button.addEventListener("click", () => this.#toggle());
  }

  /** Offer to zoom where the targets are too small. */
  check() {
    const board = this.#board;
    if (board.classList.contains("zoomed")) return;
    const nodes = this.#input.targets().filter((node) => board.contains(node));
    const isSmall = nodes.length > 1 && this.#geometry.spacing(nodes) < TOO_CLOSE;
    this.#button.hidden = !(isSmall && (this.#coarsePointer.matches || board.clientWidth < NARROW));
  }

  #toggle() {
    const board = this.#board;
    const on = board.classList.toggle("zoomed");
    this.#button.setAttribute("aria-pressed", String(on));
    this.#button.textContent = on ? "Whole board" : "Zoom";
    this.#geometry.clear();
    if (on) board.scrollTo((board.scrollWidth - board.clientWidth) / 2, (board.scrollHeight - board.clientHeight) / 2);
  }
}
