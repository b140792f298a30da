// What a choice looks like: classes on the elements, the band of a rectangle, the ghost of a carried piece.

import { makeSvg, rectangleBetween, screenScale, setClass, setOrRemove, toSvgPoint } from "./dom.js";
import { parseRotation } from "./move_tree.js";

/** What a copy of a piece must not have, as it stands for nothing and cannot be pressed. */
const ROLE_ATTRIBUTES = ["id", "tabindex", "role", "data-token", "data-gesture", "aria-label", "aria-disabled"];

/** The radius of the corners of the frame, as a share of its shorter side. */
const FRAME_ROUNDING = 0.3;

export class Highlights {
  #page;
  /** @type {{ token: Token, svg: SVGSVGElement, at: Point } | null} */ #ghost = null;
  /** @type {SceneNode | null} */ #hovered = null; // the element under the pointer

  /** @param {BoardPage} page */
  constructor(page) {
    this.#page = page;
  }

  /** Mark every element by what it means for the move being chosen. */
  refresh() {
    const { input, picture, scene } = this.#page;
    for (const node of picture.nodes()) {
      const state = input.state(node);
      const isChosen = input.isChosen(node);
      setClass(node, "can", state === "can");
      setClass(node, "can-turned", state === "turned");
      setClass(node, "chosen", isChosen);
      setClass(node, "near", node === this.#hovered && state !== "");
      const description = state === "turned" ? "fits when turned" : "";
      if ((node.getAttribute("aria-description") ?? "") !== description) {
        setOrRemove(node, "aria-description", description);
      }
      setTurn(node, isChosen && node.dataset.gesture === "carry" ? input.rotation : null);
      const disabled = state || isChosen ? null : "true";
      if (node.getAttribute("aria-disabled") !== disabled) setOrRemove(node, "aria-disabled", disabled);
    }
    scene.classList.toggle("choosing", input.isOpen);
    scene.classList.toggle("carrying", input.isCarrying);
    if (!input.firstCorner || input.isBusy) this.drawBand(null);
    if (!input.isCarrying || input.isBusy) this.moveGhost(null);
    else if (this.#ghost) this.moveGhost(this.#ghost.at);
    this.#drawLaidPiece();
  }

  /** Draw the carried piece on the place that was chosen for it, as it will lie there. */
  #drawLaidPiece() {
    const { input, picture } = this.#page;
    const { carried, prefix, isCarrying } = input;
    picture.board?.querySelector(":scope > .laid")?.remove();
    // A piece that begins no move by itself is drawn by its place.
    if (!carried || carried.isPrefix || isCarrying) return;
    const place = picture.nodes().find((node) => node.dataset.token === prefix[1]);
    const svg = this.#drawPiece(carried.token);
    if (!place || !svg?.firstElementChild) return;
    const { x, y, width, height } = place.getBBox();
    for (const [name, value] of Object.entries({ x, y, width, height })) svg.setAttribute(name, String(value));
    svg.style.width = `${width}px`;
    svg.style.height = `${height}px`;
    svg.classList.add("laid");
    setTurn(svg.firstElementChild, prefix.map(parseRotation).find((turn) => turn !== null) ?? input.rotation);
    picture.board?.append(svg);
  }

  /** @param {SceneNode | null} node the element under the pointer */
  hover(node) {
    if (node === this.#hovered) return;
    this.#hovered?.classList.remove("near");
    this.#hovered = node;
    if (node && this.#page.input.state(node)) node.classList.add("near");
  }

  /** Draw the rectangle from the first corner to a point; without a point, remove it. @param {Point | null} point */
  drawBand(point) {
    const { picture, geometry, input } = this.#page;
    const svg = picture.board;
    const band = svg?.querySelector(":scope > .band");
    const start = point && picture.nodes().find((node) => node.dataset.token === input.firstCorner);
    if (!svg || !start) return band?.remove();
    const rectangle = rectangleBetween(toSvgPoint(svg, geometry.centre(start)), toSvgPoint(svg, point));
    if (!band) svg.append(makeSvg("rect", { class: "band", ...rectangle }));
    else for (const [name, value] of Object.entries(rectangle)) band.setAttribute(name, String(value));
  }

  /** Frame the element of the board that the keyboard is at, above all others; without one, remove the frame. @param {SceneNode | null} node */
  drawFrame(node) {
    const svg = this.#page.picture.board;
    svg?.querySelector(":scope > .focus-frame")?.remove();
    if (!svg || !node || node.ownerSVGElement !== svg) return;
    const { x, y, width, height } = node.getBBox();
    const place = { x, y, width, height, rx: FRAME_ROUNDING * Math.min(width, height) };
    svg.append(makeSvg("g", { class: "focus-frame" }, makeSvg("rect", place), makeSvg("rect", place)));
  }

  /** Let a copy of the carried piece follow the pointer; without a point, remove it. @param {Point | null} point */
  moveGhost(point) {
    const { carried, rotation } = this.#page.input;
    if (!point || !carried || this.#ghost?.token !== carried.token) {
      this.#ghost?.svg.remove();
      const svg = point && carried ? this.#makeGhost(carried.token) : null;
      this.#ghost = svg && point && carried && { token: carried.token, svg, at: point };
    }
    if (!this.#ghost || !point) return;
    const { svg } = this.#ghost;
    this.#ghost.at = point;
    if (svg.firstElementChild) setTurn(svg.firstElementChild, rotation);
    svg.style.left = `${point.x}px`;
    svg.style.top = `${point.y}px`;
  }

  /** Draw a piece as large as the place where it is going. @param {Token} token */
  #makeGhost(token) {
    const svg = this.#drawPiece(token);
    if (!svg) return null;
    const place = this.#page.picture.nodes().find((node) => node.dataset.gesture === "drop");
    const side = place?.getBoundingClientRect().width;
    if (side) svg.style.width = svg.style.height = `${side}px`;
    svg.classList.add("ghost");
    this.#page.scene.append(svg);
    return svg;
  }

  /** Copy a piece of the tray, as large as it is there; return null without it. @param {Token} token */
  #drawPiece(token) {
    const { picture } = this.#page;
    const { tray } = picture;
    const node = picture.nodes().find((each) => each.dataset.token === token && each.ownerSVGElement === tray);
    if (!tray || !node) return null;
    const { x, y, width, height } = node.getBBox();
    const side = Math.max(width, height);
    const viewBox = `${x + width / 2 - side / 2} ${y + height / 2 - side / 2} ${side} ${side}`;
    const copy = /** @type {Element} */ (node.cloneNode(true));
    for (const name of ROLE_ATTRIBUTES) copy.removeAttribute(name);
    copy.classList.remove("chosen", "can", "near");
    const svg = makeSvg("svg", { viewBox, class: "fc-tray likeness", "aria-hidden": "true" }, copy);
    svg.style.width = svg.style.height = `${side * screenScale(tray)}px`;
    return svg;
  }
}

/** Draw an element rotated. @param {Element} node @param {number | null | undefined} rotation in quarter turns */
function setTurn(node, rotation) {
  for (const turn of [0, 1, 2, 3]) setClass(node, `turn-${turn}`, turn === rotation);
}
