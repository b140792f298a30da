// Where elements are on the screen: the nearest target of a pointer, and the neighbour in a direction.

/** How much farther away the second nearest target must be for the nearest to be meant from outside. */
const CLEARLY_NEARER = 1.15;
/** How much a step that leaves the straight line costs, compared with its length. */
const LINE_WEIGHT = 0.5;
const SAMPLES = 24;

export class Geometry {
  /** @type {Map<SceneNode, Box>} */ #boxes = new Map();

  /** Forget all boxes: the picture or its size has changed. */
  clear() {
    this.#boxes.clear();
  }

  /** Return a node's box relative to its picture, so that scrolling does not matter. @param {SceneNode} node */
  #box(node) {
    const known = this.#boxes.get(node);
    if (known) return known;
    const { left, top, right, bottom } = node.getBoundingClientRect();
    const { left: x, top: y } = node.ownerSVGElement.getBoundingClientRect();
    const box = { left: left - x, top: top - y, right: right - x, bottom: bottom - y };
    this.#boxes.set(node, box);
    return box;
  }

  /** Return the centre of a node. @param {SceneNode} node @returns {Point} */
  centre(node) {
    const origin = node.ownerSVGElement.getBoundingClientRect();
    const box = this.#box(node);
    return { x: origin.left + (box.left + box.right) / 2, y: origin.top + (box.top + box.bottom) / 2 };
  }

  /**
   * Return the node whose centre is nearest to a point. The point must be on the node, or at most `reach` pixels away
   * from it with no other node about as near.
   * @param {SceneNode[]} nodes @param {number} x @param {number} y @param {number} reach @returns {SceneNode | null}
   */
  findNearest(nodes, x, y, reach) {
    /** @type {Map<SVGSVGElement, DOMRect>} */ const origins = new Map();
    let best = null;
    let first = Infinity;
    let second = Infinity;
    for (const node of nodes) {
      const svg = node.ownerSVGElement;
      const origin = origins.get(svg) ?? svg.getBoundingClientRect();
      origins.set(svg, origin);
      const { left, top, right, bottom } = this.#box(node);
      const [px, py] = [x - origin.left, y - origin.top];
      const outside = Math.hypot(Math.max(left - px, 0, px - right), Math.max(top - py, 0, py - bottom));
      if (outside > reach) continue;
      const distance = Math.hypot(px - (left + right) / 2, py - (top + bottom) / 2);
      if (distance < first) {
        [first, second] = [distance, first];
        best = { node, outside };
      } else if (distance < second) {
        second = distance;
      }
    }
    return !best || (best.outside > 0 && second < first * CLEARLY_NEARER) ? null : best.node;
  }

  /**
   * Return the neighbour in the direction (dx, dy), or null.
   * @param {SceneNode[]} nodes @param {SceneNode} from @param {number} dx -1, 0 or 1 @param {number} dy -1, 0 or 1
   * @param {Point} start where a run of steps began, so that it keeps to a straight line @returns {SceneNode | null}
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

  /** Return the median distance between neighbours in pixels, from a sample, or Infinity. @param {SceneNode[]} nodes */
  measureSpacing(nodes) {
    if (nodes.length < 2) return Infinity;
    const step = Math.ceil(nodes.length / SAMPLES);
    const centres = nodes.map((node) => this.centre(node));
    const distances = centres
      .filter((_, index) => index % step === 0)
      .map((a) => Math.min(...centres.map((b) => (a === b ? Infinity : Math.hypot(a.x - b.x, a.y - b.y)))));
    return distances.sort((a, b) => a - b)[distances.length >> 1];
  }
}
