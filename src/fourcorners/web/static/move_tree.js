// The legal moves as a tree of tokens: what may follow what has been chosen. It knows no game and no page.

/**
 * What may follow a beginning of moves.
 * @typedef {object} Continuation
 * @property {Set<Token>} next the tokens that may follow
 * @property {boolean} isMove whether the beginning is a legal move itself
 */

/**
 * Asks the server what may follow some tokens; null if the connection was lost.
 * @callback FetchContinuation
 * @param {Token[]} tokens
 * @returns {Promise<{ next?: Token[] | null, move?: boolean | null } | null>}
 */

const POINT = /^([a-z]+)([0-9]+)$/;
/** A token that rotates a piece, by this many quarter turns clockwise. */
export const ROTATION = /^r([0-3])$/;

/** @param {Token[]} tokens */
const keyOf = (tokens) => tokens.join(" ");

/** @returns {Continuation} */
const nothing = () => ({ next: new Set(), isMove: false });

/** Return how a token rotates a piece, in quarter turns, or null if it does not. @param {Token} token */
export function parseRotation(token) {
  const match = ROTATION.exec(token);
  return match && Number(match[1]);
}

export class MoveTree {
  #fetchContinuation;
  #onFetched;
  /** @type {string[] | null} */
  #moves = null;
  /** @type {Map<string, Continuation>} */
  #continuations = new Map();
  /** @type {Map<string, Promise<Continuation | null>>} the requests without an answer */
  #pending = new Map();

  /** @param {FetchContinuation} fetchContinuation @param {() => void} onFetched called when an answer has arrived */
  constructor(fetchContinuation, onFetched) {
    this.#fetchContinuation = fetchContinuation;
    this.#onFetched = onFetched;
  }

  /**
   * Take the moves of a new position.
   * @param {string[] | null} moves null if there are too many to send; the server is then asked step by step
   */
  reset(moves) {
    this.#moves = moves;
    this.#continuations = new Map();
    this.#pending = new Map();
    for (const move of moves ?? []) {
      const tokens = move.split(" ");
      tokens.forEach((token, index) => {
        this.#continuationOf(keyOf(tokens.slice(0, index))).next.add(token);
      });
      this.#continuationOf(move).isMove = true;
    }
    if (moves === null) this.continuation([]);
  }

  /** @param {string} key */
  #continuationOf(key) {
    const known = this.#continuations.get(key);
    if (known) return known;
    const added = nothing();
    this.#continuations.set(key, added);
    return added;
  }

  /** Whether all moves are known without asking the server. */
  get isComplete() {
    return this.#moves !== null;
  }

  /** Return what may follow these tokens; null while the server is being asked. @param {Token[]} tokens */
  continuation(tokens) {
    const known = this.#continuations.get(keyOf(tokens));
    if (known) return known;
    if (this.isComplete) return nothing();
    this.#fetch(tokens);
    return null;
  }

  /** Return what may follow these tokens, after asking the server if necessary. @param {Token[]} tokens */
  async resolve(tokens) {
    return this.continuation(tokens) ?? (await this.#fetch(tokens)) ?? nothing();
  }

  /**
   * Ask the server, once for each beginning; null if the position changed or the connection was lost.
   * @param {Token[]} tokens
   */
  #fetch(tokens) {
    const key = keyOf(tokens);
    const pending = this.#pending.get(key) ?? this.#request(tokens, key);
    this.#pending.set(key, pending);
    return pending;
  }

  /** @param {Token[]} tokens @param {string} key @returns {Promise<Continuation | null>} */
  async #request(tokens, key) {
    const continuations = this.#continuations;
    const answer = await this.#fetchContinuation(tokens);
    if (continuations !== this.#continuations) return null;
    this.#pending.delete(key);
    if (!answer) return null;
    const fetched = { next: new Set(answer.next ?? []), isMove: Boolean(answer.move) };
    continuations.set(key, fetched);
    this.#onFetched();
    return fetched;
  }

  /**
   * Return the rotations in which a piece fits anywhere, in quarter turns; null if not all moves are known.
   * @param {Token} piece
   */
  rotations(piece) {
    if (!this.isComplete) return null;
    /** @type {Set<number>} */
    const rotations = new Set();
    for (const place of this.continuation([piece])?.next ?? []) {
      for (const token of this.continuation([piece, place])?.next ?? []) {
        const rotation = parseRotation(token);
        if (rotation !== null) rotations.add(rotation);
      }
    }
    return [...rotations].sort();
  }

  /** Return every corner of every legal rectangle; null if not all moves are known. @returns {Set<Token> | null} */
  corners() {
    if (!this.#moves) return null;
    /** @type {Set<Token>} */
    const corners = new Set();
    for (const move of this.#moves) {
      const [a, b] = move.split(" ");
      for (const corner of b ? cornerPairs(a, b).flat() : []) corners.add(corner);
    }
    return corners;
  }

  /**
   * Return the legal move whose rectangle has these opposite corners, whichever two the move names.
   * @param {Token} a @param {Token} b
   * @returns {[Token, Token] | null | undefined} null if there is none, undefined while the server is being asked
   */
  rectangle(a, b) {
    let isUnknown = false;
    for (const [first, second] of cornerPairs(a, b)) {
      const continuation = this.continuation([first]);
      if (continuation?.next.has(second)) return [first, second];
      isUnknown ||= continuation === null;
    }
    return isUnknown ? undefined : null;
  }

  /** Return the same as `rectangle`, after asking the server if necessary. @param {Token} a @param {Token} b */
  async resolveRectangle(a, b) {
    await Promise.all(cornerPairs(a, b).map(([first]) => this.resolve([first])));
    return this.rectangle(a, b) ?? null;
  }
}

/**
 * Return the pairs of opposite corners that name the same rectangle, lower left and upper right first. Tokens that are
 * no points give the two orders of the pair.
 * @param {Token} a @param {Token} b
 */
export function cornerPairs(a, b) {
  const p = POINT.exec(a);
  const q = POINT.exec(b);
  if (!p || !q) {
    return [
      [a, b],
      [b, a],
    ];
  }
  const [left, right] = [p[1], q[1]].sort(compareColumns);
  const [low, high] = [p[2], q[2]].sort((x, y) => Number(x) - Number(y));
  return [
    [left + low, right + high],
    [right + high, left + low],
    [left + high, right + low],
    [right + low, left + high],
  ];
}

/** Columns run a … z, aa, ab …: shorter names come first. @param {string} a @param {string} b */
function compareColumns(a, b) {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
