// Mouse and touch at the board: tapping, dragging between corners and carrying pieces. The nearest target counts.

import { closest } from "./dom.js";

/** How far from a target a pointer may be, in pixels. @type {Record<string, number>} */
const REACH = { mouse: 10, pen: 12, touch: 16 };
/** A pointer that moves farther than this drags; in pixels. */
const DRAG_DISTANCE = 7;
/** How long a pointer rests before it gets an explanation; in milliseconds. */
const REST_DELAY = 450;

export class Pointer {
  #page;
  /** @type {Press | null} */ #press = null;
  /** Where the last press began. @type {{ node: SceneNode | null, x: number, y: number }} */ #down = {
    node: null,
    x: 0,
    y: 0,
  };
  #hasDragged = false;
  #restTimer = 0;
  /** @type {string | null} */ #pressed = null; // what was pressed last: resting on it explains nothing
  #kind = "mouse";

  /** @param {PointerPage} page */
  constructor(page) {
    this.#page = page;
    const { scene } = page;
    scene.addEventListener("pointerdown", (event) => this.#onDown(event));
    scene.addEventListener("pointermove", (event) => this.#onMove(event));
    scene.addEventListener("pointerup", (event) => this.#onUp(event));
    scene.addEventListener("pointercancel", () => {
      if (this.#press?.drag) page.input.cancel();
      this.#press = null;
    });
    scene.addEventListener("click", (event) => this.#onClick(event));
    scene.addEventListener("pointerleave", () => this.#onLeave());
    scene.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
    // The page drags elements of the picture itself.
    scene.addEventListener("dragstart", (event) => event.preventDefault());
  }

  /** Return the target that an event means, or null. @param {MouseEvent} event @param {number} reach */
  #target(event, reach = REACH[this.#kind] ?? REACH.mouse) {
    const { geometry, input } = this.#page;
    return geometry.findNearest(input.targets(), event.clientX, event.clientY, reach);
  }

  /** Remember where a press begins. @param {PointerEvent} event */
  #onDown(event) {
    this.#kind = event.pointerType;
    this.#hasDragged = false;
    if (!event.isPrimary || event.button !== 0) return;
    const node = this.#target(event);
    this.#down = { node, x: event.clientX, y: event.clientY };
    this.#press = { node, x: event.clientX, y: event.clientY, pointer: event.pointerId, drag: "", isRefused: false };
  }

  /** Highlight the target, drag, and draw what is being chosen. @param {PointerEvent} event */
  #onMove(event) {
    this.#kind = event.pointerType;
    if (!event.isPrimary) return;
    const { input, highlights, geometry } = this.#page;
    const node = this.#target(event);
    const point = { x: event.clientX, y: event.clientY };
    if (this.#kind === "mouse") this.#hover(node);
    const press = this.#press;
    if (press?.node && !press.drag && Math.hypot(point.x - press.x, point.y - press.y) > DRAG_DISTANCE) {
      this.#beginDrag(press, press.node);
    }
    if (this.#kind !== "mouse" && !press?.drag) return;
    if (input.firstCorner !== null) {
      const isCorner = node && input.state(node) && node.dataset.token !== input.firstCorner;
      highlights.drawBand(isCorner ? geometry.centre(node) : point);
    }
    if (input.isCarrying) highlights.moveGhost(point);
  }

  /** Choose the first corner or pick a piece up, to drag it. @param {Press} press @param {SceneNode} node */
  #beginDrag(press, node) {
    const { scene, board, input } = this.#page;
    const { gesture, token } = node.dataset;
    // A finger moves a zoomed board about, so corners are tapped there.
    const pans = this.#kind === "touch" && board.classList.contains("zoomed");
    if (input.isBusy || !input.isMine || pans) return;
    if (gesture === "carry" && (input.carried?.token === token || input.state(node))) {
      if (input.carried?.token !== token) input.point(node);
    } else if (gesture === "span" && input.isOpen) {
      if (input.firstCorner !== token) {
        input.cancel();
        press.isRefused = !input.state(node);
        input.beginRectangle(token);
      }
    } else {
      return;
    }
    press.drag = gesture;
    scene.setPointerCapture(press.pointer);
  }

  /** Choose the element where a drag ends. @param {PointerEvent} event */
  #onUp(event) {
    const press = this.#press;
    this.#press = null;
    if (!press?.drag || event.pointerId !== press.pointer) return;
    this.#hasDragged = true;
    const { input } = this.#page;
    const node = this.#target(event, 2 * REACH.touch);
    if (node === press.node) {
      if (node && press.isRefused) {
        input.cancel();
        input.point(node);
      }
      return;
    }
    const accepts = press.drag === "carry" ? "drop" : "span";
    if (node?.dataset.gesture !== accepts) input.cancel();
    else if (input.state(node)) input.point(node);
    else if (accepts === "span") input.point(node).then(() => input.cancel());
    else input.cancel();
  }

  /** Choose the target, unless a drag has ended here. @param {MouseEvent} event */
  #onClick(event) {
    if (this.#hasDragged) {
      this.#hasDragged = false;
      return;
    }
    const { input, picture } = this.#page;
    if (picture.isPast && !input.isOpen) return;
    // Assistive technology clicks without a pointer, so without a position.
    let node = event.detail === 0 ? findSceneNode(event) : this.#target(event);
    const { node: down, x, y } = this.#down;
    if (event.detail && node !== down) {
      // A press that slides to another place means neither, as with buttons; a finger that rolls a little means the first.
      if (Math.hypot(event.clientX - x, event.clientY - y) > DRAG_DISTANCE) return;
      node = input.targets().find((each) => each === down) ?? null;
    }
    clearTimeout(this.#restTimer);
    this.#pressed = node?.dataset.token ?? null;
    if (node) input.point(node);
    else if (input.isActive && !input.isBusy) input.cancel();
  }

  /** Highlight an element, and explain it if the pointer rests. @param {SceneNode | null} node */
  #hover(node) {
    const { scene, input, highlights, onRest } = this.#page;
    highlights.hover(node);
    scene.classList.toggle("aiming", Boolean(node && input.state(node)));
    clearTimeout(this.#restTimer);
    if (node && node.dataset.token === this.#pressed) return;
    this.#pressed = null;
    this.#restTimer = setTimeout(() => onRest(node), node ? REST_DELAY : 0);
  }

  /** Remove what follows the pointer. */
  #onLeave() {
    const { highlights, onRest } = this.#page;
    clearTimeout(this.#restTimer);
    this.#pressed = null;
    onRest(null);
    highlights.hover(null);
    if (this.#press?.drag) return;
    highlights.drawBand(null);
    highlights.moveGhost(null);
  }

  /** @param {WheelEvent} event rotates the carried piece */
  #onWheel(event) {
    const { input } = this.#page;
    if (input.rotations.length < 2) return;
    event.preventDefault();
    if (event.deltaY) input.rotate(event.deltaY > 0 ? 1 : -1);
  }
}

/** Return the element of the picture that an event happened on. @param {Event} event @returns {SceneNode | null} */
export function findSceneNode(event) {
  return /** @type {any} */ (closest(event, "[data-token]"));
}
