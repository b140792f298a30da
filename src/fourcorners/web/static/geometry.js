// Where things are on the screen: the nearest target of a pointer, and the neighbour in a direction.

const UNCLEAR = 1.15;

export class Places {
  #boxes = new Map();

  // Forget everything: the picture or its size has changed.
  clear() {
    this.#boxes.clear();
  }

  // A node's box relative to its picture, so that scrolling does not matter.
  #box(node) {
    let box = this.#boxes.get(node);
    if (!box) {
      const { left, top, right, bottom } = node.getBoundingClientRect();
      const origin = node.ownerSVGElement.getBoundingClientRect();
      box = { left: left - origin.left, top: top - origin.top, right: right - origin.left, bottom: bottom - origin.top };
      this.#boxes.set(node, box);
    }
    return box;
  }

  centre(node) {
    const origin = node.ownerSVGElement.getBoundingClientRect();
    const box = this.#box(node);
    return { x: origin.left + (box.left + box.right) / 2, y: origin.top + (box.top + box.bottom) / 2 };
  }

  // The node whose middle is nearest to a point, if the point is on it or at most `reach` away and no other is as near.
  nearest(nodes, x, y, reach) {
    const origins = new Map();
    let best = null;
    let first = Infinity;
    let second = Infinity;
    for (const node of nodes) {
      const svg = node.ownerSVGElement;
      let origin = origins.get(svg);
      if (!origin) origins.set(svg, (origin = svg.getBoundingClientRect()));
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
    if (!best || (best.outside > 0 && second < first * UNCLEAR)) return null;
    return best.node;
  }

  // The neighbour in a direction (dx, dy); `line` is where a run of such steps began, so that it keeps straight.
  towards(nodes, from, dx, dy, line) {
    const here = this.centre(from);
    let best = null;
    let least = Infinity;
    for (const strict of [true, false]) {
      for (const node of nodes) {
        if (node === from) continue;
        const there = this.centre(node);
        const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
        const across = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
        if (along < 2 || (strict && across > along + 2)) continue;
        const off = Math.abs((there.x - line.x) * dy) + Math.abs((there.y - line.y) * dx);
        const cost = along + off / 2 + (strict ? 0 : across);
        if (cost < least - 0.5) [least, best] = [cost, node];
      }
      if (best) break;
    }
    return best;
  }

  // The usual distance between neighbours: how large a finger's target is.
  pitch(nodes) {
    if (nodes.length < 2) return Infinity;
    const step = Math.ceil(nodes.length / 24);
    const centres = nodes.map((node) => this.centre(node));
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
