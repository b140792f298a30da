// Marks on the board: circles, crosses, squares and arrows at places, drawn over the picture.

import { makeSvg, screenScale, toSvgPoint } from "./dom.js";

/** How many places each kind of mark has. @type {Record<string, number>} */
export const SHAPES = { circle: 1, cross: 1, square: 1, arrow: 2 };
const LEAST_RADIUS = 9;
const ARROW_HEAD = 13;

/** Return the element of a board that is called by a token or an id, or null. @param {SVGSVGElement} board @param {string} place */
function findPlace(board, place) {
  const name = CSS.escape(place);
  return /** @type {SVGGraphicsElement | null} */ (
    board.querySelector(`:scope > [data-token="${name}"]`) ?? board.querySelector(`:scope > [id="${name}"]`)
  );
}

/** Return the name of the place that an event means: a token or, where no move begins, an id. @param {MouseEvent | KeyboardEvent} event @param {SVGSVGElement} board */
export function nameEventPlace(event, board) {
  const target = event.target instanceof Element ? event.target.closest("svg > g") : null;
  if (!(target instanceof SVGElement) || target.ownerSVGElement !== board) return "";
  const named = target.getAttribute("aria-label") || target.dataset.token;
  return named ? (target.dataset.token ?? target.id) : "";
}

/** Draw marks over a board, instead of those before. @param {SVGSVGElement | null} board @param {string[]} marks */
export function drawMarks(board, marks) {
  board?.querySelector(":scope > .marks-layer")?.remove();
  if (!board) return;
  const layer = makeSvg("g", { class: "marks-layer", "aria-hidden": "true" });
  for (const mark of marks) {
    const [kind, ...names] = mark.split(" ");
    if (SHAPES[kind] !== names.length) continue;
    const nodes = names.map((name) => findPlace(board, name));
    if (nodes.every((node) => node !== null)) layer.append(...drawMark(board, kind, nodes));
  }
  if (layer.childElementCount) board.append(layer);
}

/** @param {SVGSVGElement} board @param {string} kind @param {SVGGraphicsElement[]} nodes */
function drawMark(board, kind, nodes) {
  const pixel = 1 / screenScale(board);
  const [a, b] = nodes.map((node) => measure(board, node));
  const radius = Math.max(a.radius, LEAST_RADIUS * pixel);
  if (kind === "arrow") return drawTwice("path", { d: traceArrow(a, b, ARROW_HEAD * pixel) });
  if (kind === "circle") return drawTwice("circle", { cx: a.x, cy: a.y, r: radius });
  if (kind === "square") {
    return drawTwice("rect", { x: a.x - radius, y: a.y - radius, width: 2 * radius, height: 2 * radius });
  }
  const arm = 0.8 * radius;
  const ends = `M${a.x - arm} ${a.y - arm}L${a.x + arm} ${a.y + arm}M${a.x - arm} ${a.y + arm}L${a.x + arm} ${a.y - arm}`;
  return drawTwice("path", { d: ends });
}

/** Draw a shape over a wider one, so that it is seen on any ground. @param {"path" | "circle" | "rect"} name @param {Attributes} attributes */
function drawTwice(name, attributes) {
  return ["under", "over"].map((layer) => makeSvg(name, { ...attributes, class: layer }));
}

/** Return the centre of an element and how large a mark on it is. @param {SVGSVGElement} board @param {SVGGraphicsElement} node */
function measure(board, node) {
  const { left, top, width, height } = node.getBoundingClientRect();
  const { x, y } = toSvgPoint(board, { x: left + width / 2, y: top + height / 2 });
  return { x, y, radius: (0.34 * Math.min(width, height)) / screenScale(board) };
}

/** @param {Point} a @param {Point} b @param {number} head its length */
function traceArrow(a, b, head) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const wing = (/** @type {number} */ side) =>
    `${(b.x - head * dx - side * 0.6 * head * dy).toFixed(1)} ${(b.y - head * dy + side * 0.6 * head * dx).toFixed(1)}`;
  return `M${a.x.toFixed(1)} ${a.y.toFixed(1)}L${b.x.toFixed(1)} ${b.y.toFixed(1)}M${wing(1)}L${b.x.toFixed(1)} ${b.y.toFixed(1)}L${wing(-1)}`;
}

/** Add a mark, or remove it if it is there. @param {string[]} marks @param {string} mark */
export function toggleMark(marks, mark) {
  return marks.includes(mark) ? marks.filter((each) => each !== mark) : [...marks, mark];
}
