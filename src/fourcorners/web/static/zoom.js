// A larger board for touch screens on which the targets would be too small.

import { byId, setText } from "./dom.js";

/** Targets closer together than this are too small for a finger; in pixels. */
const TOO_CLOSE = 24;
const NARROW = 600;

export class Zoom {
  #page;
  #button = byId("zoom");
  #coarsePointer = matchMedia("(pointer: coarse)");

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
    this.#button.addEventListener("click", () => this.#toggle());
  }

  /** Offer to zoom where the targets are too small. */
  check() {
    const { board, geometry, input } = this.#page;
    if (board.classList.contains("zoomed")) return;
    const nodes = input.targets().filter((node) => board.contains(node));
    const isSmall = nodes.length > 1 && geometry.measureSpacing(nodes) < TOO_CLOSE;
    this.#button.hidden = !(isSmall && (this.#coarsePointer.matches || board.clientWidth < NARROW));
  }

  #toggle() {
    const { board, geometry } = this.#page;
    const on = board.classList.toggle("zoomed");
    this.#button.setAttribute("aria-pressed", String(on));
    setText(byId("zoom-name"), on ? "Whole board" : "Zoom");
    geometry.clear();
    if (on) board.scrollTo((board.scrollWidth - board.clientWidth) / 2, (board.scrollHeight - board.clientHeight) / 2);
  }
}
