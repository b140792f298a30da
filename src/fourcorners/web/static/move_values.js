// The exact value of every move, shown where the move is made: a badge with a colour, and words for screen readers.

import { makeSvg, rectangleBetween, screenScale, toSvgPoint } from "./dom.js";
import { cornerPairs, keyOf } from "./move_tree.js";
import { groupCorners, Overlays } from "./overlays.js";
import { formatMargin } from "./text.js";

const SHADES = 3;
// Heights of a badge in pixels.
const TALLEST = 22;
const SHORTEST_WITH_TEXT = 13;
const SHORTEST = 6;
const SMALLEST_TEXT = 11;

export class MoveValues {
  #page;
  #overlays = new Overlays();
  /** @type {Map<string, number>} */ #moves = new Map();
  /** @type {Map<string, number>} */ #best = new Map(); // the value of the best move with this beginning
  /** @type {Map<Token, number>} */ #corners = new Map(); // the value of the best rectangle with this corner
  /** @type {[number[], number[]]} the sizes of wins and of losses that occur, each once and sorted */
  #sizes = [[], []];
  #top = 0;
  /** @type {Counts} */ #counts = "margin";

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
  }

  /** Take the value of every move; without moves, hide all. @param {[string, number][]} moves @param {Counts} counts */
  set(moves, counts = "margin") {
    this.#counts = counts;
    for (const map of [this.#best, this.#moves, this.#corners]) map.clear();
    for (const [move, value] of moves) {
      const tokens = move.split(" ");
      this.#moves.set(move, value);
      for (let length = 0; length <= tokens.length; length++) raise(this.#best, keyOf(tokens.slice(0, length)), value);
      if (tokens.length !== 2) continue;
      for (const [corner] of cornerPairs(tokens[0], tokens[1])) raise(this.#corners, corner, value);
    }
    this.#top = this.#best.get("") ?? 0;
    const values = [...new Set(this.#moves.values())].sort((a, b) => a - b);
    const losses = values.filter((value) => value < 0).map((value) => -value);
    this.#sizes = [values.filter((value) => value > 0), losses.reverse()];
    this.refresh();
  }

  /** The values and what they count; null without any. */
  get listed() {
    return this.isKnown ? { moves: [...this.#moves], counts: this.#counts } : null;
  }

  get isKnown() {
    return this.#moves.size > 0;
  }

  /** Write a value as it stands on a badge: "+3", "−2", "W", "L". @param {number} value */
  text(value) {
    if (this.#counts === "win") return value > 0 ? "W" : "L";
    return formatMargin(value);
  }

  /** Say what a value means for the seat to move: "wins by 3, the best". @param {number} value */
  describe(value) {
    const meaning = this.describeOnly(value);
    return value === this.#top && this.#counts !== "win" ? `${meaning}, the best` : meaning;
  }

  /** Say what a value means, without saying whether it is the best. @param {number} value */
  describeOnly(value) {
    if (this.#counts === "win") return value > 0 ? "wins" : "loses";
    if (this.#counts === "rest") return `is worth ${formatMargin(value)}`;
    if (value === 0) return "draws";
    return value > 0 ? `wins by ${value}` : `loses by ${-value}`;
  }

  /** Return the classes of a value's badge; the more is won or lost, the darker. @param {number} value */
  className(value) {
    const sizes = this.#sizes[value > 0 ? 0 : 1];
    const rank = sizes.indexOf(Math.abs(value)) / (sizes.length - 1);
    const shade = sizes.length > 1 ? 1 + Math.round((SHADES - 1) * rank) : 2;
    const step = value === 0 ? "tie" : `${value > 0 ? "win" : "loss"}-${shade}`;
    // Where only winning counts, a lost position has no best move.
    const isBest = value === this.#top && !(this.#counts === "win" && value < 0);
    return `worth ${step}${isBest ? " best" : ""}`;
  }

  /** Return the value of what pointing at an element would choose now, or undefined. @param {SceneNode} node */
  getNodeValue(node) {
    const { token, gesture } = node.dataset;
    if (gesture === "span") return this.#getCornerValue(token);
    if (gesture === "carry") return this.#getPieceValue(token);
    if (gesture !== "drop") return this.getTokenValue(token);
    const { carried, prefix } = this.#page.input;
    if (!carried) return prefix.length ? this.getTokenValue(token) : undefined;
    return this.#best.get(keyOf(carried.isPrefix ? [token] : [carried.token, token]));
  }

  /** Return the value of the best rectangle with a corner, or of the one that it completes. @param {Token} token */
  #getCornerValue(token) {
    const { firstCorner, tree } = this.#page.input;
    if (firstCorner === null) return this.#corners.get(token);
    const move = token === firstCorner ? null : tree.rectangle(firstCorner, token);
    return move ? this.#best.get(keyOf(move)) : undefined;
  }

  /** Return the value of the best move with a piece. @param {Token} token the piece, or the beginning of several */
  #getPieceValue(token) {
    const isPiece = (/** @type {string} */ key) => key && !key.includes(" ") && key.startsWith(token);
    const values = [...this.#best].filter(([key]) => isPiece(key)).map(([, value]) => value);
    return this.#best.get(token) ?? (values.length ? Math.max(...values) : undefined);
  }

  /** Return the value of adding a token, or of replacing the last one of a whole move with it. @param {Token} token */
  getTokenValue(token) {
    const { prefix } = this.#page.input;
    const replacesLast = this.#moves.has(keyOf(prefix)) && !this.#best.has(keyOf([...prefix, token]));
    return this.#best.get(keyOf([...(replacesLast ? prefix.slice(0, -1) : prefix), token]));
  }

  /** Say what a move or its beginning is worth; empty if it is neither. @param {Token[]} tokens */
  describeMove(tokens) {
    const key = keyOf(tokens);
    const value = this.#moves.get(key);
    const best = this.#best.get(key);
    if (!key || best === undefined) return "";
    if (value === undefined) return `${key} … ${this.describeOnly(best)} at best.`;
    const sentence = `${key} ${this.describe(value)}.`;
    return best > value ? `${sentence} Continuing with ${key} … ${this.describe(best)}.` : sentence;
  }

  /** Draw the badges for what can be chosen now. */
  refresh() {
    this.#overlays.clear();
    if (!this.isKnown) return;
    const { picture, geometry, input } = this.#page;
    const nodes = picture.nodes().filter((node) => input.state(node) || input.isChosen(node));
    for (const svg of [picture.board, picture.tray]) {
      const here = nodes.filter((node) => node.ownerSVGElement === svg && this.getNodeValue(node) !== undefined);
      if (!svg || !here.length) continue;
      const spacing = here.length > 1 ? geometry.measureSpacing(here) : 60;
      const layer = this.#overlays.addLayer(svg, "worths");
      for (const node of here) {
        const value = this.getNodeValue(node) ?? 0;
        layer.append(this.#makeBadge(svg, node, value, spacing));
        this.#overlays.addLabel(node, this.describe(value));
      }
    }
  }

  /** Draw a badge. @param {SVGSVGElement} svg @param {SceneNode} node @param {number} value @param {number} spacing */
  #makeBadge(svg, node, value, spacing) {
    const pixel = 1 / screenScale(svg);
    const { width, height } = node.getBoundingClientRect();
    const [long, short] = [Math.max(width, height), Math.min(width, height)];
    // A long and thin element lies between others, which must stay visible.
    const room = long > 1.3 * short ? 0.3 * long : Infinity;
    const tall = Math.min(TALLEST, 0.46 * spacing, room);
    const text = tall < SHORTEST_WITH_TEXT ? "" : this.text(value);
    const high = (text ? tall : Math.max(SHORTEST, tall)) * pixel;
    const size = Math.max(SMALLEST_TEXT * pixel, 0.72 * high);
    const wide = Math.max(high, 0.76 * text.length * size + 0.55 * high);
    const { x, y } = toSvgPoint(svg, this.#page.geometry.centre(node));
    // A dot stays visible below its badge.
    const raised = node.dataset.gesture === "span" ? 0.34 * spacing * pixel : 0;
    const transform = `translate(${x.toFixed(2)} ${(y - raised).toFixed(2)})`;
    const shape = makeSvg("rect", { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: high / 2 });
    const label = text ? makeSvg("text", { y: 0.35 * size, "font-size": size }, text) : null;
    return makeSvg("g", { class: this.className(value), transform }, shape, label);
  }

  /** Mark the elements of a move and the rectangle between corners; null removes all. @param {string | null} move */
  showMove(move) {
    const { picture, geometry } = this.#page;
    const svg = picture.board;
    svg?.querySelector(":scope > .shown-band")?.remove();
    const tokens = move ? move.split(" ") : [];
    const nodes = picture.nodes();
    for (const node of nodes) node.classList.toggle("shown", tokens.includes(node.dataset.token));
    const shown = nodes.filter((node) => node.ownerSVGElement === svg && tokens.includes(node.dataset.token));
    if (!svg || !shown.length) return;
    const group = makeSvg("g", { class: "shown-band" });
    for (const marked of groupCorners(shown)) {
      const [first, last = first] = [marked[0], marked.at(-1)];
      const { width, height } = first.getBBox();
      const padding = first === last ? 0.3 * Math.min(width, height) + 6 : 0;
      const [a, b] = [first, last].map((node) => toSvgPoint(svg, geometry.centre(node)));
      group.append(makeSvg("rect", { ...rectangleBetween(a, b, padding), rx: padding }));
    }
    svg.append(group);
  }
}

/** Raise an entry to at least `value`. @param {Map<string, number>} map @param {string} key @param {number} value */
function raise(map, key, value) {
  map.set(key, Math.max(value, map.get(key) ?? -Infinity));
}
