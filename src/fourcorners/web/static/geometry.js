// Where elements are on the screen: the nearest target of a pointer, and the neighbour in a direction.

/**
 * @typedef {SVGGraphicsElement & { ownerSVGElement: SVGSVGElement, dataset: { token: string, gesture: string } }} SceneNode
 *   an element of a picture that stands for a token of moves; its gesture is pick, span, carry or drop
 * @typedef {{ x: number, y: number }} Point in pixels of the window
 * @typedef {{ left: number, top: number, right: number, bottom: number }} Box in pixels
 */

/** How much farther away the second nearest target must be for the nearest to be meant from outside. */
const CLEARLY_NEARER = 1.15;
/** How much a step that leaves the straight line costs, compared with its length. */
const LINE_WEIGHT = 0.5;
const SAMPLES = 24;

export class Geometry {
  /** @type {Map<SceneNode, Box>} */
  #boxes = new Map();

  /** Forget all boxes: the picture or its size has changed. */
  clear() {
    this.#boxes.clear();
  }

  /**
   * Return a node's box relative to its picture, so that scrolling does not matter.
   * @param {SceneNode} node
   * @returns {Box}
   */
  #box(node) {
    const known = this.#boxes.get(node);
    if (known) return known;
    const { left, top, right, bottom } = node.getBoundingClientRect();
    const origin = node.ownerSVGElement.getBoundingClientRect();
    const box = {
      left: left - origin.left,
      top: top - origin.top,
      right: right - origin.left,
      bottom: bottom - origin.top,
    };
    this.#boxes.set(node, box);
    return box;
  }

  /**
   * @param {SceneNode} node
   * @returns {Point}
   */
  centre(node) {
    const origin = node.ownerSVGElement.getBoundingClientRect();
    const box = this.#box(node);
    return { x: origin.left + (box.left + box.right) / 2, y: origin.top + (box.top + box.bottom) / 2 };
  }

  /**
   * Return the node whose centre is nearest to a point. The point must be on the node, or at most `reach` pixels away
   * from it with no other node about as near.
   * @param {SceneNode[]} nodes
   * @param {number} x
   * @param {number} y
   * @param {number} reach
   * @returns {SceneNode | null}
   */
  findNearest(nodes, x, y, reach) {
    /** @type {Map<SVGSVGElement, DOMRect>} */
    const origins = new Map();
    let best = null;
    let first = Infinity;
    let second = Infinity;
    for (const node of nodes) {
      const svg = node.ownerSVGElement;
      const origin = origins.get(svg) ?? svg.getBoundingClientRect();
      origins.set(svg, origin);
      const box = this.#box(node);
      const px = x - origin.left;
      const py = y - origin.top;
      const outside = Math.hypot(
        Math.max(box.left - px, 0, px - box.right),
        Math.max(box.top - py, 0, py - box.bottom),
      );
      if (outside > reach) continue;
      const distance = Math.hypot(px - (box.left + box.right) / 2, py - (box.top + box.bottom) / 2);
      if (distance < first) {
        second = first;
        first = distance;
        best = { node, outside };
      } else if (distance < second) {
        second = distance;
      }
    }
    if (!best || (best.outside > 0 && second < first * CLEARLY_NEARER)) return null;
    return best.node;
  }

  /**
   * Return the neighbour in the direction (dx, dy), or null.
   * @param {SceneNode[]} nodes
   * @param {SceneNode} from
   * @param {number} dx -1, 0 or 1
   * @param {number} dy -1, 0 or 1
   * @param {Point} start where a run of such steps began, so that it keeps to a straight line
   * @returns {SceneNode | null}
   */
  findNeighbour(nodes, from, dx, dy, start) {
    const here = this.centre(from);
    let best = null;
    let least = Infinity;
    // Nodes within 45 degrees of the direction come first; only where there is none do the others count.
    for (const isStrict of [true, false]) {
      for (const node of nodes) {
        if (node === from) continue;
        const there = this.centre(node);
        const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
        const across = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
        if (along < 2 || (isStrict && across > along + 2)) continue;
        const offLine = Math.abs((there.x - start.x) * dy) + Math.abs((there.y - start.y) * dx);
        const cost = along + LINE_WEIGHT * offLine + (isStrict ? 0 : across);
        if (cost < least - 0.5) [least, best] = [cost, node];
      }
      if (best) break;
    }
    return best;
  }

  /**
   * Return the median distance between neighbours in pixels, from a sample: how large a target is for a finger.
   * @param {SceneNode[]} nodes
   * @returns {number} Infinity for fewer than two nodes
   */
  spacing(nodes) {
    if (nodes.length < 2) return Infinity;
    const step = Math.ceil(nodes.length / SAMPLES);
    const centres = nodes.map((node) => this.centre(node));
    /** @type {number[]} */
    const distances = [];
    for (let i = 0; i < centres.length; i += step) {
      let least = Infinity;
      for (let j = 0; j < centres.length; j++) {
        if (j !== i) least = Math.min(least, Math.hypot(centres[i].x - centres[j].x, centres[i].y - centres[j].y));
      }
      distances.push(least);
    }
    return distances.sort((a, b) => a - b)[distances.length >> 1];
  }
}
