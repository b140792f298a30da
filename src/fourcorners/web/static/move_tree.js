// The legal moves as a tree of tokens: what may follow what has been chosen. It knows no game and no page.

const POINT = /^([a-z]+)([0-9]+)$/;
/** A token that rotates a piece, by this many quarter turns clockwise. */
export const ROTATION = /^r([0-3])$/;

/** Return the text of a move or its beginning. @param {Token[]} tokens */
export const keyOf = (tokens) => tokens.join(" ");

/** @returns {Continuation} */
const makeEmpty = () => ({ next: new Set(), isMove: false });

/** Return how a token rotates a piece, in quarter turns, or null if it does not. @param {Token} token */
export function parseRotation(token) {
  const match = ROTATION.exec(token);
  return match && Number(match[1]);
}

export class MoveTree {
  #fetchContinuation;
  #onFetched;
  /** @type {string[] | null} */ #moves = null;
  /** @type {Map<string, Continuation>} */ #continuations = new Map();
  /** @type {Map<string, Promise<Continuation | null>>} */ #pending = new Map(); // the requests without an answer

  /** @param {FetchContinuation} fetchContinuation @param {() => void} onFetched called when an answer has arrived */
  constructor(fetchContinuation, onFetched) {
    this.#fetchContinuation = fetchContinuation;
    this.#onFetched = onFetched;
  }

  /** Take the moves of a new position; null if the server must be asked step by step. @param {string[] | null} moves */
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

  /** Return the continuation of a beginning, which is added if it is new. @param {string} key */
  #continuationOf(key) {
    const continuation = this.#continuations.get(key) ?? makeEmpty();
    this.#continuations.set(key, continuation);
    return continuation;
  }

  /** Whether all moves are known without asking the server. */
  get isComplete() {
    return this.#moves !== null;
  }

  /** Return what may follow these tokens; null while the server is being asked. @param {Token[]} tokens */
  continuation(tokens) {
    const known = this.#continuations.get(keyOf(tokens));
    if (known) return known;
    if (this.isComplete) return makeEmpty();
    this.#fetch(tokens);
    return null;
  }

  /** Return what may follow these tokens, after asking the server if necessary. @param {Token[]} tokens */
  async resolve(tokens) {
    return this.continuation(tokens) ?? (await this.#fetch(tokens)) ?? makeEmpty();
  }

  /** Ask the server, once for each beginning; null without an answer in this position. @param {Token[]} tokens */
  #fetch(tokens) {
    const key = keyOf(tokens);
    const pending = this.#pending.get(key) ?? this.#request(tokens, key);
    this.#pending.set(key, pending);
    return pending;
  }

  /** Ask the server, and keep its answer. @param {Token[]} tokens @param {string} key */
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

  /** Return the only move that begins with these tokens; null if there are others, or none. @param {Token[]} tokens */
  onlyMove(tokens) {
    let beginning = tokens;
    while (this.isComplete) {
      const { next, isMove } = this.#continuations.get(keyOf(beginning)) ?? makeEmpty();
      if (next.size !== (isMove ? 0 : 1)) return null;
      if (isMove) return keyOf(beginning);
      beginning = [...beginning, ...next];
    }
    return null;
  }

  /** Return the rotations in which a piece fits anywhere; null if not all moves are known. @param {Token} piece */
  rotations(piece) {
    if (!this.isComplete) return null;
    const places = [...(this.continuation([piece])?.next ?? [])];
    const tokens = places.flatMap((place) => [...(this.continuation([piece, place])?.next ?? [])]);
    return [...new Set(tokens.map(parseRotation).filter((rotation) => rotation !== null))].sort();
  }

  /** Return every corner of every legal rectangle; null if not all moves are known. @returns {Set<Token> | null} */
  corners() {
    if (!this.#moves) return null;
    const pairs = this.#moves.map((move) => move.split(" ")).filter((tokens) => tokens.length > 1);
    return new Set(pairs.flatMap(([a, b]) => cornerPairs(a, b).flat()));
  }

  /**
   * Return the legal move whose rectangle has these opposite corners, whichever two it names; null without one.
   * @param {Token} a @param {Token} b @returns {[Token, Token] | null | undefined} undefined while the server is asked
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
 * Return the pairs of opposite corners that name one rectangle, lower left and upper right first.
 * @param {Token} a @param {Token} b tokens that are no points give the two orders of the pair
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
  const [low, high] = [p[2], q[2]].sort((a, b) => Number(a) - Number(b));
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
