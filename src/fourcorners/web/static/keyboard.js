// The keyboard at the board: Tab reaches one element of the board and one of the tray, arrow keys move on from there.

/** @import { Geometry, SceneNode } from "./geometry.js" */
/** @import { Highlights } from "./highlights.js" */
/** @import { MoveInput } from "./move_input.js" */
/** @import { Picture } from "./picture.js" */
import { closest } from "./dom.js";
import { sceneNode } from "./pointer.js";

/**
 * `onFocus` is called with an element that gets the focus by keyboard, `onHint` when somebody asks for a hint.
 * @typedef {object} KeyboardPage
 * @property {HTMLElement} scene
 * @property {Picture} picture
 * @property {Geometry} geometry
 * @property {MoveInput} input
 * @property {Highlights} highlights
 * @property {(node: SceneNode) => void} onFocus
 * @property {() => void} onHint
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Keyboard {
  #page;
  /** The ids of the elements that Tab reaches. */
  #current = { board: "", tray: "" };
  /** @type {{ node: SceneNode, axis: number, x: number, y: number } | null} where a run of arrow keys began */
  #run = null;

  /** @param {KeyboardPage} page */
  constructor(page) {
    this.#page = page;
    page.scene.addEventListener("keydown", (event) => this.#onSceneKey(event));
    page.scene.addEventListener("focusin", (event) => this.#onFocus(event));
    document.addEventListener("keydown", (event) => this.#onPageKey(event));
  }

  /** @param {SceneNode} node */
  #partOf(node) {
    return node.ownerSVGElement === this.#page.picture.tray ? "tray" : "board";
  }

  /** Let the Tab key reach exactly one element of each part. */
  refresh() {
    const { input, picture } = this.#page;
    const targets = input.targets();
    const stops = new Set();
    for (const part of /** @type {const} */ (["board", "tray"])) {
      const nodes = targets.filter((node) => this.#partOf(node) === part);
      const current = nodes.find((node) => node.id === this.#current[part]) ?? this.#focusedNode(part);
      const stop = current ?? nodes.find((node) => input.state(node)) ?? nodes[0];
      if (stop) stops.add(stop);
    }
    for (const node of picture.nodes()) {
      const index = stops.has(node) ? "0" : "-1";
      if (node.getAttribute("tabindex") !== index) node.setAttribute("tabindex", index);
    }
  }

  /**
   * Return the element with the focus, which keeps it even if arrow keys no longer lead there.
   * @param {"board" | "tray"} part
   * @returns {SceneNode | undefined}
   */
  #focusedNode(part) {
    const node = /** @type {SceneNode | null | undefined} */ (document.activeElement?.closest("[data-token]"));
    return node && this.#partOf(node) === part ? node : undefined;
  }

  /** @param {FocusEvent} event */
  #onFocus(event) {
    const node = sceneNode(event);
    if (!node) return;
    const { input, highlights, geometry, onFocus } = this.#page;
    this.#current[this.#partOf(node)] = node.id;
    this.refresh();
    if (!node.matches(":focus-visible")) return;
    if (input.firstCorner !== null && node.dataset.token !== input.firstCorner) {
      highlights.drawBand(geometry.centre(node));
    }
    onFocus(node);
  }

  /** @param {KeyboardEvent} event */
  #onSceneKey(event) {
    const node = sceneNode(event);
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const { input, picture } = this.#page;
    const arrow = ARROWS[event.key];
    if (arrow) {
      event.preventDefault();
      this.#step(node, ...arrow);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#run = null;
      if (!event.repeat && (input.isOpen || !picture.isPast)) input.point(node);
    }
  }

  /**
   * @param {SceneNode} node
   * @param {number} dx
   * @param {number} dy
   */
  #step(node, dx, dy) {
    const { geometry, input } = this.#page;
    const axis = Math.abs(dx);
    const start = this.#run?.node === node && this.#run.axis === axis ? this.#run : geometry.centre(node);
    const next = geometry.findNeighbour(input.targets(), node, dx, dy, start);
    if (!next) return;
    this.#run = { node: next, axis, x: start.x, y: start.y };
    next.focus();
  }

  /** @param {KeyboardEvent} event */
  #onPageKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (closest(event, "input:not([type=checkbox]), textarea, select")) return;
    const { input, onHint } = this.#page;
    const key = event.key.toLowerCase();
    if (key === "escape" && input.isActive) {
      input.cancel();
      event.preventDefault();
    } else if (key === "r" && input.rotations.length) {
      input.rotate(event.shiftKey ? -1 : 1);
      event.preventDefault();
    } else if (key === "h" && !event.repeat) {
      onHint();
    }
  }
}
