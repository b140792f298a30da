// What a choice looks like: classes on the elements, the band of a rectangle, the ghost of a carried piece.

/** @import { Token } from "./messages.js" */
/** @import { Geometry, Point, SceneNode } from "./geometry.js" */
/** @import { MoveInput } from "./move_input.js" */
/** @import { Picture } from "./picture.js" */
import { makeSvg, screenMatrix, setOrRemove, toSvgPoint } from "./dom.js";

const TURNS = [0, 1, 2, 3];

export class Highlights {
  #picture;
  #geometry;
  #input;
  #scene;
  /** @type {{ token: Token, svg: SVGSVGElement, at: Point } | null} */
  #ghost = null;
  /** @type {SceneNode | null} the element under the pointer */
  #hovered = null;

  /**
   * @param {Picture} picture
   * @param {Geometry} geometry
   * @param {MoveInput} input
   * @param {HTMLElement} scene
   */
  constructor(picture, geometry, input, scene) {
    this.#picture = picture;
    this.#geometry = geometry;
    this.#input = input;
    this.#scene = scene;
  }

  /** Mark every element by what it means for the move being chosen. */
  refresh() {
    const input = this.#input;
    for (const node of this.#picture.nodes()) {
      const state = input.state(node);
      const isChosen = input.isChosen(node);
      const isCarried = isChosen && node.dataset.gesture === "carry";
      /** @type {Record<string, boolean>} */
      const classes = {
        can: state === "can",
        "can-turned": state === "turned",
        chosen: isChosen,
        near: node === this.#hovered && state !== "",
      };
      for (const turn of TURNS) classes[`turn-${turn}`] = isCarried && input.rotation === turn;
      for (const [name, on] of Object.entries(classes)) {
        if (node.classList.contains(name) !== on) node.classList.toggle(name, on);
      }
      const disabled = state || isChosen ? null : "true";
      if (node.getAttribute("aria-disabled") !== disabled) setOrRemove(node, "aria-disabled", disabled);
    }
    this.#scene.classList.toggle("choosing", input.isOpen);
    this.#scene.classList.toggle("carrying", Boolean(input.carried));
    if (!input.firstCorner || input.isBusy) this.drawBand(null);
    if (!input.carried || input.isBusy) this.moveGhost(null);
    else if (this.#ghost) this.moveGhost(this.#ghost.at);
  }

  /** @param {SceneNode | null} node the element under the pointer */
  hover(node) {
    if (node === this.#hovered) return;
    this.#hovered?.classList.remove("near");
    this.#hovered = node;
    if (node && this.#input.state(node)) node.classList.add("near");
  }

  /**
   * Draw the rectangle from the first corner to a point; remove it if there is no point.
   * @param {Point | null} point
   */
  drawBand(point) {
    const svg = this.#picture.board;
    const band = svg?.querySelector(":scope > .band");
    const corner = this.#input.firstCorner;
    const start = point && this.#picture.nodes().find((node) => node.dataset.token === corner);
    if (!svg || !start) {
      band?.remove();
      return;
    }
    const a = toSvgPoint(svg, this.#geometry.centre(start));
    const b = toSvgPoint(svg, point);
    const rectangle = {
      x: Math.min(a.x, b.x),
      y: Math.min(a.y, b.y),
      width: Math.abs(a.x - b.x),
      height: Math.abs(a.y - b.y),
    };
    if (!band) svg.append(makeSvg("rect", { class: "band", ...rectangle }));
    else for (const [name, value] of Object.entries(rectangle)) band.setAttribute(name, String(value));
  }

  /**
   * Let a picture of the carried piece follow the pointer; remove it if there is no point.
   * @param {Point | null} point
   */
  moveGhost(point) {
    const token = this.#input.carried?.token;
    if (!point || !token) {
      this.#ghost?.svg.remove();
      this.#ghost = null;
      return;
    }
    if (this.#ghost?.token !== token) {
      this.#ghost?.svg.remove();
      const svg = this.#makeGhost(token);
      this.#ghost = svg && { token, svg, at: point };
    }
    if (!this.#ghost) return;
    const { svg } = this.#ghost;
    this.#ghost.at = point;
    for (const turn of TURNS) svg.firstElementChild?.classList.toggle(`turn-${turn}`, this.#input.rotation === turn);
    svg.style.left = `${point.x}px`;
    svg.style.top = `${point.y}px`;
  }

  /** @param {Token} token */
  #makeGhost(token) {
    const svg = this.drawPiece(token);
    if (!svg) return null;
    // As large as the place where it is going.
    const place = this.#picture.nodes().find((node) => node.dataset.gesture === "drop");
    const side = place?.getBoundingClientRect().width;
    for (const name of side ? ["width", "height"] : []) svg.setAttribute(name, String(side));
    svg.classList.add("ghost");
    this.#scene.append(svg);
    return svg;
  }

  /**
   * Copy a piece of the tray into a picture of its own, as large as it is there.
   * @param {Token} token
   * @returns {SVGSVGElement | null} null if the tray has no such piece
   */
  drawPiece(token) {
    const { tray } = this.#picture;
    const node = this.#picture.nodes().find((each) => each.dataset.token === token && each.ownerSVGElement === tray);
    if (!tray || !node) return null;
    const box = node.getBBox();
    const side = Math.max(box.width, box.height);
    const [x, y] = [box.x + box.width / 2 - side / 2, box.y + box.height / 2 - side / 2];
    const size = side * screenMatrix(tray).a;
    const copy = /** @type {Element} */ (node.cloneNode(true));
    for (const name of ["id", "tabindex", "role", "data-token", "data-gesture", "aria-label", "aria-disabled"]) {
      copy.removeAttribute(name);
    }
    copy.classList.remove("chosen", "can", "near");
    const viewBox = `${x} ${y} ${side} ${side}`;
    return makeSvg(
      "svg",
      { viewBox, class: "fc-tray likeness", "aria-hidden": "true", width: size, height: size },
      copy,
    );
  }
}
