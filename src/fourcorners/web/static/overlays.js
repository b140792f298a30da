// Temporary marks over the picture, with words for screen readers: layers and longer labels, removed together.

import { makeSvg, screenScale, setOrRemove, toSvgPoint } from "./dom.js";

const PADDING = 5;
const CORNER_RADIUS = 12;

export class Overlays {
  /** @type {SVGGElement[]} */ #layers = [];
  /** @type {Map<Element, string | null>} */ #labels = new Map(); // the labels as they were

  /** Add a layer on top of a picture. @param {SVGSVGElement} svg @param {string} name the layer's class */
  addLayer(svg, name) {
    const layer = makeSvg("g", { class: name, "aria-hidden": "true" });
    svg.append(layer);
    this.#layers.push(layer);
    return layer;
  }

  /** Append words to an element's label. @param {Element} node @param {string} words */
  addLabel(node, words) {
    const label = node.getAttribute("aria-label");
    this.#labels.set(node, label);
    node.setAttribute("aria-label", `${label}; ${words}`);
  }

  /**
   * Outline the elements of a move, and add words to their labels. Two corners of a rectangle get one outline.
   * @param {Picture} picture @param {Token[]} tokens @param {string} name the class of the layers @param {string} words
   * @returns {{ svg: SVGSVGElement, layer: SVGGElement }[]} the layers that were added
   */
  outlineMove(picture, tokens, name, words) {
    const marked = picture.nodes().filter((node) => isPartOf(tokens, node.dataset));
    for (const node of marked) this.addLabel(node, words);
    return [picture.board, picture.tray].flatMap((svg) => {
      const nodes = marked.filter((node) => node.ownerSVGElement === svg);
      if (!svg || !nodes.length) return [];
      const layer = this.addLayer(svg, name);
      layer.append(...groupCorners(nodes).flatMap((group) => makeOutline(svg, group)));
      return [{ svg, layer }];
    });
  }

  /** Remove all layers, and restore all labels. */
  clear() {
    for (const layer of this.#layers) layer.remove();
    for (const [node, label] of this.#labels) setOrRemove(node, "aria-label", label);
    this.#layers = [];
    this.#labels.clear();
  }
}

/** Return whether an element is part of a move. @param {Token[]} tokens @param {SceneNode["dataset"]} dataset */
function isPartOf(tokens, { token, gesture }) {
  return tokens.includes(token) || (gesture === "carry" && tokens[0].startsWith(token));
}

/** Group the corners of a rectangle; every other node is its own group. @param {SceneNode[]} nodes */
export function groupCorners(nodes) {
  const corners = nodes.filter((node) => node.dataset.gesture === "span");
  if (corners.length < 2) return nodes.map((node) => [node]);
  return [corners, ...nodes.filter((node) => !corners.includes(node)).map((node) => [node])];
}

/**
 * Draw a dashed dark rectangle above a light one, visible on any board: around a node, or from corner to corner.
 * @param {SVGSVGElement} svg @param {SceneNode[]} nodes
 */
function makeOutline(svg, nodes) {
  const isRectangle = nodes.length > 1;
  const boxes = nodes.map((node) => visibleBox(node, isRectangle));
  const padding = isRectangle ? 0 : PADDING;
  const left = Math.min(...boxes.map((box) => box.left)) - padding;
  const top = Math.min(...boxes.map((box) => box.top)) - padding;
  const right = Math.max(...boxes.map((box) => box.right)) + padding;
  const bottom = Math.max(...boxes.map((box) => box.bottom)) + padding;
  const { x, y } = toSvgPoint(svg, { x: left, y: top });
  const scale = screenScale(svg);
  const [width, height] = [(right - left) / scale, (bottom - top) / scale];
  const rx = isRectangle ? 0 : Math.min(width / 2, height / 2, CORNER_RADIUS / scale);
  return ["under", "over"].map((name) => makeSvg("rect", { class: name, x, y, width, height, rx }));
}

/** Return an element's box, without its margin if it is thin. @param {Element} node @param {boolean} isCorner */
function visibleBox(node, isCorner) {
  const { left, top, right, bottom, width, height } = node.getBoundingClientRect();
  // An outline goes through the centres of its corners.
  const x = isCorner ? width / 2 : height > 1.3 * width ? width / 4 : 0;
  const y = isCorner ? height / 2 : width > 1.3 * height ? height / 4 : 0;
  return { left: left + x, right: right - x, top: top + y, bottom: bottom - y };
}
