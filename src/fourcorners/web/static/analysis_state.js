// What an analysis is: its tree with the current move, and the position that is shown. Panels read it from one signal.

import { describeMove, NOTHING_TO_UNDO } from "./position_words.js";
import { signal } from "./preact.js";
import { capitalise } from "./text.js";

/** @typedef {import("./analysis_tree.js").AnalysisTree} AnalysisTree */
/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */

/**
 * What an analysis needs of its page; `onLeave` is called before another position follows, `onShow` with it.
 * @typedef {{ positions: import("./analysis_positions.js").AnalysisPositions, toast: Toast,
 *   announce: (sentence: string) => void, onLeave: () => void, onShow: (answer: BoardAnswer) => void }} AnalysisPage
 */

/** How long a position is shown before the next one is fetched, in milliseconds. */
const PREFETCH_DELAY = 150;

export class Analysis {
  #page;
  /** Counts the positions that were asked for: only the last one is shown. */ #question = 0;
  /** Whether the position of the current move is on its way. */ isLoading = signal(false);
  /** @type {TreeMove | null} the move whose position is shown */ #shown = null;
  /** The comment as it is being typed, until it is saved. @type {string | null} */ typed = null;
  state;

  /** @param {AnalysisTree} tree @param {AnalysisSeats} seats @param {AnalysisPage} page */
  constructor(tree, seats, page) {
    this.#page = page;
    this.state = signal({ tree, seats, answer: /** @type {BoardAnswer | null} */ (null) });
  }

  get tree() {
    return this.state.value.tree;
  }

  /** Whether the position of the current move is shown: not while it is loading, and not after a failure. */
  get isShown() {
    return this.#shown === this.tree.current;
  }

  /** What the API needs to know of the position of the current move. */
  get where() {
    return this.#page.positions.locate(this.tree.current.path);
  }

  /** Tell the panels what has changed; the tree is changed in place. @param {Partial<Analysis["state"]["value"]>} change */
  #update(change = {}) {
    this.state.value = { ...this.state.value, ...change };
  }

  /** Show the position of the current move. */
  async show() {
    this.leave();
    const question = this.#question;
    const { positions, onShow, announce } = this.#page;
    const { current } = this.tree;
    this.isLoading.value = true;
    const answer = await positions.fetch(current.path);
    if (question !== this.#question) return;
    this.isLoading.value = false;
    if (!answer) return;
    this.#shown = current;
    // Seats may have exchanged their colours.
    const seats = { ...this.state.value.seats, names: answer.picture.seat_names.map(capitalise) };
    this.#update({ answer, seats });
    onShow(answer);
    announce(describeMove(current, answer, seats));
    setTimeout(() => {
      const [next] = current.children;
      if (next && question === this.#question) positions.prefetch(next.path);
    }, PREFETCH_DELAY);
  }

  /** Show no position that was asked for before, because another one follows. */
  leave() {
    this.#question++;
    this.#shown = null;
    this.isLoading.value = false;
    this.#page.onLeave();
  }

  /** Change the tree, and show its current move. @param {() => void} change */
  #change(change) {
    this.save();
    change();
    this.#update();
    return this.show();
  }

  /** Show a move, if there is one. @param {TreeMove | null | undefined} node */
  go(node) {
    const { tree } = this;
    if (!node || (node === tree.current && this.isShown)) return;
    return this.#change(() => {
      tree.current = node;
    });
  }

  /** Play a move after the shown position. @param {string} move @returns {Promise<MoveResult>} */
  async play(move) {
    const { current } = this.tree;
    // A move may be typed before it is known whose turn it is.
    if (!this.isShown) await this.show();
    if (current !== this.#shown) return { type: "refused" };
    const question = this.#question;
    const seat = this.state.value.answer?.picture.seat ?? -1;
    const answer = await this.#page.positions.fetch([...current.path, move]);
    if (!answer || question !== this.#question) return { type: "refused" };
    await this.playLine([move], [seat]);
    return { type: "done" };
  }

  /** Play a line that is known to be legal. @param {string[]} moves @param {Seat[]} seats */
  playLine(moves, seats) {
    return this.#change(() => this.tree.play(moves, seats));
  }

  /** Note something at the current move. @param {Partial<{ comment: string, marks: string[] }>} notes */
  note(notes) {
    this.tree.note(notes);
    this.#update();
  }

  /** Note the comment that was typed. */
  save() {
    const comment = this.typed?.trim() ?? this.tree.current.comment;
    this.typed = null;
    if (comment !== this.tree.current.comment) this.note({ comment });
  }

  undo() {
    const { tree } = this;
    this.save();
    this.#page.announce(tree.canUndo ? "Undone." : NOTHING_TO_UNDO);
    if (tree.canUndo) this.#change(() => tree.undo());
  }

  promote() {
    const { tree } = this;
    const { canPromote } = tree;
    this.#page.announce(canPromote ? "This is now the main variation." : "This is already the main variation.");
    if (!canPromote) return;
    tree.promote();
    this.#update();
  }

  remove() {
    const { tree } = this;
    if (!tree.canRemove) {
      const isStart = tree.current === tree.root;
      return this.#page.toast.show(isStart ? "The start cannot be deleted." : "A move of the game cannot be deleted.");
    }
    this.#page.announce(`Deleted ${tree.current.move} and everything after it. Undo brings it back.`);
    this.#change(() => tree.remove());
  }
}
