// What every move is worth, shown where the move is made: a badge with the margin and a colour, and words for the ear.

import { Marks } from "./overlays.js";
import { spans } from "./move_tree.js";

const SVG = "http://www.w3.org/2000/svg";
const STEPS = 3;
const TALLEST = 22;
const LEAST_TEXT = 11;

const key = (tokens) => tokens.join(" ");

// A margin as it is written everywhere.
export function signed(worth) {
  return worth > 0 ? `+${worth}` : worth < 0 ? `−${-worth}` : "0";
}

export class Worths {
  #best = new Map(); // the worth of the best move that begins with these tokens
  #moves = new Map();
  #corners = new Map();
  #marks = new Marks();
  #sizes = [[], []]; // how much moves win by, and lose by: each once, in order
  #top = 0;
  #counts = "margin"; // or "win": nothing counts but to win; or "rest": the margin of what is left of the game

  constructor(picture, places, choosing) {
    Object.assign(this, { picture, places, choosing });
  }

  // Take the moves with their worth for the seat to move, or nothing.
  set(moves, counts = "margin") {
    this.#counts = counts;
    for (const map of [this.#best, this.#moves, this.#corners]) map.clear();
    for (const [move, worth] of moves) {
      const tokens = move.split(" ");
      this.#moves.set(move, worth);
      for (let i = 0; i <= tokens.length; i++) raise(this.#best, key(tokens.slice(0, i)), worth);
      if (tokens.length === 2) for (const [corner] of spans(...tokens)) raise(this.#corners, corner, worth);
    }
    this.#top = this.#best.get("") ?? 0;
    this.#sizes = [1, -1].map((sign) => [...new Set([...this.#moves.values()].filter((worth) => sign * worth > 0).map(Math.abs))].sort((a, b) => a - b));
    this.refresh();
  }

  get known() {
    return this.#moves.size > 0;
  }

  text(worth) {
    return this.#counts === "win" ? (worth > 0 ? "W" : "L") : signed(worth);
  }

  // What a worth means, for the seat to move.
  words(worth) {
    const best = worth === this.#top ? ", the best" : "";
    if (this.#counts === "win") return worth > 0 ? "wins" : "loses";
    if (this.#counts === "rest") return `is worth ${signed(worth)}${best}`;
    return `${worth > 0 ? `wins by ${worth}` : worth < 0 ? `loses by ${-worth}` : "ties"}${best}`;
  }

  kind(worth) {
    // The more is won or lost the darker, by what occurs here.
    const sizes = this.#sizes[worth > 0 ? 0 : 1];
    const shade = sizes.length > 1 ? 1 + Math.round(((STEPS - 1) * sizes.indexOf(Math.abs(worth))) / (sizes.length - 1)) : 2;
    const step = worth === 0 ? "tie" : `${worth > 0 ? "win" : "loss"}-${shade}`;
    // Where nothing counts but to win, a lost position has no best move.
    return `worth ${step}${worth === this.#top && !(this.#counts === "win" && worth < 0) ? " best" : ""}`;
  }

  // The worth of what somebody would choose by pointing at an element now; undefined if that is no move's beginning.
  at(node) {
    const { choosing } = this;
    const { token, gesture } = node.dataset;
    if (gesture === "span") {
      if (choosing.from === null) return this.#corners.get(token);
      return token === choosing.from ? undefined : this.#best.get(key(choosing.tokens.span(choosing.from, token) ?? ["-"]));
    }
    if (gesture === "carry") {
      const starts = [...this.#best].filter(([start]) => start && !start.includes(" ") && start.startsWith(token));
      return this.#best.get(token) ?? (starts.length ? Math.max(...starts.map(([, worth]) => worth)) : undefined);
    }
    if (gesture === "drop") {
      if (!choosing.carried) return choosing.prefix.length ? this.of(token) : undefined;
      return this.#best.get(key(choosing.carried.begins ? [token] : [choosing.carried.token, token]));
    }
    return this.of(token);
  }

  // The worth of going on with a token, or of taking it in place of the last one of a whole move.
  of(token) {
    const { prefix } = this.choosing;
    const last = this.#moves.has(key(prefix)) && !this.#best.has(key([...prefix, token]));
    return this.#best.get(key([...(last ? prefix.slice(0, -1) : prefix), token]));
  }

  // A sentence about a move or its beginning.
  sentence(tokens) {
    const start = key(tokens);
    const whole = this.#moves.get(start);
    const best = this.#best.get(start);
    if (!start || best === undefined) return "";
    if (whole === undefined) return `${start} … ${this.words(best)} at best.`;
    return `${start} ${this.words(whole)}.${best > whole ? ` Going on, ${start} … ${this.words(best)}.` : ""}`;
  }

  // Draw the badges for what has been chosen so far.
  refresh() {
    this.#marks.clear();
    if (!this.known) return;
    const { choosing, places } = this;
    const valued = [];
    for (const node of this.picture.nodes()) {
      const worth = choosing.state(node) || choosing.chosen(node) ? this.at(node) : undefined;
      if (worth !== undefined) valued.push([node, worth]);
    }
    for (const svg of [this.picture.board, this.picture.tray]) {
      const here = valued.filter(([node]) => node.ownerSVGElement === svg);
      if (!here.length) continue;
      const size = here.length > 1 ? places.pitch(here.map(([node]) => node)) : 60;
      const layer = this.#marks.layer(svg, "worths");
      for (const [node, worth] of here) {
        layer.append(this.#badge(svg, node, worth, size));
        this.#marks.add(node, this.words(worth));
      }
    }
  }

  #badge(svg, node, worth, pitch) {
    const matrix = svg.getScreenCTM();
    const pixel = 1 / matrix.a;
    const { width, height } = node.getBoundingClientRect();
    // What is long and narrow lies between things that are to be seen.
    const room = Math.max(width, height) > 1.3 * Math.min(width, height) ? 0.3 * Math.max(width, height) : Infinity;
    const tall = Math.min(TALLEST, 0.46 * pitch, room);
    const text = tall < LEAST_TEXT ? "" : this.text(worth);
    const centre = this.places.centre(node);
    const { x, y } = new DOMPoint(centre.x, centre.y).matrixTransform(matrix.inverse());
    const high = (text ? tall : Math.max(6, tall)) * pixel;
    const wide = Math.max(high, (0.55 * text.length + 0.55) * high);
    // A dot stays to be seen below its badge.
    const up = node.dataset.gesture === "span" ? 0.34 * pitch * pixel : 0;
    const badge = document.createElementNS(SVG, "g");
    badge.setAttribute("class", this.kind(worth));
    badge.setAttribute("transform", `translate(${x.toFixed(2)} ${(y - up).toFixed(2)})`);
    const shape = document.createElementNS(SVG, "rect");
    const values = { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: high / 2 };
    for (const [name, value] of Object.entries(values)) shape.setAttribute(name, value.toFixed(2));
    badge.append(shape);
    if (text) {
      const label = document.createElementNS(SVG, "text");
      label.setAttribute("y", (0.25 * high).toFixed(2));
      label.setAttribute("font-size", (0.72 * high).toFixed(2));
      label.append(text);
      badge.append(label);
    }
    return badge;
  }

  // Point at a whole move: its elements, and the rectangle between two corners.
  show(move) {
    const svg = this.picture.board;
    svg?.querySelector(":scope > .shown-band")?.remove();
    const tokens = move ? move.split(" ") : [];
    const nodes = this.picture.nodes();
    for (const node of nodes) node.classList.toggle("shown", tokens.includes(node.dataset.token));
    const corners = nodes.filter((node) => node.dataset.gesture === "span" && tokens.includes(node.dataset.token));
    const marks = corners.length === 2 ? [corners] : nodes.filter((node) => node.classList.contains("shown") && node.ownerSVGElement === svg).map((node) => [node]);
    if (!marks.length) return;
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "shown-band");
    const inverse = svg.getScreenCTM().inverse();
    for (const mark of marks) {
      const points = mark.map((node) => this.places.centre(node)).map(({ x, y }) => new DOMPoint(x, y).matrixTransform(inverse));
      const [a, b] = [points[0], points.at(-1)];
      const around = mark.length === 1 ? 0.3 * Math.min(mark[0].getBBox().width, mark[0].getBBox().height) + 6 : 0;
      const rect = document.createElementNS(SVG, "rect");
      rect.setAttribute("x", Math.min(a.x, b.x) - around);
      rect.setAttribute("y", Math.min(a.y, b.y) - around);
      rect.setAttribute("width", Math.abs(a.x - b.x) + 2 * around);
      rect.setAttribute("height", Math.abs(a.y - b.y) + 2 * around);
      rect.setAttribute("rx", around);
      group.append(rect);
    }
    svg.append(group);
  }
}

function raise(map, name, worth) {
  const before = map.get(name);
  if (before === undefined || worth > before) map.set(name, worth);
}
