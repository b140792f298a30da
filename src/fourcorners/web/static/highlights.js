// What a choice looks like: classes on the elements, the band of a span, the ghost of what is carried.

const SVG = "http://www.w3.org/2000/svg";
const OWN = ["can", "can-turned", "chosen", "near", "turn-0", "turn-1", "turn-2", "turn-3"];

export class Lights {
  #ghost = null;
  #near = null;

  constructor(picture, places, choosing, scene) {
    this.picture = picture;
    this.places = places;
    this.choosing = choosing;
    this.scene = scene;
  }

  refresh() {
    const { choosing } = this;
    for (const node of this.picture.nodes()) {
      const state = choosing.state(node);
      const chosen = choosing.chosen(node);
      const carry = node.dataset.gesture === "carry";
      const wanted = {
        can: state === "can",
        "can-turned": state === "turned",
        chosen,
        near: node === this.#near && state !== "",
      };
      for (const turn of [0, 1, 2, 3]) wanted[`turn-${turn}`] = carry && chosen && choosing.turn === turn;
      for (const name of OWN) if (node.classList.contains(name) !== wanted[name]) node.classList.toggle(name, wanted[name]);
      const off = state || chosen ? null : "true";
      if (node.getAttribute("aria-disabled") !== off) {
        if (off) node.setAttribute("aria-disabled", off);
        else node.removeAttribute("aria-disabled");
      }
    }
    this.scene.classList.toggle("choosing", choosing.open);
    this.scene.classList.toggle("carrying", Boolean(choosing.carried));
    if (!choosing.from || choosing.busy) this.band(null);
    if (!choosing.carried || choosing.busy) this.ghost(null);
    else if (this.#ghost) this.ghost(this.#ghost.at);
  }

  near(node) {
    if (node === this.#near) return;
    this.#near?.classList.remove("near");
    this.#near = node;
    if (node && this.choosing.state(node)) node.classList.add("near");
  }

  // Draw the rectangle from the first corner to a point of the screen; nothing if there is no point.
  band(point) {
    const svg = this.picture.board;
    let band = svg?.querySelector(":scope > .band");
    const start = point && this.picture.nodes().find((node) => node.dataset.token === this.choosing.from);
    if (!start) {
      band?.remove();
      return;
    }
    if (!band) {
      band = document.createElementNS(SVG, "rect");
      band.setAttribute("class", "band");
      svg.append(band);
    }
    const toBoard = svg.getScreenCTM().inverse();
    const centre = this.places.centre(start);
    const a = new DOMPoint(centre.x, centre.y).matrixTransform(toBoard);
    const b = new DOMPoint(point.x, point.y).matrixTransform(toBoard);
    band.setAttribute("x", Math.min(a.x, b.x));
    band.setAttribute("y", Math.min(a.y, b.y));
    band.setAttribute("width", Math.abs(a.x - b.x));
    band.setAttribute("height", Math.abs(a.y - b.y));
  }

  // Let a picture of what is carried follow the pointer.
  ghost(at) {
    const token = this.choosing.carried?.token;
    if (!at || !token) {
      this.#ghost?.svg.remove();
      this.#ghost = null;
      return;
    }
    if (this.#ghost?.token !== token) {
      this.#ghost?.svg.remove();
      this.#ghost = { token, svg: this.likeness(token) };
      if (!this.#ghost.svg) {
        this.#ghost = null;
        return;
      }
      // As large as the place where it is going.
      const place = this.picture.nodes().find((node) => node.dataset.gesture === "drop");
      const side = place?.getBoundingClientRect().width;
      for (const name of side ? ["width", "height"] : []) this.#ghost.svg.setAttribute(name, side);
      this.#ghost.svg.classList.add("ghost");
      this.scene.append(this.#ghost.svg);
    }
    const { svg } = this.#ghost;
    this.#ghost.at = at;
    const node = svg.firstElementChild;
    for (const turn of [0, 1, 2, 3]) node.classList.toggle(`turn-${turn}`, this.choosing.turn === turn);
    svg.style.left = `${at.x}px`;
    svg.style.top = `${at.y}px`;
  }

  // A small picture of an element of the tray, as large as it is there.
  likeness(token) {
    const node = this.picture.tray && [...this.picture.tray.children].find((child) => child.dataset.token === token);
    if (!node) return null;
    const box = node.getBBox();
    const side = Math.max(box.width, box.height);
    const scale = this.picture.tray.getScreenCTM().a;
    const svg = document.createElementNS(SVG, "svg");
    const [x, y] = [box.x + box.width / 2 - side / 2, box.y + box.height / 2 - side / 2];
    svg.setAttribute("viewBox", `${x} ${y} ${side} ${side}`);
    svg.setAttribute("class", "fc-tray likeness");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("width", side * scale);
    svg.setAttribute("height", side * scale);
    const copy = node.cloneNode(true);
    for (const name of ["id", "tabindex", "role", "data-token", "data-gesture", "aria-label", "aria-disabled"]) {
      copy.removeAttribute(name);
    }
    copy.classList.remove("chosen", "can", "near");
    svg.append(copy);
    return svg;
  }
}
