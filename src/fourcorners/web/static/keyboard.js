// The keyboard at the board: Tab reaches one element of the board and one of the tray, arrow keys move on from there.

import { closest, hasModifier } from "./dom.js";
import { findSceneNode } from "./pointer.js";
import { hasSingleKeys } from "./shortcuts.js";

/** @type {Record<string, [number, number]>} */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Where Enter does something else than confirm a move. */
const PRESSED_BY_ENTER = "button, a, summary";

/** Where keys are text, or mean nothing for the board behind. */
const NO_SHORTCUTS = "input:not([type=checkbox]), textarea, select, dialog:modal";

export class Keyboard {
  #page;
  /** The ids of the elements that Tab reaches. */
  #current = { board: "", tray: "" };
  /** The column and row that arrow keys keep, seen from the centre of the element to which they led. */
  #aim = { id: "", x: 0, y: 0 };

  /** @param {KeyboardPage} page */
  constructor(page) {
    this.#page = page;
    page.scene.addEventListener("keydown", (event) => this.#onSceneKey(event));
    page.scene.addEventListener("focusin", (event) => this.#onFocus(event));
    page.scene.addEventListener("focusout", () => page.highlights.drawFrame(null));
    document.addEventListener("keydown", (event) => this.#onPageKey(event));
  }

  /** @param {SceneNode} node @returns {Part} */
  #getPart(node) {
    return node.ownerSVGElement === this.#page.picture.tray ? "tray" : "board";
  }

  /** Let the Tab key reach exactly one element of each part; the one with the focus keeps it, and is framed. */
  refresh() {
    const { input, picture } = this.#page;
    const targets = input.targets();
    const focused = /** @type {SceneNode | null | undefined} */ (document.activeElement?.closest("[data-token]"));
    const stops = new Set();
    for (const part of /** @type {Part[]} */ (["board", "tray"])) {
      const nodes = targets.filter((node) => this.#getPart(node) === part);
      const current = nodes.find((node) => node.id === this.#current[part]);
      const kept = current ?? (focused && this.#getPart(focused) === part ? focused : null);
      stops.add(kept ?? nodes.find((node) => input.state(node)) ?? nodes[0]);
    }
    for (const node of picture.nodes()) {
      const index = stops.has(node) ? "0" : "-1";
      if (node.getAttribute("tabindex") !== index) node.setAttribute("tabindex", index);
    }
    this.#page.highlights.drawFrame(focused?.matches(":focus-visible") ? focused : null);
  }

  /** Remember the element that got the focus, and tell what it is worth. @param {FocusEvent} event */
  #onFocus(event) {
    const node = findSceneNode(event);
    if (!node) return;
    const { input, highlights, geometry, onFocus } = this.#page;
    this.#current[this.#getPart(node)] = node.id;
    this.refresh();
    if (!node.matches(":focus-visible")) return;
    const isSecondCorner = input.firstCorner !== null && node.dataset.token !== input.firstCorner;
    if (isSecondCorner) highlights.drawBand(geometry.centre(node));
    onFocus(node);
  }

  /** Move over the board, or choose an element. @param {KeyboardEvent} event */
  #onSceneKey(event) {
    const node = findSceneNode(event);
    if (!node || hasModifier(event)) return;
    const { input, picture } = this.#page;
    const arrow = ARROWS[event.key];
    if (arrow) {
      event.preventDefault();
      this.#step(node, ...arrow);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat && (input.isOpen || !picture.isPast)) input.point(node);
    }
  }

  /** Focus the neighbour in a direction. @param {SceneNode} node @param {number} dx @param {number} dy */
  #step(node, dx, dy) {
    const { geometry, input } = this.#page;
    const aim = this.#aim.id === node.id ? this.#aim : { x: 0, y: 0 };
    const next = geometry.findNeighbour(input.targets(), node, dx, dy, aim);
    if (!next) return;
    const [here, there] = [geometry.centre(node), geometry.centre(next)];
    this.#aim = { id: next.id, x: dx ? 0 : here.x + aim.x - there.x, y: dy ? 0 : here.y + aim.y - there.y };
    next.focus();
  }

  /** Handle the keys that work anywhere on the page. @param {KeyboardEvent} event */
  #onPageKey(event) {
    if (hasModifier(event) || closest(event, NO_SHORTCUTS)) return;
    const { input, onHint, onRules, onType, onNext } = this.#page;
    const key = event.key.toLowerCase();
    if (key === "escape" && input.isActive) {
      input.cancel();
      event.preventDefault();
    } else if (key === "enter" && input.awaitsConfirmation && !isTaken(event)) {
      input.play();
    } else if (!hasSingleKeys()) {
      return;
    } else if (key === "r" && input.rotations.length) {
      input.rotate(event.shiftKey ? -1 : 1);
      event.preventDefault();
    } else if (key === "h" && !event.repeat) {
      onHint();
    } else if (key === "m" && onType) {
      onType();
      event.preventDefault();
    } else if (key === "n" && !event.repeat) {
      onNext?.();
    } else if (key === "?" && !event.repeat) {
      onRules();
      event.preventDefault();
    }
  }
}

/** Return whether a key has chosen or pressed something already, or is held. @param {KeyboardEvent} event */
function isTaken(event) {
  return event.repeat || event.defaultPrevented || closest(event, PRESSED_BY_ENTER) !== null;
}
