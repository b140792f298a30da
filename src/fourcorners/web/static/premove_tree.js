// Conditional premoves as a tree: moves that are expected of the others, and one reply to each. It knows no page.

import { TreeMove } from "./analysis_tree.js";

/** The most moves that the server keeps. */
export const MOST_MOVES = 64;

/** Return the root of the tree of some lines. @param {PremoveLine[]} lines @param {readonly (readonly (Seat | null)[])[]} movers */
export function buildTree(lines, movers) {
  const root = new TreeMove("", -1, null);
  for (const [index, line] of lines.entries()) {
    let node = root;
    for (const [place, move] of line.entries()) node = findChild(node, move) ?? add(node, move, movers[index]?.[place]);
  }
  return root;
}

/**
 * Add a line to a tree. A reply takes the place of another one to the same moves, and of all that follows it.
 * @param {TreeMove} root @param {PremoveLine} line @param {(Seat | null)[]} movers @param {Seat | null} seat whose replies they are
 */
export function addLine(root, line, movers, seat) {
  let node = root;
  for (const [place, move] of line.entries()) {
    const known = findChild(node, move);
    if (!known && movers[place] === seat) node.children = [];
    node = known ?? add(node, move, movers[place]);
  }
}

/** Return the move that a line leads to; null if it is not in the tree. @param {TreeMove} root @param {PremoveLine} line */
export function findMove(root, line) {
  let node = /** @type {TreeMove | null} */ (root);
  for (const move of line) node = node && findChild(node, move);
  return node;
}

/** Delete a move with all that follows it. @param {TreeMove} node */
export function prune(node) {
  if (node.parent) node.parent.children = node.parent.children.filter((each) => each !== node);
}

/** Return the lines of a tree, each up to the last reply of a seat, without those that others contain. @param {TreeMove} root @param {Seat | null} seat */
export function listLines(root, seat) {
  /** @type {string[][]} */ const lines = [];
  /** @type {TreeMove[]} */ const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    stack.push(...[...node.children].reverse());
    if (node.seat === seat && !node.children.some((child) => hasReply(child, seat))) lines.push(node.path);
  }
  return lines;
}

/** Whether a reply of a seat is in a branch. @param {TreeMove} node @param {Seat | null} seat @returns {boolean} */
function hasReply(node, seat) {
  return node.seat === seat || node.children.some((child) => hasReply(child, seat));
}

/** Return how many moves a tree has. @param {TreeMove} node @returns {number} */
export function countMoves(node) {
  return node.children.reduce((sum, child) => sum + 1 + countMoves(child), 0);
}

/**
 * Return a move with those after it up to the end of the seat's turn, or to where the others have a choice: the row that
 * shows it. @param {TreeMove} first @param {Seat | null} seat
 */
export function listRow(first, seat) {
  const row = [first];
  for (let node = first; node.children.length === 1; ) {
    const [next] = node.children;
    if (node.seat === seat && next.seat !== seat) break;
    row.push(next);
    node = next;
  }
  return row;
}

/** @param {TreeMove} node @param {string | null} move */
function findChild(node, move) {
  return node.children.find((each) => each.move === move) ?? null;
}

/** @param {TreeMove} node @param {string | null} move @param {Seat | null | undefined} mover */
function add(node, move, mover) {
  const child = new TreeMove(move ?? "", mover ?? -1, node);
  node.children.push(child);
  return child;
}
