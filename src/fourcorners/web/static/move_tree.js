// Moves as tokens: what may follow what has been chosen. No game is known here, nor any page.

const POINT = /^([a-z]+)([0-9]+)$/;
export const TURN = /^r([0-3])$/;

const key = (tokens) => tokens.join(" ");

export class Tokens {
  #table = new Map();
  #asked = new Set();
  #known = false;

  // `ask(tokens)` gives a promise of {next, move}, or of null; `learned()` is called when an answer has come.
  constructor(ask, learned) {
    this.ask = ask;
    this.learned = learned;
  }

  // Take the moves of a new position: a list, or null if there are too many to be sent.
  reset(moves) {
    this.moves = moves;
    this.#known = moves !== null;
    this.#table = new Map();
    this.#asked = new Set();
    for (const move of moves ?? []) {
      const tokens = move.split(" ");
      for (let i = 0; i <= tokens.length; i++) {
        const start = key(tokens.slice(0, i));
        let entry = this.#table.get(start);
        if (!entry) this.#table.set(start, (entry = { next: new Set(), whole: false }));
        if (i < tokens.length) entry.next.add(tokens[i]);
        else entry.whole = true;
      }
    }
    if (!this.#known) this.after([]);
  }

  get known() {
    return this.#known;
  }

  // What follows these tokens: {next, whole}; null while the server is asked.
  after(tokens) {
    const start = key(tokens);
    const entry = this.#table.get(start);
    if (entry) return entry;
    if (this.#known) return { next: new Set(), whole: false };
    this.#fetch(tokens);
    return null;
  }

  async sure(tokens) {
    return this.after(tokens) ?? (await this.#fetch(tokens)) ?? { next: new Set(), whole: false };
  }

  async #fetch(tokens) {
    const start = key(tokens);
    const table = this.#table;
    if (this.#asked.has(start)) {
      // Asked already: wait until it has come, or the position has changed.
      while (this.#asked.has(start) && table === this.#table) await new Promise((done) => setTimeout(done, 15));
      return this.#table.get(start) ?? null;
    }
    this.#asked.add(start);
    const answer = await this.ask(tokens);
    if (table !== this.#table) return null;
    this.#asked.delete(start);
    if (!answer) return null;
    const entry = { next: new Set(answer.next), whole: answer.move };
    this.#table.set(start, entry);
    this.learned();
    return entry;
  }

  // The turns that are offered for what is carried, wherever it may go; null if that is not known.
  turns(first) {
    if (!this.#known) return null;
    const turns = new Set();
    for (const place of this.after([first]).next) {
      for (const token of this.after([first, place]).next) {
        const found = TURN.exec(token);
        if (found) turns.add(Number(found[1]));
      }
    }
    return [...turns].sort();
  }

  // Every corner of every offered span, or null if that is not known.
  corners() {
    if (!this.#known) return null;
    const corners = new Set();
    for (const move of this.moves) {
      const [a, b] = move.split(" ");
      for (const pair of b ? spans(a, b) : []) for (const token of pair) corners.add(token);
    }
    return corners;
  }

  // The offered move whose corners are these two, whichever way round; null if there is none, undefined if unknown.
  span(a, b) {
    let unknown = false;
    for (const [first, second] of spans(a, b)) {
      const entry = this.after([first]);
      if (entry?.next.has(second)) return [first, second];
      unknown ||= entry === null;
    }
    return unknown ? undefined : null;
  }

  async sureSpan(a, b) {
    await Promise.all(spans(a, b).map(([first]) => this.sure([first])));
    return this.span(a, b) ?? null;
  }
}

// The pairs of opposite corners that name the same rectangle, lower-left and upper-right first.
export function spans(a, b) {
  const p = POINT.exec(a);
  const q = POINT.exec(b);
  if (!p || !q) return [[a, b], [b, a]];
  const before = (x, y) => x.length - y.length || (x < y ? -1 : x > y ? 1 : 0);
  const [left, right] = [p[1], q[1]].sort(before);
  const [low, high] = [p[2], q[2]].sort((x, y) => x - y);
  return [
    [left + low, right + high],
    [right + high, left + low],
    [left + high, right + low],
    [right + low, left + high],
  ];
}
