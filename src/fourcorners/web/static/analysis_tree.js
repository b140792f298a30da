// The tree of an analysis: moves, variations of any depth, and what is noted at each. It knows no page.

/** The judgements by their names in records: the sign of each, and what it says. @type {Record<string, [string, string]>} */
export const JUDGEMENTS = {
  best: ["‼", "best move"],
  good: ["!", "good move"],
  interesting: ["⁉", "interesting move"],
  inaccuracy: ["⁈", "inaccuracy"],
  mistake: ["?", "mistake"],
  blunder: ["⁇", "blunder"],
};
const MAX_UNDO = 100;

export class TreeMove {
  /** @type {TreeMove[]} */ children = [];
  comment = "";
  /** @type {string[]} */ marks = [];
  evaluation = "";

  /** @param {string} move empty at the start @param {Seat} seat @param {TreeMove | null} parent */
  constructor(move, seat, parent) {
    this.move = move;
    this.seat = seat;
    this.parent = parent;
  }

  /** The moves from the start to here. @returns {TreeMove[]} */
  get line() {
    const line = [];
    for (let node = /** @type {TreeMove} */ (this); node.parent; node = node.parent) line.push(node);
    return line.reverse();
  }

  /** The names of these moves. @returns {string[]} */
  get path() {
    return this.line.map((node) => node.move);
  }

  /** Whether this is the main move at its place. */
  get isMain() {
    return !this.parent || this.parent.children[0] === this;
  }

  /** Return another move at the same place, if there is one. @param {number} step how many places further */
  beside(step) {
    return this.parent?.children[this.parent.children.indexOf(this) + step];
  }

  /** The judgements of this move, each with its sign and what it says. */
  get judgements() {
    return this.marks.flatMap((mark) => (mark in JUDGEMENTS ? [JUDGEMENTS[mark]] : []));
  }
}

export class AnalysisTree {
  /** @type {TreeMove} */ root = new TreeMove("", -1, null);
  /** @type {TreeMove} the move whose position is shown */ current = this.root;
  /** How many moves of the main line cannot be deleted or displaced. */
  played = 0;
  /** Changes with the tree and its notes, but not with the current move. */
  version = 0;
  /** @type {string[]} */ #past = [];

  /** @param {FlatNode[]} nodes @param {number} played */
  constructor(nodes, played) {
    this.played = played;
    this.#read(nodes);
  }

  /** Take nodes in the order of the server. @param {FlatNode[]} nodes */
  #read(nodes) {
    const [start, ...moves] = nodes;
    this.version++;
    this.root = new TreeMove("", -1, null);
    takeNotes(this.root, start);
    /** @type {TreeMove[]} */ const ancestors = [this.root];
    for (const flat of moves) {
      const parent = ancestors[flat.depth - 1];
      const node = new TreeMove(flat.move, flat.seat, parent);
      takeNotes(node, flat);
      parent.children.push(node);
      ancestors[flat.depth] = node;
    }
    this.current = this.root;
  }

  /** All moves with their depths, in the order of the server. @returns {[TreeMove, number][]} */
  get #walked() {
    /** @type {[TreeMove, number][]} */ const walked = [];
    /** @type {[TreeMove, number][]} */ const stack = [[this.root, 0]];
    // No recursion: a line may be long.
    for (let next = stack.pop(); next; next = stack.pop()) {
      const [node, depth] = next;
      walked.push(next);
      for (const child of [...node.children].reverse()) stack.push([child, depth + 1]);
    }
    return walked;
  }

  /** Return all moves in the order of the server. @returns {FlatNode[]} */
  flatten() {
    return this.#walked.map(([{ move, seat, comment, marks, evaluation }, depth]) => {
      return { depth, move, seat, comment, marks, evaluation };
    });
  }

  /** The number of the current move in this order. */
  get number() {
    return this.#walked.findIndex(([node]) => node === this.current);
  }

  /** Return the move with a number in this order, or the start. @param {number} number */
  at(number) {
    return this.#walked[number]?.[0] ?? this.root;
  }

  /** Return the move that a path leads to, or as far as it does. @param {string[]} path */
  find(path) {
    let node = this.root;
    for (const move of path) {
      const child = node.children.find((each) => each.move === move);
      if (!child) break;
      node = child;
    }
    return node;
  }

  /** Return the move of the main line that has a number, counted from 1, or the last one before it. @param {number} ply */
  findPly(ply) {
    let node = this.root;
    for (let number = 0; number < ply && node.children.length; number++) node = node.children[0];
    return node;
  }

  /** Return the last move of the main line from here. @param {TreeMove} node */
  findEnd(node) {
    let end = node;
    while (end.children.length) end = end.children[0];
    return end;
  }

  /** Whether a move belongs to the game that is analysed. @param {TreeMove} node */
  isPlayed(node) {
    const { line } = node;
    return line.length > 0 && line.length <= this.played && line.every((each) => each.isMain);
  }

  /** Go to the end of a line after the current move; return whether any of it is new. @param {string[]} moves @param {Seat[]} seats */
  play(moves, seats) {
    const known = this.find([...this.current.path, ...moves]);
    const length = known.line.length - this.current.line.length;
    if (length < moves.length) this.#remember();
    this.current = known;
    for (const [index, move] of moves.slice(length).entries()) {
      const node = new TreeMove(move, seats[length + index] ?? -1, this.current);
      this.current.children.push(node);
      this.current = node;
    }
    return length < moves.length;
  }

  /** Whether the current move can be deleted: it is neither the start nor of the game. */
  get canRemove() {
    return this.current !== this.root && !this.isPlayed(this.current);
  }

  /** Delete the current move with all that follows. */
  remove() {
    const parent = /** @type {TreeMove} */ (this.current.parent);
    this.#remember();
    parent.children.splice(indexInParent(this.current), 1);
    this.current = parent;
  }

  /** Whether some move on the line to the current one can come before others at its place. */
  get canPromote() {
    return this.current.line.some((node, index) => indexInParent(node) > this.#findPlace(node, index));
  }

  /** Let the line to the current move come first wherever it branches off, behind the moves of the game. */
  promote() {
    const { line } = this.current;
    this.#remember();
    for (const [index, node] of line.entries()) {
      const place = this.#findPlace(node, index);
      const { children } = /** @type {TreeMove} */ (node.parent);
      children.splice(indexInParent(node), 1);
      children.splice(place, 0, node);
    }
  }

  /** Return the first place that a move may have among its siblings. @param {TreeMove} node @param {number} index in its line */
  #findPlace(node, index) {
    const [main] = /** @type {TreeMove} */ (node.parent).children;
    return node !== main && index < this.played && this.isPlayed(main) ? 1 : 0;
  }

  /** Note something at the current move. @param {Partial<Pick<TreeMove, "comment" | "marks" | "evaluation">>} notes */
  note(notes) {
    this.#remember();
    Object.assign(this.current, notes);
  }

  /** Keep what there is, for `undo`. */
  #remember() {
    this.version++;
    this.#past.push(JSON.stringify({ nodes: this.flatten(), path: this.current.path }));
    if (this.#past.length > MAX_UNDO) this.#past.shift();
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  /** Take the last change back; return whether there was one. */
  undo() {
    const past = this.#past.pop();
    if (past === undefined) return false;
    const { nodes, path } = JSON.parse(past);
    this.#read(nodes);
    this.current = this.find(path);
    return true;
  }
}

/** @param {TreeMove} node @param {FlatNode} flat */
function takeNotes(node, { comment, marks, evaluation }) {
  node.comment = comment;
  node.marks = marks;
  node.evaluation = evaluation;
}

/** @param {TreeMove} node a move, not the start */
function indexInParent(node) {
  return /** @type {TreeMove} */ (node.parent).children.indexOf(node);
}
