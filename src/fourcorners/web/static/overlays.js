// What lies over the picture for a while, with words for the ear: layers, and labels made longer, taken away together.

const SVG = "http://www.w3.org/2000/svg";
const PAD = 5;

// Where an element is; what is long and narrow is drawn narrower than it can be pointed at.
function place(node) {
  const { left, top, right, bottom } = node.getBoundingClientRect();
  const [wide, high] = [right - left, bottom - top];
  const x = high > 1.3 * wide ? 0.25 * wide : 0;
  const y = wide > 1.3 * high ? 0.25 * high : 0;
  return { left: left + x, right: right - x, top: top + y, bottom: bottom - y };
}

function middle({ left, top, right, bottom }) {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return { left: x, right: x, top: y, bottom: y };
}

// Two rectangles, the darker one dashed above the lighter one: to be seen on any board. They go around an element, and
// from corner to corner.
function outline(svg, nodes) {
  const matrix = svg.getScreenCTM();
  const corners = nodes.length > 1;
  const boxes = corners ? nodes.map(place).map(middle) : nodes.map(place);
  const pad = corners ? 0 : PAD;
  const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
  const [right, bottom] = [Math.max(...boxes.map((box) => box.right)), Math.max(...boxes.map((box) => box.bottom))];
  const { x, y } = new DOMPoint(left - pad, top - pad).matrixTransform(matrix.inverse());
  const [width, height] = [(right - left + 2 * pad) / matrix.a, (bottom - top + 2 * pad) / matrix.a];
  const rx = corners ? 0 : Math.min(width, height, 24 / matrix.a) / 2;
  return ["under", "over"].map((name) => {
    const rect = document.createElementNS(SVG, "rect");
    rect.setAttribute("class", name);
    for (const [key, value] of Object.entries({ x, y, width, height, rx })) rect.setAttribute(key, value.toFixed(2));
    return rect;
  });
}

// Whether an element is part of a move; what is carried bears the beginning of a token.
function names(tokens, { token, gesture }) {
  return tokens.includes(token) || (gesture === "carry" && tokens[0].startsWith(token));
}

export class Marks {
  #layers = [];
  #labels = new Map();

  // Return a layer on top of a picture.
  layer(svg, name) {
    const layer = document.createElementNS(SVG, "g");
    layer.setAttribute("class", name);
    layer.setAttribute("aria-hidden", "true");
    svg.append(layer);
    this.#layers.push(layer);
    return layer;
  }

  // Say more of an element.
  add(node, words) {
    const label = node.getAttribute("aria-label");
    this.#labels.set(node, label);
    node.setAttribute("aria-label", `${label}; ${words}`);
  }

  // Outline where a move is made, and say so; the two corners of a rectangle are one place. Return the layers.
  move(picture, tokens, name, words) {
    const named = picture.nodes().filter((node) => names(tokens, node.dataset));
    for (const node of named) this.add(node, words);
    const layers = [];
    for (const svg of [picture.board, picture.tray]) {
      const here = named.filter((node) => node.ownerSVGElement === svg);
      if (!here.length) continue;
      const layer = this.layer(svg, name);
      const corners = here.filter((node) => node.dataset.gesture === "span");
      const groups = corners.length > 1 ? [corners, ...here.filter((node) => !corners.includes(node)).map((node) => [node])] : here.map((node) => [node]);
      for (const nodes of groups) layer.append(...outline(svg, nodes));
      layers.push(layer);
    }
    return layers;
  }

  clear() {
    for (const layer of this.#layers) layer.remove();
    for (const [node, label] of this.#labels) {
      if (label === null) node.removeAttribute("aria-label");
      else node.setAttribute("aria-label", label);
    }
    this.#layers = [];
    this.#labels.clear();
  }
}
