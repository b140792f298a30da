// The final board on which points are counted: a tap counts what lies there for a player, another one takes it back.

import { hasModifier, makeSvg } from "./dom.js";
import { ARROWS } from "./keyboard.js";
import { BADGE_COLOURS } from "./parts.js";

/** Add up what is marked for a party. @param {Area[]} areas @param {Marks} marks @param {Seat} seat its first seat */
export function sumMarks(areas, marks, seat) {
  return areas.reduce((sum, area) => sum + (marks[area.name] === seat ? area.points : 0), 0);
}

/** List what counts for a party but is not marked for it, and what is although it does not count. @param {Area[]} areas @param {Marks} marks @param {Seat} seat its first seat */
export function compareMarks(areas, marks, seat) {
  const missed = areas.filter((area) => area.seat === seat && marks[area.name] !== seat && area.points > 0);
  const wrong = areas.filter((area) => area.seat !== seat && marks[area.name] === seat);
  return { missed, wrong };
}

export class CountBoard {
  #page;
  #onTap;
  /** @type {SVGGElement | null} */ #layer = null;
  /** @type {Area[]} */ #areas = [];

  /** @param {BoardPage} page @param {(area: Area) => void} onTap */
  constructor(page, onTap) {
    this.#page = page;
    this.#onTap = onTap;
  }

  /** Let areas of the board be tapped. @param {Area[]} areas @param {Marks} marks @param {(area: Area) => string} label */
  showButtons(areas, marks, label) {
    this.#draw(areas, "count-areas", (node, area) => {
      const seat = marks[area.name] ?? null;
      node.setAttribute("class", `count-area${seat === null ? "" : ` counted seat-${seat % BADGE_COLOURS}`}`);
      node.setAttribute("role", "button");
      node.setAttribute("aria-pressed", String(seat !== null));
      node.setAttribute("aria-label", label(area));
      const text = node.querySelector("text");
      if (text) text.textContent = seat === null ? "" : String(seat + 1);
    });
    const nodes = this.#nodes;
    if (!nodes.some((node) => node.tabIndex === 0)) nodes[0]?.setAttribute("tabindex", "0");
  }

  /** Mark what was counted wrongly. @param {Area[]} missed @param {Area[]} wrong */
  showErrors(missed, wrong) {
    this.#draw([...missed, ...wrong.filter((area) => !missed.includes(area))], "count-errors", (node, area) => {
      const isWrong = wrong.includes(area);
      const words = isWrong ? "counted for the wrong player" : "missed";
      node.setAttribute("class", isWrong ? "count-wrong" : "count-missed");
      node.setAttribute("role", "img");
      node.setAttribute("aria-label", `${area.name}: ${words}`);
      const text = node.querySelector("text");
      if (text) text.textContent = isWrong ? "×" : "+";
    });
  }

  /** Remove all marks. */
  clear() {
    this.#layer?.remove();
    this.#layer = null;
    this.#areas = [];
  }

  get #nodes() {
    return /** @type {SVGGElement[]} */ ([...(this.#layer?.children ?? [])]);
  }

  /** Draw a layer over the board, or update the one that is there. @param {Area[]} areas @param {string} name @param {(node: SVGGElement, area: Area) => void} update */
  #draw(areas, name, update) {
    const { board } = this.#page.picture;
    if (!board || !areas.length) return this.clear();
    const key = (/** @type {Area[]} */ list) => list.map((area) => area.name).join();
    const isSame = this.#layer?.parentNode === board && this.#layer.classList.contains(name);
    if (!isSame || key(areas) !== key(this.#areas)) {
      this.clear();
      this.#areas = areas;
      this.#layer = makeSvg("g", { class: `count-layer ${name}` }, ...areas.map(makeArea));
      if (name === "count-areas") this.#listen(this.#layer);
      board.append(this.#layer);
    }
    for (const [index, node] of this.#nodes.entries()) update(node, areas[index]);
  }

  /** @param {SVGGElement} layer */
  #listen(layer) {
    const find = (/** @type {Event} */ event) => {
      const { target } = event;
      return this.#nodes.findIndex((node) => target instanceof Element && node.contains(target));
    };
    layer.addEventListener("click", (event) => {
      // The board itself would say that the game is over.
      event.stopPropagation();
      const index = find(event);
      if (index >= 0) this.#onTap(this.#areas[index]);
    });
    layer.addEventListener("focusin", (event) => {
      const index = find(event);
      for (const [each, node] of this.#nodes.entries()) node.tabIndex = each === index ? 0 : -1;
    });
    layer.addEventListener("keydown", (event) => this.#onKey(event, find(event)));
  }

  /** Move over the areas, or tap one. @param {KeyboardEvent} event @param {number} index */
  #onKey(event, index) {
    const node = this.#nodes[index];
    if (!node || hasModifier(event)) return;
    const arrow = ARROWS[event.key];
    if (arrow) {
      event.preventDefault();
      this.#findNeighbour(node, ...arrow)?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat) this.#onTap(this.#areas[index]);
    }
  }

  /** @param {SVGGElement} node @param {number} dx @param {number} dy */
  #findNeighbour(node, dx, dy) {
    const { geometry } = this.#page;
    const nodes = /** @type {SceneNode[]} */ (/** @type {unknown} */ (this.#nodes));
    const from = nodes[this.#nodes.indexOf(node)];
    return geometry.findNeighbour(nodes, from, dx, dy, { x: 0, y: 0 });
  }
}

/** Draw an area: where it is tapped, a frame, and a sign in its upper right corner. @param {Area} area */
function makeArea({ box: [x, y, width, height] }) {
  const side = Math.min(width, height);
  const gap = side / 12;
  const radius = side / 6.5;
  const [cx, cy] = [x + width - radius - gap / 2, y + radius + gap / 2];
  const frame = { x: x + gap, y: y + gap, width: width - 2 * gap, height: height - 2 * gap, rx: gap };
  return makeSvg(
    "g",
    { tabindex: "-1" },
    makeSvg("rect", { class: "area-hit", x, y, width, height }),
    makeSvg("rect", { class: "area-under", ...frame }),
    makeSvg("rect", { class: "area-frame", ...frame }),
    makeSvg("circle", { class: "area-badge", cx, cy, r: radius }),
    makeSvg("text", { class: "area-sign fc-label", x: cx, y: cy, dy: ".36em" }),
  );
}
