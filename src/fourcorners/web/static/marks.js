// What lies over the picture for a while, with words for the ear: layers, and labels made longer, taken away together.

const SVG = "http://www.w3.org/2000/svg";

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
