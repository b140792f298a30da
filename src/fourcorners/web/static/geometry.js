// Where elements are on the screen: the nearest target of a pointer, and the neighbour in a direction.

/** How much farther away the second nearest target must be for the nearest to be meant from outside. */
const CLEARLY_NEARER = 1.15;
/** The same on the nearest one, if it is a line: where lines meet, at a dot, none of them is meant. */
const CLEARLY_ON_LINE = 1.3;
/** How much longer than wide a line is. */
const LINE_RATIO = 1.5;
/** How far the nodes of a row may be out of line, as a share of the shorter side of one. */
const ROW_TOLERANCE = 0.25;
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
   * from it with no other node about as near; on a line, too, no other one may be about as near.
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
        const isLine = Math.max(right - left, bottom - top) > LINE_RATIO * Math.min(right - left, bottom - top);
        best = { node, factor: outside > 0 ? CLEARLY_NEARER : isLine ? CLEARLY_ON_LINE : 0 };
      } else if (distance < second) {
        second = distance;
      }
    }
    return !best || second < first * best.factor ? null : best.node;
  }

  /**
   * Return the neighbour in the direction (dx, dy), or null. Left and right keep to the row, as in a text; up and down
   * lead to the next row that has nodes, as near as possible to the column. Another picture comes after the own one.
   * @param {SceneNode[]} nodes @param {SceneNode} from @param {number} dx -1, 0 or 1 @param {number} dy -1, 0 or 1
   * @param {Point} aim where column and row are that are kept, seen from the centre of `from` @returns {SceneNode | null}
   */
  findNeighbour(nodes, from, dx, dy, aim) {
    const { left, top, right, bottom } = this.#box(from);
    // The nodes of a row need not be exactly in line: a double stack is raised.
    const tolerance = Math.max(2, Math.min(right - left, bottom - top) * ROW_TOLERANCE);
    const here = this.centre(from);
    const ahead = nodes
      .map((node) => {
        const there = this.centre(node);
        const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
        const across = Math.abs(dx ? there.y - here.y - aim.y : there.x - here.x - aim.x);
        return { node, along, across, isOwn: node.ownerSVGElement === from.ownerSVGElement };
      })
      .filter(({ along }) => along > tolerance);
    const own = ahead.filter(({ isOwn, across }) => isOwn && (dy !== 0 || across <= tolerance));
    const line = own.length ? own : ahead.filter(({ isOwn }) => !isOwn);
    const end = Math.min(...line.map(({ along }) => along)) + tolerance;
    let best = null;
    let least = Infinity;
    for (const { node, along, across } of line) {
      if (along <= end && across < least - 0.5) [least, best] = [across, node];
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
