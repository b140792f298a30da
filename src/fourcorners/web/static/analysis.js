// The analysis board: moves for all seats, the tree of variations, notes, and what the engine says.

import { connectCommands } from "./analysis_keys.js";
import { AnalysisNotes } from "./analysis_notes.js";
import { AnalysisPictures } from "./analysis_pictures.js";
import { AnalysisPositions } from "./analysis_positions.js";
import { AnalysisShare } from "./analysis_share.js";
import { AnalysisTree, JUDGEMENTS } from "./analysis_tree.js";
import { AnalysisValues } from "./analysis_values.js";
import { byId, colourBadges, make, setText } from "./dom.js";
import { keepDraft } from "./draft.js";
import { EngineLines } from "./engine_lines.js";
import { LessonBoard } from "./lesson_board.js";
import { PositionEditor } from "./position_editor.js";
import { describeMove, describePosition, showHands, showTurn } from "./position_words.js";
import { html, render } from "./preact.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { connectSingleKeys } from "./shortcuts.js";
import { capitalise } from "./text.js";
import { Note, Toast } from "./toast.js";
import { TreeView } from "./tree_view.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */
const OVERLAY = "overlay";

class AnalysisPage {
  #place = byId("analysis");
  /** @type {OpenedAnalysis} */ #opened = JSON.parse(byId("opened").textContent ?? "");
  /** @type {AnalysisSeats} */ #seats = {
    names: JSON.parse(this.#place.dataset.seats ?? "[]"),
    parties: JSON.parse(this.#place.dataset.parties ?? "[]"),
    hasPoints: this.#place.dataset.points === "yes",
  };
  #tree;
  #view;
  #notes;
  #engine;
  #values;
  #toast = new Toast((sentence) => this.#announce(sentence));
  #positions = new AnalysisPositions(this.#opened, this.#toast);
  #board;
  /** @type {PositionEditor} */ #editor;
  /** @type {BoardAnswer | null} */ #shown = null;
  /** Counts the positions that were asked for: only the last one is shown. */ #question = 0;

  constructor() {
    const draft = this.#loadTree();
    this.#tree = new AnalysisTree(draft?.nodes ?? this.#opened.nodes, this.#opened.played);
    const ply = Number(new URLSearchParams(location.search).get("ply"));
    this.#tree.current = draft ? this.#tree.find(draft.path) : this.#tree.findPly(ply);
    this.#board = new LessonBoard({
      place: this.#place,
      play: (move) => (this.#editor.isOpen ? this.#editor.play(move) : this.#play(move)),
      explain: (text) => this.#explain(text),
      onHint: () => {},
      onRules: () => byId("keys-open").click(),
      complete: (tokens) =>
        this.#editor.isOpen ? this.#editor.complete(tokens) : this.#positions.complete(this.#tree.current.path, tokens),
      onRefresh: () => {
        if (this.#editor?.isOpen) return;
        this.#values?.refresh();
        this.#notes?.draw();
      },
    });
    this.#values = new AnalysisValues(this.#board.page);
    this.#view = new TreeView(this.#seats, (node) => this.#go(node));
    this.#notes = new AnalysisNotes(
      this.#tree,
      () => this.#showTree(),
      (sentence) => this.#announce(sentence),
    );
    this.#engine = new EngineLines(
      this.#seats,
      (moves, seats) => this.#playLine(moves, seats),
      (sentence) => this.#announce(sentence),
    );
    const { game, options } = this.#opened;
    this.#editor = new PositionEditor(
      { game, options },
      this.#board,
      (sentence, isError) => (isError ? this.#toast.show(sentence, true) : this.#announce(sentence)),
      () => this.#showCurrent(),
    );
    new AnalysisShare(() => this.#describe(), this.#toast);
    new AnalysisPictures(
      () => this.#where,
      () => this.#tree.current,
      this.#toast,
    );
    render(html`<${Note} toast=${this.#toast} kind="panel" role="alert" />`, byId("note-place"));
    colourBadges(this.#place, this.#seats.names);
    connectSingleKeys();
    this.#connect();
    this.#showTree();
    const { unfinished } = this.#editor;
    if (unfinished === null) this.#showCurrent();
    else this.#edit(unfinished);
  }

  /** Keep the tree from now on, and return the one that was kept, unless the page is about something else now. */
  #loadTree() {
    const { page, ...tree } = keepDraft("analysis", () => this.#readTree()) ?? {};
    return page === this.#page ? tree : null;
  }

  /** Return the tree as it is now. */
  #readTree() {
    this.#notes.save();
    return { page: this.#page, nodes: this.#tree.flatten(), path: this.#tree.current.path };
  }

  /** Identify the game or position that the page was opened with. */
  get #page() {
    return JSON.stringify({ ...this.#opened, nodes: null });
  }

  /** What the API needs to know of the shown position. */
  get #where() {
    return this.#positions.locate(this.#tree.current.path);
  }

  #connect() {
    const end = () => this.#go(this.#tree.findEnd(this.#tree.current));
    const steps = [
      { key: "ArrowLeft", name: "←", words: "Previous move", run: () => this.#go(this.#tree.current.parent) },
      { key: "ArrowRight", name: "→", words: "Next move", run: () => this.#go(this.#tree.current.children[0]) },
      { key: "ArrowUp", name: "↑", words: "Variation before", run: () => this.#goBeside(-1) },
      { key: "ArrowDown", name: "↓", words: "Next variation", run: () => this.#goBeside(1) },
      { key: "Home", name: "Home", words: "First position", run: () => this.#go(this.#tree.root) },
      { key: "End", name: "End", words: "Last position of this line", run: end },
    ];
    for (const [id, run] of Object.entries({
      first: steps[4].run,
      previous: steps[0].run,
      following: steps[1].run,
      last: end,
      undo: () => this.#undo(),
      promote: () => this.#promote(),
      remove: () => this.#remove(),
      overlay: () => this.#toggleOverlay(),
      "copy-position": () => this.#copyPosition(),
      "edit-open": () => this.#edit(),
      "setup-open": () => byId("setup", HTMLDialogElement).showModal(),
    })) {
      byId(id).addEventListener("click", run);
    }
    for (const button of this.#place.ownerDocument.querySelectorAll(".setup-close")) {
      button.addEventListener("click", () => byId("setup", HTMLDialogElement).close());
    }
    if (this.#place.dataset.error) byId("setup", HTMLDialogElement).showModal();
    byId("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#playTyped();
    });
    const press = (/** @type {string} */ id) => () => byId(id).click();
    const commands = [
      { key: "b", words: "Read the position", run: () => this.#readPosition() },
      { key: "l", words: "Read the engine’s lines", run: () => this.#announce(this.#engine.describe()) },
      { key: "m", words: "Type a move", run: () => byId("typed-move").focus() },
      { key: "c", words: "Write a comment", run: () => byId("comment").focus() },
      { key: "e", words: "Engine on or off", run: () => this.#engine.toggle() },
      { key: "v", words: "Values of all moves", run: press("values") },
      { key: "o", words: "Overlay of the game, such as chains", run: press("overlay") },
      { key: "p", words: "Promote this variation", run: press("promote") },
      { key: "x", words: "Delete from here on", run: press("remove") },
      { key: "u", words: "Undo the last change", run: press("undo") },
      { key: "s", words: "Share by a link", run: press("share-open") },
      { key: "t", words: "Set up a position", run: press("setup-open") },
      ...Object.entries(JUDGEMENTS).map(([kind, sign], index) => ({
        key: String(index + 1),
        words: `Judge the move: ${kind} ${sign}`,
        run: () => this.#notes.judge(kind),
      })),
      { key: "?", words: "This list", run: press("keys-open") },
    ];
    connectCommands(commands, steps);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#notes.choose("");
    });
  }

  /** Change a position by hand: the shown one, unless another is given. @param {string} position */
  #edit(position = this.#shown?.position ?? this.#opened.position) {
    byId("setup", HTMLDialogElement).close();
    this.#notes.choose("");
    this.#question++;
    this.#engine.update(null);
    this.#values.clear();
    this.#editor.open(position);
  }

  /** Show a move, if there is one. @param {TreeMove | null | undefined} node */
  #go(node) {
    if (!node || node === this.#tree.current || this.#editor.isOpen) return;
    this.#notes.save();
    this.#tree.current = node;
    this.#view.mark(node);
    this.#updateTreeTools();
    this.#showCurrent();
  }

  /** Show another move at the same place. @param {number} step */
  #goBeside(step) {
    const { current } = this.#tree;
    const siblings = current.parent?.children ?? [];
    this.#go(siblings[siblings.indexOf(current) + step]);
  }

  /** Show the position of the current move. */
  async #showCurrent() {
    const question = ++this.#question;
    this.#engine.update(null);
    const node = this.#tree.current;
    const answer = await this.#positions.fetch(node.path);
    if (!answer || question !== this.#question) return;
    this.#take(answer);
    this.#announce(describeMove(node, answer, this.#seats));
    const next = node.children[0];
    if (next) this.#prefetch([...node.path, next.move]);
  }

  /** @param {string[]} moves */
  async #prefetch(moves) {
    const question = this.#question;
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (question === this.#question) await this.#positions.fetch(moves);
  }

  /** Show a position. @param {BoardAnswer} answer */
  #take(answer) {
    this.#shown = answer;
    // Seats may have exchanged their colours.
    this.#seats.names = answer.picture.seat_names.map(capitalise);
    colourBadges(this.#place, this.#seats.names);
    this.#board.show(answer.picture);
    this.#notes.show();
    showTurn(answer, this.#seats);
    showHands(answer, this.#seats);
    byId("overlay").hidden = !answer.overlay;
    setText(byId("overlay-name"), answer.overlay ?? "");
    this.#showOverlay(loadFlag(OVERLAY));
    const where = answer.picture.seat === null ? null : this.#where;
    this.#engine.update(where);
    this.#values.update(where);
    const { current } = this.#tree;
    const canGoBack = Boolean(current.parent);
    const canGoOn = current.children.length > 0;
    for (const id of ["first", "previous"]) byId(id).setAttribute("aria-disabled", String(!canGoBack));
    for (const id of ["following", "last"]) byId(id).setAttribute("aria-disabled", String(!canGoOn));
    this.#place.dataset.ply = String(current.path.length);
    this.#place.dataset.position = answer.position;
  }

  /** Play a move after the shown position. @param {string} move @returns {Promise<MoveResult>} */
  async #play(move) {
    const { current } = this.#tree;
    const seat = this.#shown?.picture.seat ?? -1;
    this.#toast.hide();
    const answer = await this.#positions.fetch([...current.path, move]);
    if (!answer) return { type: "refused" };
    if (current !== this.#tree.current) return { type: "refused" };
    this.#notes.save();
    this.#tree.play(move, seat);
    this.#showTree();
    await this.#showCurrent();
    return { type: "done" };
  }

  /** Add a line and go to its end. @param {string[]} moves @param {Seat[]} seats */
  #playLine(moves, seats) {
    this.#notes.save();
    const path = [...this.#tree.current.path, ...moves];
    this.#tree.addLine(moves, seats);
    this.#tree.current = this.#tree.find(path);
    this.#showTree();
    this.#showCurrent();
  }

  async #playTyped() {
    const field = byId("typed-move", HTMLInputElement);
    if (!field.value.trim()) return;
    const move = await this.#board.page.input.read(field.value);
    const { type } = await (this.#editor.isOpen ? this.#editor.play(move) : this.#play(move));
    if (type === "done") field.value = "";
  }

  /** Say why something cannot be chosen. @param {string} text */
  async #explain(text) {
    if (this.#editor.isOpen) return this.#toast.show("This cannot be changed with the chosen tool.");
    await this.#positions.explain([...this.#tree.current.path, text]);
  }

  #undo() {
    if (this.#editor.isOpen) return this.#editor.undo();
    this.#notes.save();
    if (!this.#tree.undo()) return this.#announce("There is nothing to undo.");
    this.#announce("Undone.");
    this.#showTree();
    this.#showCurrent();
  }

  #promote() {
    if (!this.#tree.canPromote) return this.#announce("This is the main variation already.");
    this.#tree.promote();
    this.#announce("This is the main variation now.");
    this.#showTree();
  }

  #remove() {
    const { current } = this.#tree;
    if (!this.#tree.remove()) {
      const reason = current.parent ? "a move of the game" : "the start";
      return this.#toast.show(`This is ${reason}, which cannot be deleted.`);
    }
    this.#announce(`${current.move} and what followed is deleted. Undo brings it back.`);
    this.#showTree();
    this.#showCurrent();
  }

  #toggleOverlay() {
    const isOn = !byId("scene").classList.contains("overlaid");
    saveFlag(OVERLAY, isOn);
    this.#showOverlay(isOn);
  }

  /** @param {boolean} isOn */
  #showOverlay(isOn) {
    byId("scene").classList.toggle("overlaid", isOn);
    byId("overlay").setAttribute("aria-pressed", String(isOn));
  }

  async #copyPosition() {
    await navigator.clipboard?.writeText(this.#shown?.position ?? "");
    this.#toast.show("The position is in the clipboard.");
  }

  #showTree() {
    this.#view.show(this.#tree.root, this.#tree.current);
    this.#notes.show();
    this.#updateTreeTools();
    byId("undo").setAttribute("aria-disabled", String(!this.#tree.canUndo));
  }

  /** Show what can be done with the current move. */
  #updateTreeTools() {
    const { current, canPromote } = this.#tree;
    byId("promote").setAttribute("aria-disabled", String(!canPromote));
    byId("remove").setAttribute("aria-disabled", String(!current.parent || this.#tree.isPlayed(current)));
  }

  /** What is sent to share or download the analysis. */
  #describe() {
    this.#notes.save();
    const { game, options, position, record } = this.#opened;
    return { game, options, position, record, nodes: this.#tree.flatten() };
  }

  #readPosition() {
    this.#announce(this.#shown ? describePosition(this.#tree.current, this.#shown, this.#seats) : "Loading.");
  }

  /** Speak a sentence, for screen readers. @param {string} sentence */
  #announce(sentence) {
    if (!sentence) return;
    const log = byId("announcer");
    log.append(make("p", {}, capitalise(sentence)));
    while (log.childElementCount > 20) log.firstElementChild?.remove();
  }
}

new AnalysisPage();
