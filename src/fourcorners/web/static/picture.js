// The pictures of board and tray: shown whole, patched in place, or replaced for a while by an earlier position.

import { findAll, focusScene, make, makeSvg, screenScale, setOrRemove } from "./dom.js";

/** @type {Part[]} */ const PARTS = ["board", "tray"];

/** Parse a picture, if there is one. @param {string | null} text from the server, which escapes every name in it */
export function parsePicture(text) {
  const template = make("template");
  template.innerHTML = text ?? "";
  return /** @type {SVGSVGElement | null} */ (template.content.firstElementChild);
}

/** Parse an element of a picture. @param {string} text */
function parseElement(text) {
  const holder = makeSvg("svg");
  holder.innerHTML = text;
  return /** @type {SVGElement} */ (holder.firstElementChild);
}

export class Picture {
  #hosts;
  /** @type {Record<Part, SVGSVGElement | null>} the pictures of the current position, shown or not */
  #current = { board: null, tray: null };
  /** Whether another position than the current one is shown. */
  isPast = false;

  /** @param {HTMLElement} board holds the board's SVG @param {HTMLElement} tray holds the tray's SVG */
  constructor(board, tray) {
    this.#hosts = { board, tray };
    const observer = new ResizeObserver(() => this.#measure());
    for (const host of Object.values(this.#hosts)) observer.observe(host);
  }

  /** Tell the styles of both pictures how many of their units a pixel has, for the smallest size of labels. */
  #measure() {
    for (const name of PARTS) {
      const svg = /** @type {SVGSVGElement | null} */ (this.#hosts[name].firstElementChild);
      const unit = svg ? 1 / screenScale(svg) : 0;
      if (svg && Number.isFinite(unit)) svg.style.setProperty("--unit", unit.toFixed(2));
    }
  }

  get board() {
    return /** @type {SVGSVGElement | null} */ (this.#hosts.board.firstElementChild);
  }

  get tray() {
    return /** @type {SVGSVGElement | null} */ (this.#hosts.tray.firstElementChild);
  }

  /** Return the elements of the shown picture that stand for tokens. */
  nodes() {
    const nodes = PARTS.flatMap((name) => /** @type {Element[]} */ (findAll(this.#hosts[name], "[data-token]")));
    return /** @type {SceneNode[]} */ (nodes);
  }

  /** Take whole pictures of the current position. @param {string} board @param {string | null} tray */
  set(board, tray) {
    this.#current = { board: parsePicture(board), tray: parsePicture(tray) };
    if (!this.isPast) this.showCurrent();
  }

  showCurrent() {
    this.isPast = false;
    this.#show(this.#current);
  }

  /** Show another position until `showCurrent`. @param {string} board @param {string | null} tray */
  showPast(board, tray) {
    this.isPast = true;
    this.#show({ board: parsePicture(board), tray: parsePicture(tray) });
  }

  /** Show pictures, and keep the focus where it was. @param {Record<Part, SVGSVGElement | null>} pictures */
  #show(pictures) {
    const focus = this.#saveFocus();
    for (const name of PARTS) {
      const svg = pictures[name];
      const host = this.#hosts[name];
      if (host.firstElementChild !== svg) host.replaceChildren(...(svg ? [svg] : []));
    }
    this.#measure();
    this.#restoreFocus(focus);
  }

  /** Change the pictures of the current position in place. @param {ScenePatch} patch */
  patch(patch) {
    const focus = this.#saveFocus();
    patchScene(this.#current, patch);
    if (!this.isPast) this.#show(this.#current);
    this.#restoreFocus(focus);
  }

  /** Return which element has the focus, and where it is. */
  #saveFocus() {
    const node = document.activeElement?.closest("[data-token]");
    return node ? { id: node.id, node, isVisible: node.matches(":focus-visible"), ...getCentre(node) } : null;
  }

  /**
   * Restore a lost focus to the element with that id, or else to the nearest. The scene gets a focus that was not
   * visible: what was pressed by mouse or finger is not marked.
   * @param {SavedFocus | null} focus
   */
  #restoreFocus(focus) {
    if (!focus || (focus.node.isConnected && document.activeElement === focus.node)) return;
    if (!focus.isVisible) return focusScene();
    const nodes = this.nodes();
    let next = nodes.find((node) => node.id === focus.id);
    let least = Infinity;
    for (const node of next ? [] : nodes) {
      const { x, y } = getCentre(node);
      const distance = Math.hypot(x - focus.x, y - focus.y);
      if (distance < least) [least, next] = [distance, node];
    }
    next?.focus({ preventScroll: true });
  }
}

/** Return the centre of an element on the screen. @param {Element} node */
function getCentre(node) {
  const { left, top, width, height } = node.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

/** Change the pictures of a position in place. @param {Record<Part, SVGSVGElement | null>} pictures @param {ScenePatch} patch */
export function patchScene(pictures, patch) {
  for (const name of PARTS) {
    const part = patch[name];
    if (part === null) pictures[name] = null;
    const svg = pictures[name] ?? makeSvg("svg", { class: `fc-${name}`, role: "group" });
    if (part) pictures[name] = patchPart(svg, part);
  }
}

/** Change a picture in place, and return it. @param {SVGSVGElement} svg @param {PartPatch} part */
function patchPart(svg, part) {
  const find = (/** @type {string} */ id) => svg.querySelector(`:scope > [id="${CSS.escape(id)}"]`);
  if (part.box) svg.setAttribute("viewBox", part.box);
  if (part.label !== undefined) svg.setAttribute("aria-label", part.label);
  for (const id of part.remove ?? []) find(id)?.remove();
  for (const [id, changes] of Object.entries(part.set ?? {})) {
    const node = find(id);
    if (node) patchElement(node, changes);
  }
  for (const [previousId, text] of part.add ?? []) {
    const previous = previousId ? find(previousId) : null;
    if (previous) previous.after(parseElement(text));
    else svg.prepend(parseElement(text));
  }
  return svg;
}

/** Change an element in place. @param {Element} node @param {ElementChange} changes */
function patchElement(node, changes) {
  if (changes.markup !== undefined) node.innerHTML = changes.markup;
  if (changes.class !== undefined) node.setAttribute("class", changes.class);
  if (changes.label !== undefined) setOrRemove(node, "aria-label", changes.label);
  if (changes.gesture !== undefined) setOrRemove(node, "data-gesture", changes.gesture);
  if (changes.token !== undefined) {
    setOrRemove(node, "data-token", changes.token);
    setOrRemove(node, "tabindex", changes.token ? "-1" : "");
    if (!changes.token) node.removeAttribute("aria-disabled");
  }
  if (changes.token === undefined && changes.label === undefined) return;
  // What no move names is a picture exactly if it has a name.
  const isNamed = node.hasAttribute("aria-label");
  setOrRemove(node, "role", node.hasAttribute("data-token") ? "button" : isNamed ? "img" : "");
}
