// What is being chosen at the table: the tokens so far, what is carried and how it is turned, and what lights up.

import { TURN, Tokens, spans } from "./move_tree.js";

export class Choosing extends EventTarget {
  // `picture` shows the elements; `live` answers questions and takes moves.
  constructor(picture, live) {
    super();
    this.picture = picture;
    this.live = live;
    // Whose moves are chosen: those of the game, unless moves are planned.
    this.usual = {
      complete: (tokens) => live.question("complete", { tokens }),
      play: (move) => live.command("move", { move }),
    };
    this.source = this.usual;
    this.tokens = new Tokens(
      (tokens) => this.source.complete(tokens),
      () => this.#changed(),
    );
    this.mine = false;
    this.busy = false;
    this.confirm = false;
    this.explore = false; // moves are tried, not played
    this.#clear();
  }

  #clear() {
    this.prefix = [];
    this.carried = null; // {token, begins: it is the beginning of other tokens}
    this.turn = 0;
    this.from = null; // the first corner of a span
    this.waiting = false; // a whole move waits to be confirmed
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }

  // A new position: nothing is chosen any more.
  reset(moves, mine, explore = false, source = this.usual) {
    this.mine = mine;
    this.explore = explore;
    this.source = source;
    this.#clear();
    this.tokens.reset(mine ? moves : []);
    this.#changed();
  }

  letGo() {
    if (!this.busy && this.active) {
      this.#clear();
      this.#changed();
    }
  }

  // Whether something can be chosen now.
  get open() {
    return this.mine && !this.busy && (this.explore || this.planning || !this.picture.past);
  }

  // Whether moves are chosen for later.
  get planning() {
    return this.source !== this.usual;
  }

  // Choose a whole move at once, to look at it.
  show(move) {
    this.#clear();
    this.prefix = move.split(" ");
    this.#changed();
  }

  get active() {
    return Boolean(this.prefix.length || this.carried || this.from);
  }

  // What the next token is added to: of a whole move that is tried, all but the last.
  get #kept() {
    const entry = this.explore && this.prefix.length ? this.tokens.after(this.prefix) : null;
    return entry?.whole && !entry.next.size ? this.prefix.slice(0, -1) : this.prefix;
  }

  get #next() {
    return this.tokens.after(this.#kept)?.next ?? new Set();
  }

  // The elements that a pointer or the arrow keys go to at this moment.
  aims() {
    const nodes = this.picture.nodes();
    const gesture = (node) => node.dataset.gesture;
    const tray = nodes.filter((node) => gesture(node) === "carry");
    const drops = nodes.filter((node) => gesture(node) === "drop");
    const others = nodes.filter((node) => gesture(node) === "pick" || gesture(node) === "span");
    const dropped = this.carried?.begins && this.prefix.length > 0;
    return [...((this.carried && !dropped) || !others.length ? drops : others), ...tray];
  }

  // "can": may be chosen now; "turned": fits, but not turned like this; "": neither.
  state(node) {
    if (!this.open) return "";
    const { token, gesture } = node.dataset;
    if (gesture === "span") return this.#spanState(token);
    if (gesture === "carry") return this.#canCarry(token) ? "can" : "";
    if (gesture !== "drop") return this.carried?.begins && !this.prefix.length ? "" : this.#next.has(token) ? "can" : "";
    // What is tried may be the move of a hand that is not shown.
    if (!this.carried) return this.explore && this.#kept.length && this.#next.has(token) ? "can" : "";
    if (this.carried.begins) {
      if (this.prefix.length) return "";
      return token.startsWith(this.carried.token) && this.tokens.after([])?.next.has(token) ? "can" : "";
    }
    if (!this.tokens.after([this.carried.token])?.next.has(token)) return "";
    if (!this.tokens.known) return "can";
    const then = [...this.tokens.after([this.carried.token, token]).next];
    const fits = !then.length || then.includes(`r${this.turn}`) || !then.every((name) => TURN.test(name));
    return fits ? "can" : "turned";
  }

  #spanState(token) {
    if (this.from === null) {
      const corners = this.tokens.corners();
      return corners === null || corners.has(token) ? "can" : "";
    }
    if (token === this.from || !this.tokens.known) return "can";
    return this.tokens.span(this.from, token) ? "can" : "";
  }

  #canCarry(token) {
    const first = this.tokens.after([])?.next ?? new Set();
    return first.has(token) || (token.length < 2 && [...first].some((name) => name.startsWith(token)));
  }

  chosen(node) {
    const { token, gesture } = node.dataset;
    if (gesture === "carry") return this.carried?.token === token;
    return this.prefix.includes(token) || this.from === token;
  }

  // The turns that make sense for what is carried.
  get turns() {
    if (!this.carried || this.carried.begins || this.prefix.length > 1) return [];
    return this.tokens.turns(this.carried.token) ?? [0, 1, 2, 3];
  }

  turnBy(step) {
    const turns = this.turns;
    if (turns.length < 2) return;
    const index = turns.indexOf(this.turn);
    this.turn = turns[(index + step + turns.length) % turns.length];
    this.#changed();
  }

  // Choose the element at which somebody pointed.
  async point(node) {
    if (this.busy) return;
    const { token, gesture } = node.dataset;
    if (!this.mine) {
      this.#say("not-mine", node);
    } else if (gesture === "span") {
      await this.#corner(token, node);
    } else if (gesture === "carry") {
      this.#carry(token, node);
    } else if (gesture === "drop") {
      await this.#drop(token, node);
    } else {
      await this.#pick(token, node);
    }
  }

  #carry(token, node) {
    const again = this.carried?.token === token;
    if (!again && !this.#canCarry(token)) {
      this.#say("why", node);
      return;
    }
    this.#clear();
    if (!again) {
      const real = Boolean(this.tokens.after([])?.next.has(token));
      this.carried = { token, begins: !real };
      if (real) this.prefix = [token];
      this.turn = this.turns[0] ?? 0;
    }
    this.#changed();
  }

  async #drop(token, node) {
    if (!this.state(node)) {
      this.#say("why", node);
      return;
    }
    if (!this.carried) {
      await this.choose(token);
      return;
    }
    this.prefix = this.carried.begins ? [] : [this.carried.token];
    await this.choose(token);
    const then = this.tokens.after(this.prefix)?.next;
    if (then?.has(`r${this.turn}`) && this.prefix.length === 2) await this.choose(`r${this.turn}`);
  }

  async #corner(token, node) {
    if (this.from === null) {
      if (this.explore) this.prefix = [];
      if (this.state(node)) this.from = token;
      else this.#say("why", node);
    } else if (token === this.from) {
      this.from = null;
    } else {
      const from = this.from;
      const pair = await this.tokens.sureSpan(from, token);
      if (pair) {
        this.prefix = pair;
        await this.#settle();
        return;
      }
      this.#say("why", node, spans(from, token)[0].join(" "));
    }
    this.#changed();
  }

  async #pick(token, node) {
    if (this.#next.has(token) && this.state(node)) {
      await this.choose(token);
      return;
    }
    // Another beginning may be meant, but no whole move is played by a change of mind.
    for (let kept = this.prefix.length - 1; kept >= 0; kept--) {
      const start = this.prefix.slice(0, kept);
      const entry = this.tokens.after([...start, token]);
      if (this.tokens.after(start)?.next.has(token) && (entry?.next.size || this.confirm || this.explore)) {
        this.prefix = start;
        await this.choose(token);
        return;
      }
    }
    this.#say("why", node);
  }

  // Choose a token, from an element or a button.
  async choose(token) {
    this.prefix = [...this.#kept, token];
    this.waiting = false;
    const entry = await this.tokens.sure(this.prefix);
    const [only] = entry.next;
    if (!entry.whole && entry.next.size === 1 && this.buttons().includes(only) && !this.carriedTurns()) {
      await this.choose(only);
      return;
    }
    await this.#settle();
  }

  // Play a whole move that cannot go on, or ask for its confirmation.
  async #settle() {
    const entry = await this.tokens.sure(this.prefix);
    const whole = entry.whole || this.from !== null;
    if (whole && this.explore) {
      this.from = null;
    } else if (whole && !entry.next.size) {
      if (!this.confirm) {
        this.play();
        return;
      }
      this.waiting = true;
    }
    this.#changed();
  }

  // Whether what comes next is how the carried thing is turned.
  carriedTurns() {
    return Boolean(this.carried && !this.carried.begins && this.prefix.length === 2 && [...this.#next].some((t) => TURN.test(t)));
  }

  // The tokens that can come next and are on no element.
  buttons() {
    if (!this.mine || this.from !== null) return [];
    const shown = new Set(this.picture.nodes().map((node) => node.dataset.token));
    return [...this.#next].filter((token) => !shown.has(token)).sort();
  }

  // Whether the tokens so far may be played as they are although more may follow.
  get playable() {
    return !this.explore && this.prefix.length > 0 && Boolean(this.tokens.after(this.prefix)?.whole || this.waiting);
  }

  async play() {
    const move = this.prefix.join(" ");
    this.dispatchEvent(new Event("played"));
    await this.follow(move, this.source.play(move));
  }

  // Wait for what becomes of a move that is on its way.
  async follow(move, answered) {
    this.busy = true;
    this.#changed();
    const answer = await answered;
    this.busy = false;
    if (answer.type !== "done") this.#clear();
    this.#changed();
    if (answer.type !== "done") this.dispatchEvent(new CustomEvent("lost-move", { detail: { move, sentence: answer.sentence } }));
  }

  // What a seat would say by pointing at this element now; the server knows why not.
  meaning(node) {
    const { token, gesture } = node.dataset;
    if (gesture === "span" && this.from !== null && token !== this.from) return spans(this.from, token)[0].join(" ");
    return [...this.prefix, token].join(" ");
  }

  #say(what, node, text = this.meaning(node)) {
    this.dispatchEvent(new CustomEvent(what, { detail: { text, node } }));
  }
}
