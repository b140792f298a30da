// The analysis board: moves for all seats, the tree of variations, notes, and what the engine says.

import { connectCommands } from "./analysis_keys.js";
import { AnalysisNotes } from "./analysis_notes.js";
import { AnalysisShare } from "./analysis_share.js";
import { AnalysisTree, JUDGEMENTS } from "./analysis_tree.js";
import { askApi } from "./api_client.js";
import { byId, make, makeBadge, setOrRemove, setText } from "./dom.js";
import { EngineLines } from "./engine_lines.js";
import { LessonBoard } from "./lesson_board.js";
import { MoveValues } from "./move_values.js";
import { parsePicture } from "./picture.js";
import { PositionEditor } from "./position_editor.js";
import { loadFlag, saveFlag } from "./preferences.js";
import { connectSingleKeys } from "./shortcuts.js";
import { asSentence, capitalise } from "./text.js";
import { Toast } from "./toast.js";
import { TreeView } from "./tree_view.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */
const DRAFT = "analysis draft";
const OVERLAY = "overlay";
const MAX_KNOWN = 300;

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
  #board;
  /** @type {PositionEditor} */ #editor;
  /** @type {Map<string, BoardAnswer>} the positions that were shown, by their moves */ #known = new Map();
  /** @type {BoardAnswer | null} */ #shown = null;
  /** Counts the positions that were asked for: only the last one is shown. */ #question = 0;
  #hasValues = false;

  constructor() {
    const draft = this.#loadDraft();
    this.#tree = new AnalysisTree(draft?.nodes ?? this.#opened.nodes, this.#opened.played);
    this.#tree.current = this.#tree.find(draft?.path ?? []);
    this.#board = new LessonBoard({
      place: this.#place,
      play: (move) => (this.#editor.isOpen ? this.#editor.play(move) : this.#play(move)),
      explain: (text) => this.#explain(text),
      onHint: () => {},
      onRules: () => byId("keys-open").click(),
      complete: (tokens) => (this.#editor.isOpen ? this.#editor.complete(tokens) : this.#complete(tokens)),
      onRefresh: () => {
        if (this.#editor?.isOpen) return;
        this.#values?.refresh();
        this.#notes?.draw();
      },
    });
    this.#values = new MoveValues(/** @type {any} */ (this.#board.page));
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
    for (const [seat, name] of this.#seats.names.entries()) {
      this.#place.style.setProperty(`--seat-${seat}`, `var(--seat-${name.toLowerCase()}, transparent)`);
    }
    connectSingleKeys();
    this.#connect();
    this.#showTree();
    this.#showCurrent();
  }

  /** What the API needs to know of the shown position. */
  get #where() {
    const { game, options, position } = this.#opened;
    return { game, options, position, moves: this.#tree.current.path };
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
      values: () => this.#toggleValues(),
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
      { key: "b", words: "Read the position", run: () => this.#announce(this.#describePosition()) },
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
    addEventListener("pagehide", () => this.#notes.save());
  }

  /** Change the shown position by hand. */
  #edit() {
    byId("setup", HTMLDialogElement).close();
    this.#notes.choose("");
    this.#question++;
    this.#engine.update(null);
    this.#values.set([]);
    this.#editor.open(this.#shown?.position ?? this.#opened.position);
  }

  /** Show a move, if there is one. @param {TreeMove | null | undefined} node */
  #go(node) {
    if (!node || node === this.#tree.current || this.#editor.isOpen) return;
    this.#notes.save();
    this.#tree.current = node;
    this.#view.mark(node);
    this.#saveDraft();
    this.#showCurrent();
  }

  /** Show another move at the same place. @param {number} step */
  #goBeside(step) {
    const { current } = this.#tree;
    const siblings = current.parent?.children ?? [];
    this.#go(siblings[siblings.indexOf(current) + step]);
  }

  /** Return a position, from memory or from the server; null after a refusal, which is shown. @param {string[]} moves */
  async #fetch(moves) {
    const key = JSON.stringify(moves);
    const known = this.#known.get(key);
    if (known) return known;
    const { answer, sentence } = await askApi("/api/analysis/board", { ...this.#where, moves });
    if (sentence) this.#toast.show(sentence, true);
    if (!answer) return null;
    this.#known.set(key, answer);
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value ?? "");
    return /** @type {BoardAnswer} */ (answer);
  }

  /** Show the position of the current move. */
  async #showCurrent() {
    const question = ++this.#question;
    this.#engine.update(null);
    const node = this.#tree.current;
    const answer = await this.#fetch(node.path);
    if (!answer || question !== this.#question) return;
    this.#take(answer);
    this.#announce(this.#describeMove(node, answer));
    const next = node.children[0];
    if (next) this.#prefetch([...node.path, next.move]);
  }

  /** @param {string[]} moves */
  async #prefetch(moves) {
    const question = this.#question;
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (question === this.#question) await this.#fetch(moves);
  }

  /** Show a position. @param {BoardAnswer} answer */
  #take(answer) {
    this.#shown = answer;
    this.#values.set([]);
    this.#board.show(answer.picture);
    this.#notes.show();
    this.#showTurn(answer);
    this.#showHands(answer);
    byId("overlay").hidden = !answer.overlay;
    setText(byId("overlay-name"), answer.overlay ?? "");
    this.#showOverlay(loadFlag(OVERLAY));
    this.#engine.update(answer.picture.seat === null ? null : this.#where);
    if (this.#hasValues) this.#askValues();
    const { current } = this.#tree;
    const canGoBack = Boolean(current.parent);
    const canGoOn = current.children.length > 0;
    for (const id of ["first", "previous"]) byId(id).setAttribute("aria-disabled", String(!canGoBack));
    for (const id of ["following", "last"]) byId(id).setAttribute("aria-disabled", String(!canGoOn));
    this.#place.dataset.ply = String(current.path.length);
    this.#place.dataset.position = answer.position;
  }

  /** @param {BoardAnswer} answer */
  #showTurn({ picture, result }) {
    const { seat, scores } = picture;
    const points = this.#seats.hasPoints ? ` ${scores.join(" : ")}` : "";
    const badge = seat === null ? null : makeBadge(seat);
    const words = seat === null ? asSentence(result) : `${this.#seats.names[seat]} to move`;
    const facts = picture.facts.filter(([of]) => of === seat || of === null);
    const told = facts.map(([, name, value]) => `${name} ${value}`).join(" · ");
    byId("turn").replaceChildren(
      ...(badge ? [badge, " "] : []),
      words,
      make("span", { class: "turn-facts" }, `${points}${told ? ` · ${told}` : ""}`),
    );
  }

  /** @param {BoardAnswer} answer */
  #showHands({ hands }) {
    const panel = document.getElementById("hands");
    if (!panel) return;
    panel.hidden = !hands.length;
    const rows = hands.flatMap(({ seat, tokens, pictures }) => [
      make("dt", {}, makeBadge(seat), " ", this.#seats.names[seat]),
      make("dd", {}, ...tokens.map((token) => makeTile(token, pictures[token] ?? null))),
    ]);
    byId("hand-list").replaceChildren(...rows);
  }

  /** Play a move after the shown position. @param {string} move @returns {Promise<MoveResult>} */
  async #play(move) {
    const { current } = this.#tree;
    const seat = this.#shown?.picture.seat ?? -1;
    this.#toast.hide();
    const answer = await this.#fetch([...current.path, move]);
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
    const move = field.value.trim().replace(/\s+/g, " ");
    if (!move) return;
    const { type } = await (this.#editor.isOpen ? this.#editor.play(move) : this.#play(move));
    if (type === "done") field.value = "";
  }

  /** Say why something cannot be chosen. @param {string} text */
  async #explain(text) {
    if (this.#editor.isOpen) return this.#toast.show("This cannot be changed with the chosen tool.");
    const moves = [...this.#tree.current.path, text];
    const { sentence } = await askApi("/api/analysis/board", { ...this.#where, moves });
    if (sentence) this.#toast.show(sentence);
  }

  /** Ask what can follow the beginning of a move. @param {Token[]} tokens */
  async #complete(tokens) {
    const { answer } = await askApi("/api/analysis/complete", { ...this.#where, tokens });
    return answer;
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
    if (!this.#tree.current.parent) return;
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

  async #toggleValues() {
    this.#hasValues = !this.#hasValues;
    byId("values").setAttribute("aria-pressed", String(this.#hasValues));
    this.#values.set([]);
    byId("verdict").hidden = true;
    if (this.#hasValues) await this.#askValues();
  }

  async #askValues() {
    const question = this.#question;
    this.#say("Solving…");
    if (this.#shown?.picture.seat === null) return this.#say("The game is over here.");
    const { answer, sentence } = await askApi("/api/analysis/values", this.#where);
    if (question !== this.#question || !this.#hasValues) return;
    if (!answer) return this.#say(sentence);
    this.#say(answer.sentence, answer.detail);
    /** @type {{ move: string, value: number }[]} */
    const moves = answer.moves;
    this.#values.set(
      moves.map(({ move, value }) => [move, value]),
      answer.counts,
    );
  }

  /** @param {string} sentence @param {string} detail */
  #say(sentence, detail = "") {
    byId("verdict").hidden = false;
    setText(byId("verdict-sentence"), sentence);
    setText(byId("verdict-detail"), detail);
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
    const isPlayed = this.#tree.isPlayed(this.#tree.current);
    byId("undo").setAttribute("aria-disabled", String(!this.#tree.canUndo));
    byId("remove").setAttribute("aria-disabled", String(!this.#tree.current.parent || isPlayed));
    this.#saveDraft();
  }

  /** What is sent to share or download the analysis. */
  #describe() {
    this.#notes.save();
    const { game, options, position, record } = this.#opened;
    return { game, options, position, record, nodes: this.#tree.flatten() };
  }

  /** Keep the tree while this tab is open, so that reloading loses nothing. */
  #saveDraft() {
    const { nodes: _, ...opened } = this.#opened;
    const draft = {
      opened,
      address: location.pathname + location.search,
      nodes: this.#tree.flatten(),
      path: this.#tree.current.path,
    };
    try {
      sessionStorage.setItem(DRAFT, JSON.stringify(draft));
    } catch {
      // A browser that keeps nothing analyses as well.
    }
  }

  /** Return what was kept of this very analysis, if the page was reloaded or come back to. */
  #loadDraft() {
    const [entry] = performance.getEntriesByType("navigation");
    const kind = entry instanceof PerformanceNavigationTiming ? entry.type : "";
    if (kind !== "reload" && kind !== "back_forward") return null;
    try {
      const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
      const { nodes: _, ...opened } = this.#opened;
      const isSame = draft?.address === location.pathname + location.search;
      return isSame && JSON.stringify(draft.opened) === JSON.stringify(opened) ? draft : null;
    } catch {
      return null;
    }
  }

  /** @param {TreeMove} node @param {BoardAnswer} answer */
  #describeMove(node, { words, picture, result }) {
    const name = this.#seats.names[node.seat];
    const told = node.parent && words ? `${node.path.length}. ${name} ${words}.` : "Start.";
    const turn = picture.seat === null ? asSentence(result) : `${this.#seats.names[picture.seat]} to move.`;
    const others = node.children.length > 1 ? ` ${node.children.length} continuations.` : "";
    return `${told} ${turn}${others}${node.comment ? ` ${node.comment}` : ""}`;
  }

  #describePosition() {
    if (!this.#shown) return "Loading.";
    const { picture } = this.#shown;
    const scores = this.#seats.names.map((name, seat) => `${name} ${picture.scores[seat]}`).join(", ");
    const facts = picture.facts.map(
      ([seat, name, value]) => `${seat === null ? "" : `${this.#seats.names[seat]}: `}${name} ${value}`,
    );
    const points = this.#seats.hasPoints ? `${scores}. ` : "";
    return `${this.#describeMove(this.#tree.current, this.#shown)} ${points}${facts.join(", ")}.`;
  }

  /** Speak a sentence, for screen readers. @param {string} sentence */
  #announce(sentence) {
    if (!sentence) return;
    const log = byId("announcer");
    log.append(make("p", {}, capitalise(sentence)));
    while (log.childElementCount > 20) log.firstElementChild?.remove();
  }
}

/** Draw what a seat holds, as small as a word. @param {Token} token @param {string | null} text */
function makeTile(token, text) {
  const picture = text ? parsePicture(text) : null;
  const tile = make(
    "span",
    { class: "tile", title: token },
    picture,
    make("span", { class: picture ? "hidden" : "" }, token),
  );
  setOrRemove(tile, "data-token-name", token);
  return tile;
}

new AnalysisPage();
