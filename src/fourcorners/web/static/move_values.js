// The exact value of every move, shown where the move is made: a badge with a colour, and words for screen readers.

/** @import { Counts, Token } from "./messages.js" */
/** @import { Geometry, SceneNode } from "./geometry.js" */
/** @import { MoveInput } from "./move_input.js" */
/** @import { Picture } from "./picture.js" */
import { makeSvg, screenMatrix, toSvgPoint } from "./dom.js";
import { cornerPairs } from "./move_tree.js";
import { groupCorners, Overlays } from "./overlays.js";
import { formatMargin } from "./text.js";

const SHADES = 3;
// Heights of a badge in pixels.
const TALLEST = 22;
const SHORTEST_WITH_TEXT = 11;
const SHORTEST = 6;

/** @param {Token[]} tokens */
const keyOf = (tokens) => tokens.join(" ");

export class MoveValues {
  #picture;
  #geometry;
  #input;
  #overlays = new Overlays();
  /** @type {Map<string, number>} */
  #moves = new Map();
  /** @type {Map<string, number>} the value of the best move with this beginning */
  #best = new Map();
  /** @type {Map<Token, number>} the value of the best rectangle with this corner */
  #corners = new Map();
  /** @type {[number[], number[]]} the sizes of wins and of losses that occur, each once and sorted */
  #sizes = [[], []];
  #top = 0;
  /** @type {Counts} */
  #counts = "margin";

  /**
   * @param {Picture} picture
   * @param {Geometry} geometry
   * @param {MoveInput} input
   */
  constructor(picture, geometry, input) {
    this.#picture = picture;
    this.#geometry = geometry;
    this.#input = input;
  }

  /**
   * Take the value of every move for the seat to move; an empty list hides all values.
   * @param {[string, number][]} moves
   * @param {Counts} counts
   */
  set(moves, counts = "margin") {
    this.#counts = counts;
    for (const map of [this.#best, this.#moves, this.#corners]) map.clear();
    for (const [move, value] of moves) {
      const tokens = move.split(" ");
      this.#moves.set(move, value);
      for (let length = 0; length <= tokens.length; length++) raise(this.#best, keyOf(tokens.slice(0, length)), value);
      if (tokens.length === 2) {
        for (const [corner] of cornerPairs(tokens[0], tokens[1])) raise(this.#corners, corner, value);
      }
    }
    this.#top = this.#best.get("") ?? 0;
    const values = [...new Set(this.#moves.values())];
    this.#sizes = [
      ascending(values.filter((value) => value > 0)),
      ascending(values.map((value) => -value).filter((value) => value > 0)),
    ];
    this.refresh();
  }

  get isKnown() {
    return this.#moves.size > 0;
  }

  /**
   * Write a value as it stands on a badge: "+3", "−2", "W", "L".
   * @param {number} value
   */
  text(value) {
    if (this.#counts === "win") return value > 0 ? "W" : "L";
    return formatMargin(value);
  }

  /**
   * Say what a value means for the seat to move: "wins by 3, the best".
   * @param {number} value
   */
  describe(value) {
    const meaning = this.describeOnly(value);
    return value === this.#top && this.#counts !== "win" ? `${meaning}, the best` : meaning;
  }

  /**
   * Say what a value means, without saying whether it is the best.
   * @param {number} value
   */
  describeOnly(value) {
    if (this.#counts === "win") return value > 0 ? "wins" : "loses";
    if (this.#counts === "rest") return `is worth ${formatMargin(value)}`;
    if (value === 0) return "ties";
    return value > 0 ? `wins by ${value}` : `loses by ${-value}`;
  }

  /**
   * Return the classes of a value's badge: the more is won or lost, the darker, relative to the values that occur.
   * @param {number} value
   */
  className(value) {
    const sizes = this.#sizes[value > 0 ? 0 : 1];
    const rank = sizes.indexOf(Math.abs(value)) / (sizes.length - 1);
    const shade = sizes.length > 1 ? 1 + Math.round((SHADES - 1) * rank) : 2;
    const step = value === 0 ? "tie" : `${value > 0 ? "win" : "loss"}-${shade}`;
    // Where only winning counts, a lost position has no best move.
    const isBest = value === this.#top && !(this.#counts === "win" && value < 0);
    return `worth ${step}${isBest ? " best" : ""}`;
  }

  /**
   * Return the value of what pointing at an element would choose now; undefined if it begins no move.
   * @param {SceneNode} node
   * @returns {number | undefined}
   */
  ofNode(node) {
    const { token, gesture } = node.dataset;
    if (gesture === "span") return this.#ofCorner(token);
    if (gesture === "carry") return this.#ofPiece(token);
    if (gesture !== "drop") return this.ofToken(token);
    const { carried, prefix } = this.#input;
    if (!carried) return prefix.length ? this.ofToken(token) : undefined;
    return this.#best.get(keyOf(carried.isPrefix ? [token] : [carried.token, token]));
  }

  /** @param {Token} token */
  #ofCorner(token) {
    const { firstCorner, tree } = this.#input;
    if (firstCorner === null) return this.#corners.get(token);
    const move = token === firstCorner ? null : tree.rectangle(firstCorner, token);
    return move ? this.#best.get(keyOf(move)) : undefined;
  }

  /** @param {Token} token a piece of the tray, or the beginning of several */
  #ofPiece(token) {
    const isPiece = (/** @type {string} */ key) => key && !key.includes(" ") && key.startsWith(token);
    const values = [...this.#best].flatMap(([key, value]) => (isPiece(key) ? [value] : []));
    return this.#best.get(token) ?? (values.length ? Math.max(...values) : undefined);
  }

  /**
   * Return the value of adding a token, or of putting it in the place of the last one of a whole move.
   * @param {Token} token
   * @returns {number | undefined}
   */
  ofToken(token) {
    const { prefix } = this.#input;
    const replacesLast = this.#moves.has(keyOf(prefix)) && !this.#best.has(keyOf([...prefix, token]));
    return this.#best.get(keyOf([...(replacesLast ? prefix.slice(0, -1) : prefix), token]));
  }

  /**
   * Say what a move or its beginning is worth; empty if it is neither.
   * @param {Token[]} tokens
   * @returns {string}
   */
  sentence(tokens) {
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
    /** @type {[SceneNode, number][]} */
    const valued = [];
    for (const node of this.#picture.nodes()) {
      const value = this.#input.state(node) || this.#input.isChosen(node) ? this.ofNode(node) : undefined;
      if (value !== undefined) valued.push([node, value]);
    }
    for (const svg of [this.#picture.board, this.#picture.tray]) {
      const here = valued.filter(([node]) => node.ownerSVGElement === svg);
      if (!svg || !here.length) continue;
      const spacing = here.length > 1 ? this.#geometry.spacing(here.map(([node]) => node)) : 60;
      const layer = this.#overlays.addLayer(svg, "worths");
      for (const [node, value] of here) {
        layer.append(this.#makeBadge(svg, node, value, spacing));
        this.#overlays.addLabel(node, this.describe(value));
      }
    }
  }

  /**
   * @param {SVGSVGElement} svg
   * @param {SceneNode} node
   * @param {number} value
   * @param {number} spacing the distance between neighbouring badges, in pixels
   */
  #makeBadge(svg, node, value, spacing) {
    const pixel = 1 / screenMatrix(svg).a;
    const { width, height } = node.getBoundingClientRect();
    const [long, short] = [Math.max(width, height), Math.min(width, height)];
    // A long and thin element lies between others, which must stay visible.
    const room = long > 1.3 * short ? 0.3 * long : Infinity;
    const tall = Math.min(TALLEST, 0.46 * spacing, room);
    const text = tall < SHORTEST_WITH_TEXT ? "" : this.text(value);
    const high = (text ? tall : Math.max(SHORTEST, tall)) * pixel;
    const wide = Math.max(high, (0.55 * text.length + 0.55) * high);
    const { x, y } = toSvgPoint(svg, this.#geometry.centre(node));
    // A dot stays visible below its badge.
    const raised = node.dataset.gesture === "span" ? 0.34 * spacing * pixel : 0;
    const badge = makeSvg("g", {
      class: this.className(value),
      transform: `translate(${x.toFixed(2)} ${(y - raised).toFixed(2)})`,
    });
    badge.append(makeSvg("rect", { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: high / 2 }));
    if (text) badge.append(makeSvg("text", { y: 0.25 * high, "font-size": 0.72 * high }, text));
    return badge;
  }

  /**
   * Mark the elements of a whole move, and the rectangle between two corners; null removes the marks.
   * @param {string | null} move
   */
  showMove(move) {
    const svg = this.#picture.board;
    svg?.querySelector(":scope > .shown-band")?.remove();
    const tokens = move ? move.split(" ") : [];
    const nodes = this.#picture.nodes();
    for (const node of nodes) node.classList.toggle("shown", tokens.includes(node.dataset.token));
    const shown = nodes.filter((node) => node.ownerSVGElement === svg && tokens.includes(node.dataset.token));
    if (!svg || !shown.length) return;
    const group = makeSvg("g", { class: "shown-band" });
    for (const marked of groupCorners(shown)) {
      const points = marked.map((node) => toSvgPoint(svg, this.#geometry.centre(node)));
      const [a, b] = [points[0], points[points.length - 1]];
      const box = marked[0].getBBox();
      const padding = marked.length === 1 ? 0.3 * Math.min(box.width, box.height) + 6 : 0;
      group.append(
        makeSvg("rect", {
          x: Math.min(a.x, b.x) - padding,
          y: Math.min(a.y, b.y) - padding,
          width: Math.abs(a.x - b.x) + 2 * padding,
          height: Math.abs(a.y - b.y) + 2 * padding,
          rx: padding,
        }),
      );
    }
    svg.append(group);
  }
}

/** @param {number[]} numbers */
function ascending(numbers) {
  return [...numbers].sort((a, b) => a - b);
}

/**
 * Raise a map's value to at least `value`.
 * @param {Map<string, number>} map
 * @param {string} key
 * @param {number} value
 */
function raise(map, key, value) {
  const old = map.get(key);
  if (old === undefined || value > old) map.set(key, value);
}
