// The move being chosen: its tokens so far, what is carried and how it is rotated, and what can be chosen next.

import { Emitter } from "./events.js";
import { cornerPairs, MoveTree, ROTATION } from "./move_tree.js";

/** A token made of points, such as C4D4 or #C4. */
const POINTS = /^#?([a-z]+[0-9]+)+$/i;

/** @extends {Emitter<MoveInputEvents>} */
export class MoveInput extends Emitter {
  #picture;
  #game;
  /** @type {MoveSource} */ #source;
  isMine = false; // whether it is the turn of someone at this screen
  isBusy = false; // whether a move is on its way to the server
  needsConfirmation = false; // whether every move has to be confirmed
  isExploring = false; // whether moves are tried on the board and never played
  /** @type {Token[]} */ prefix = []; // the tokens chosen so far
  /** @type {CarriedPiece | null} */ carried = null;
  rotation = 0; // of the carried piece, in quarter turns
  /** @type {Token | null} */ firstCorner = null; // the first corner of a rectangle
  /** @type {Token | null} */ #pointed = null; // the element that was chosen last
  awaitsConfirmation = false; // whether a whole move waits to be confirmed
  /** @type {Record<string, string>} */ #effects = {}; // what moves do that must be told before they are played

  /** @param {Picture} picture @param {MoveSource} game */
  constructor(picture, game) {
    super();
    this.#picture = picture;
    this.#game = game;
    this.#source = game;
    const complete = (/** @type {Token[]} */ tokens) => this.#source.complete(tokens);
    this.tree = new MoveTree(complete, () => this.#emitChange());
  }

  #clear() {
    this.prefix = [];
    this.carried = null;
    this.rotation = 0;
    this.firstCorner = null;
    this.#pointed = null;
    this.awaitsConfirmation = false;
  }

  #emitChange() {
    this.emit("change", null);
  }

  /**
   * Take the moves of a new position and drop what was chosen.
   * @param {string[] | null} moves null if there are too many to send @param {boolean} isMine
   * @param {{ isExploring?: boolean, source?: MoveSource, effects?: Record<string, string> }} options
   */
  reset(moves, isMine, { isExploring = false, source = this.#game, effects = {} } = {}) {
    this.#effects = effects;
    this.isMine = isMine;
    this.isExploring = isExploring;
    this.#source = source;
    this.#clear();
    this.tree.reset(isMine ? moves : []);
    this.#emitChange();
  }

  /** Drop what was chosen. */
  cancel() {
    if (this.isBusy || !this.isActive) return;
    this.#clear();
    this.#emitChange();
  }

  /** Whether something can be chosen now. */
  get isOpen() {
    return this.isMine && !this.isBusy && (this.isExploring || this.isPremoving || !this.#picture.isPast);
  }

  /** Whether moves are chosen for later. */
  get isPremoving() {
    return this.#source !== this.#game;
  }

  /** Stop asking for confirmation: the move that waits for it is played. */
  trust() {
    this.needsConfirmation = false;
    if (this.awaitsConfirmation && !this.isBusy) this.play();
  }

  /** Whether a piece has been picked up that lies nowhere yet. */
  get isCarrying() {
    return this.carried !== null && this.prefix.length < (this.carried.isPrefix ? 1 : 2);
  }

  /** Whether something has been chosen. */
  get isActive() {
    return Boolean(this.prefix.length || this.carried || this.firstCorner);
  }

  /** Choose a whole move at once, to look at it. @param {string} move */
  show(move) {
    this.#clear();
    this.prefix = move.split(" ");
    this.#emitChange();
  }

  /** The tokens that the next one follows: of a whole move that is being tried, all but the last. */
  get #base() {
    const continuation = this.isExploring && this.prefix.length ? this.tree.continuation(this.prefix) : null;
    return continuation?.isMove && !continuation.next.size ? this.prefix.slice(0, -1) : this.prefix;
  }

  /** @returns {Set<Token>} the tokens that can come next */
  get #next() {
    return this.tree.continuation(this.#base)?.next ?? new Set();
  }

  /** @returns {Set<Token>} the tokens that begin a move */
  get #first() {
    return this.tree.continuation([])?.next ?? new Set();
  }

  /** Return the elements that pointer and arrow keys go to at this moment. @returns {SceneNode[]} */
  targets() {
    const nodes = this.#picture.nodes();
    const tray = nodes.filter((node) => node.dataset.gesture === "carry");
    const drops = nodes.filter((node) => node.dataset.gesture === "drop");
    const picks = nodes.filter((node) => node.dataset.gesture === "pick" || node.dataset.gesture === "span");
    const isDropped = this.carried?.isPrefix && this.prefix.length > 0;
    const placesFirst = (this.carried && !isDropped) || !picks.length;
    return [...(placesFirst ? drops : picks), ...tray];
  }

  /** Return "can" if an element can be chosen, "turned" if only after rotating, or "". @param {SceneNode} node */
  state(node) {
    if (!this.isOpen) return "";
    const { token, gesture } = node.dataset;
    if (gesture === "drop") return this.#dropState(token);
    if (gesture === "span") return this.#canBeCorner(token) ? "can" : "";
    if (gesture === "carry") return this.#canCarry(token) ? "can" : "";
    const mustPlaceFirst = this.carried?.isPrefix && !this.prefix.length;
    return !mustPlaceFirst && this.#next.has(token) ? "can" : "";
  }

  /** Return the state of a place on which a piece can be put. @param {Token} token */
  #dropState(token) {
    const { carried, tree } = this;
    // A move that is tried may come from a hand that is not shown.
    if (!carried) return this.isExploring && this.#base.length && this.#next.has(token) ? "can" : "";
    if (carried.isPrefix) {
      return !this.prefix.length && token.startsWith(carried.token) && this.#first.has(token) ? "can" : "";
    }
    if (!tree.continuation([carried.token])?.next.has(token)) return "";
    if (!tree.isComplete) return "can";
    const next = [...(tree.continuation([carried.token, token])?.next ?? [])];
    const mustRotate = next.length > 0 && next.every((name) => ROTATION.test(name));
    return mustRotate && !next.includes(`r${this.rotation}`) ? "turned" : "can";
  }

  /** Return whether an element can be the first corner, or the second one. @param {Token} token */
  #canBeCorner(token) {
    if (this.firstCorner === null) return this.tree.corners()?.has(token) ?? true;
    if (token === this.firstCorner || !this.tree.isComplete) return true;
    return Boolean(this.tree.rectangle(this.firstCorner, token));
  }

  /** @param {Token} token */
  #canCarry(token) {
    const first = this.#first;
    return first.has(token) || (token.length < 2 && [...first].some((name) => name.startsWith(token)));
  }

  /** Return whether an element is part of what has been chosen. @param {SceneNode} node */
  isChosen(node) {
    const { token, gesture } = node.dataset;
    if (gesture === "carry") return this.carried?.token === token;
    return this.prefix.includes(token) || this.firstCorner === token;
  }

  /** The rotations that make sense for the carried piece, in quarter turns. @returns {number[]} */
  get rotations() {
    if (!this.carried || this.carried.isPrefix || this.prefix.length > 1) return [];
    return this.tree.rotations(this.carried.token) ?? [0, 1, 2, 3];
  }

  /** Rotate the carried piece to its next rotation. @param {1 | -1} step */
  rotate(step) {
    const rotations = this.rotations;
    if (rotations.length < 2) return;
    const index = rotations.indexOf(this.rotation) + step;
    this.rotation = rotations[(index + rotations.length) % rotations.length];
    this.#emitChange();
  }

  /** Choose the element at which someone points. @param {SceneNode} node */
  async point(node) {
    if (this.isBusy) return;
    const { token, gesture } = node.dataset;
    // The same place again confirms the move.
    if (this.awaitsConfirmation && token === this.#pointed) return this.play();
    this.#pointed = token;
    if (!this.isMine) this.emit("not-mine", { text: this.describe(node), node });
    else if (gesture === "span") await this.#chooseCorner(token, node);
    else if (gesture === "carry") this.#carry(token, node);
    else if (gesture === "drop") await this.#drop(token, node);
    else await this.#pick(token, node);
  }

  /** @param {SceneNode} node */
  #askWhy(node) {
    this.emit("why", { text: this.describe(node), node });
  }

  /** Pick a piece up, or put it back. @param {Token} token @param {SceneNode} node */
  #carry(token, node) {
    const isPutBack = this.carried?.token === token;
    if (!isPutBack && !this.#canCarry(token)) return this.#askWhy(node);
    this.#clear();
    if (!isPutBack) {
      const isToken = this.#first.has(token);
      this.carried = { token, isPrefix: !isToken };
      if (isToken) this.prefix = [token];
      this.rotation = this.rotations[0] ?? 0;
    }
    this.#emitChange();
  }

  /** Put the carried piece on a place, as it is rotated if it fits. @param {Token} token @param {SceneNode} node */
  async #drop(token, node) {
    if (!this.state(node)) return this.#askWhy(node);
    if (!this.carried) return this.choose(token);
    this.prefix = this.carried.isPrefix ? [] : [this.carried.token];
    await this.choose(token);
    const rotation = `r${this.rotation}`;
    const next = this.tree.continuation(this.prefix)?.next;
    if (next?.has(rotation) && this.prefix.length === 2) await this.choose(rotation);
  }

  /** Choose or drop the first corner, or complete the rectangle. @param {Token} token @param {SceneNode} node */
  async #chooseCorner(token, node) {
    const { firstCorner } = this;
    if (firstCorner === null) {
      if (this.isExploring) this.prefix = [];
      if (this.state(node)) this.firstCorner = token;
      else this.#askWhy(node);
    } else if (token === firstCorner) {
      this.firstCorner = null;
    } else {
      const text = this.describe(node);
      const move = await this.tree.resolveRectangle(firstCorner, token);
      if (move) {
        this.prefix = move;
        return this.#finish();
      }
      this.emit("why", { text, node });
    }
    this.#emitChange();
  }

  /** Begin a rectangle at a corner, even if no move has it: at the opposite corner it is told why. @param {Token} token */
  beginRectangle(token) {
    if (this.isExploring) this.prefix = [];
    this.firstCorner = token;
    this.#emitChange();
  }

  /** Choose an element that stands for a token. @param {Token} token @param {SceneNode} node */
  async #pick(token, node) {
    if (this.#next.has(token) && this.state(node)) return this.choose(token);
    // Someone may mean another beginning, but a change of mind must not play a whole move at once.
    const beginnings = this.prefix.map((_, length) => this.prefix.slice(0, length)).reverse();
    const meant = beginnings.find((beginning) => {
      const continuation = this.tree.continuation([...beginning, token]);
      const isSafe = continuation?.next.size || this.needsConfirmation || this.isExploring;
      return isSafe && this.tree.continuation(beginning)?.next.has(token);
    });
    if (!meant) return this.#askWhy(node);
    this.prefix = meant;
    await this.choose(token);
  }

  /** Return what the move does, if only one begins with these tokens. @param {Token[]} tokens */
  effect(tokens) {
    return this.#effects[this.tree.onlyMove(tokens) ?? ""] ?? "";
  }

  /**
   * Add a token. A single choice that is left on a button is made at once, unless its effect must be told before.
   * @param {Token} token @param {{ isTold?: boolean }} options `isTold` if a button with that effect was pressed
   */
  async choose(token, { isTold = false } = {}) {
    this.prefix = [...this.#base, token];
    this.awaitsConfirmation = false;
    const continuation = await this.tree.resolve(this.prefix);
    const [only] = continuation.next;
    const isForced = !continuation.isMove && continuation.next.size === 1 && this.buttons().includes(only);
    const canGoOn = isTold || !this.effect(this.prefix);
    if (isForced && canGoOn) await this.choose(only, { isTold });
    else await this.#finish();
  }

  /** Play a whole move that cannot continue, or ask for its confirmation. */
  async #finish() {
    const continuation = await this.tree.resolve(this.prefix);
    const isMove = continuation.isMove || this.firstCorner !== null;
    if (isMove && this.isExploring) {
      this.firstCorner = null;
    } else if (isMove && !continuation.next.size) {
      if (!this.needsConfirmation) {
        this.play();
        return;
      }
      this.awaitsConfirmation = true;
    }
    this.#emitChange();
  }

  /** Return whether the next token is the rotation of the carried piece. */
  mustRotate() {
    const isPlaced = this.carried && !this.carried.isPrefix && this.prefix.length === 2;
    return Boolean(isPlaced && [...this.#next].some((token) => ROTATION.test(token)));
  }

  /** Return the tokens that can come next and that no element stands for. @returns {Token[]} */
  buttons() {
    if (!this.isMine || this.firstCorner !== null) return [];
    const drawn = new Set(this.#picture.nodes().map((node) => node.dataset.token));
    return [...this.#next].filter((token) => !drawn.has(token)).sort();
  }

  /** What all choices of `buttons` do alike, "" if they differ or there is only one. */
  get sharedEffect() {
    const effects = this.buttons().map((token) => this.effect([...this.prefix, token]));
    return effects.length > 1 && effects.every((effect) => effect === effects[0]) ? effects[0] : "";
  }

  /** What the move does that is complete so far, beyond what its tokens say. */
  get playedEffect() {
    return this.#effects[this.prefix.join(" ")] ?? "";
  }

  /** Whether the tokens so far can be played as they are, although more may follow. */
  get isPlayable() {
    if (this.isExploring || !this.prefix.length) return false;
    return this.awaitsConfirmation || Boolean(this.tree.continuation(this.prefix)?.isMove);
  }

  /**
   * Return a typed move in its own spelling: capitals and small letters are the same where one move can be meant.
   * @param {string} text
   */
  async read(text) {
    const typed = text.split(/\s+/).filter(Boolean);
    /** @type {Token[]} */ const read = [];
    for (const token of typed) {
      const next = [...(await this.tree.resolve(read)).next];
      const alike = next.includes(token) ? [token] : next.filter((each) => each.toLowerCase() === token.toLowerCase());
      if (alike.length !== 1) break;
      read.push(alike[0]);
    }
    // What cannot be played is refused for another reason than the spelling of its points.
    const rest = typed.slice(read.length).map((token) => (POINTS.test(token) ? token.toLowerCase() : token));
    return [...read, ...rest].join(" ");
  }

  /** Play a whole move, or let it be confirmed. @param {string} move a legal one */
  take(move) {
    this.#clear();
    this.prefix = move.split(" ");
    this.awaitsConfirmation = this.needsConfirmation;
    if (this.awaitsConfirmation) this.#emitChange();
    else this.play();
  }

  async play() {
    const move = this.prefix.join(" ");
    this.awaitsConfirmation = false;
    this.emit("played", null);
    await this.follow(move, this.#source.play(move));
  }

  /** Wait for a move's answer; report a loss. @param {string} move @param {Promise<MoveResult>} result */
  async follow(move, result) {
    this.isBusy = true;
    this.#emitChange();
    const { type, sentence } = await result;
    this.isBusy = false;
    const isLost = type !== "done";
    if (isLost) this.#clear();
    this.#emitChange();
    if (isLost) this.emit("lost-move", { move, sentence: sentence ?? "" });
  }

  /** Return the move, or its beginning, that pointing at an element means now. @param {SceneNode} node */
  describe(node) {
    const { token, gesture } = node.dataset;
    const isSecondCorner = gesture === "span" && this.firstCorner !== null && token !== this.firstCorner;
    if (isSecondCorner) return cornerPairs(/** @type {Token} */ (this.firstCorner), token)[0].join(" ");
    return [...this.prefix, token].join(" ");
  }
}
