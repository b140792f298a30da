// The moves of an analysis as text: the main line, and variations set apart, with comments and signs.

import { byId, closest, findAll, hasModifier, make, makeBadge, setOrRemove } from "./dom.js";
import { capitalise } from "./text.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */
/** What a sign says. @type {Record<string, string>} */
const WORDS = {
  best: "best move",
  good: "good move",
  interesting: "interesting move",
  inaccuracy: "inaccuracy",
  mistake: "mistake",
  blunder: "blunder",
};

export class TreeView {
  #place = byId("tree");
  #seats;
  #onChoose;
  /** @type {TreeMove[]} the moves by the numbers of their buttons */ #moves = [];

  /** @param {AnalysisSeats} seats @param {(node: TreeMove) => void} onChoose */
  constructor(seats, onChoose) {
    this.#seats = seats;
    this.#onChoose = onChoose;
    this.#place.addEventListener("click", (event) => {
      const button = closest(event, "[data-node]");
      if (button) this.#onChoose(this.#moves[Number(button.dataset.node)]);
    });
    // When the engine's lines appear, the list becomes shorter.
    new ResizeObserver(() => this.#reveal()).observe(this.#place);
    this.#place.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** @param {TreeMove} root @param {TreeMove} current */
  show(root, current) {
    const hadFocus = this.#place.contains(document.activeElement);
    this.#moves = [];
    const parts = root.comment ? [make("p", { class: "remark" }, root.comment)] : [];
    this.#place.replaceChildren(...parts, ...this.#makeLine(root, 1));
    byId("no-moves").hidden = root.children.length > 0;
    this.mark(current);
    if (hadFocus) this.focus();
  }

  /** Mark the move that is shown, and let Tab reach it. @param {TreeMove} current */
  mark(current) {
    const shown = this.#moves.indexOf(current);
    for (const button of findAll(this.#place, "[data-node]")) {
      const isShown = Number(button.dataset.node) === shown;
      setOrRemove(button, "aria-current", isShown ? "step" : "");
      button.tabIndex = isShown || (shown < 0 && button.dataset.node === "0") ? 0 : -1;
    }
    this.#reveal();
  }

  /** Scroll to the move that is shown, and to its comment. */
  #reveal() {
    const button = /** @type {HTMLElement | null} */ (this.#place.querySelector("[aria-current]"));
    if (!button) {
      this.#place.scrollTop = 0;
      return;
    }
    const below = button.parentElement?.nextElementSibling;
    if (below instanceof HTMLElement && below.matches(".remark")) scrollWithin(this.#place, below);
    scrollWithin(this.#place, button);
  }

  /** Move the focus to the move that is shown. */
  focus() {
    findAll(this.#place, '[tabindex="0"]')[0]?.focus({ preventScroll: true });
  }

  /** Make the moves after one, the main ones in a row, and below each its variations. @param {TreeMove} first @param {number} ply */
  #makeLine(first, ply) {
    /** @type {HTMLElement[]} */ const parts = [];
    let row = make("div", { class: "line-row" });
    let node = first;
    let number = ply;
    while (node.children.length) {
      const [main, ...others] = node.children;
      row.append(this.#makeMove(main, number));
      const below = [];
      if (main.comment) below.push(make("p", { class: "remark" }, main.comment));
      for (const other of others) below.push(this.#makeVariation(other, number));
      if (below.length) {
        parts.push(row, ...below);
        row = make("div", { class: "line-row" });
      }
      node = main;
      number++;
    }
    if (row.childElementCount) parts.push(row);
    return parts;
  }

  /** @param {TreeMove} node @param {number} ply @returns {HTMLElement} */
  #makeVariation(node, ply) {
    const label = `Variation at move ${ply}: ${node.move}`;
    const variation = make("div", { class: "variation", role: "group", "aria-label": label });
    const row = make("div", { class: "line-row" }, this.#makeMove(node, ply));
    variation.append(row);
    if (node.comment) variation.append(make("p", { class: "remark" }, node.comment));
    variation.append(...this.#makeLine(node, ply + 1));
    return variation;
  }

  /** @param {TreeMove} node @param {number} ply */
  #makeMove(node, ply) {
    const index = this.#moves.push(node) - 1;
    const words = node.marks.map((mark) => WORDS[mark]).filter(Boolean);
    const name = this.#seats.names[node.seat] ?? "";
    const notes = [...words, ...(node.comment ? ["with a comment"] : [])];
    const label = [`${ply}, ${name}: ${node.move}`, ...notes].join(", ");
    const sign = node.sign ? make("span", { class: "sign" }, node.sign) : null;
    const attributes = { type: "button", "data-node": index, tabindex: "-1", "aria-label": capitalise(label) };
    const parts = [make("span", { class: "number" }, String(ply)), makeBadge(Math.max(0, node.seat)), node.move, sign];
    return make("button", attributes, ...parts);
  }

  /** Step through the moves with the arrow keys. @param {KeyboardEvent} event */
  #onKey(event) {
    const button = closest(event, "[data-node]");
    if (!button || hasModifier(event)) return;
    const node = this.#moves[Number(button.dataset.node)];
    const siblings = node.parent?.children ?? [];
    const index = siblings.indexOf(node);
    /** @type {Record<string, TreeMove | null | undefined>} */ const targets = {
      ArrowLeft: node.parent,
      ArrowRight: node.children[0],
      ArrowUp: siblings[index - 1],
      ArrowDown: siblings[index + 1],
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    const target = targets[event.key];
    if (!target) return;
    this.#onChoose(target);
    this.focus();
  }
}

/** Scroll a list, and not the page, to one of its elements. @param {HTMLElement} list @param {HTMLElement} item */
function scrollWithin(list, item) {
  const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
}
