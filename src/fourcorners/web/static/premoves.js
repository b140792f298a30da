// Premoves: one move to play whatever the opponents do, or a tree of replies to certain moves of theirs.

import { closest, focusScene, keepFocus, waitForRelease } from "./dom.js";
import { Overlays } from "./overlays.js";
import { Badge } from "./parts.js";
import { html, signal } from "./preact.js";
import { addLine, buildTree, countMoves, findMove, listLines, listRow, MOST_MOVES, prune } from "./premove_tree.js";
import { past, table } from "./table.js";
import { activeSeats, hasOpponents } from "./table_state.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */
const LONGEST_LINE = 32;

/** Return whether a line is played whatever the opponents do. @param {PremoveLine} line */
function isUnconditional(line) {
  return line[0] === null;
}

/** Say what a seat does next to make a line. @param {Draft} draft @param {Seat | null} seat @param {string[]} names */
export function describeDraft({ line, movers, mover }, seat, names) {
  if (isUnconditional(line)) return "Choose a move to play, regardless of the moves before it.";
  if (mover === null) return "This would end the game.";
  if (mover === seat) return movers.at(-1) === seat ? "You would move again." : "Now choose your reply.";
  return line.length ? `${names[mover]} would move next.` : `Choose a move for ${names[mover]} on the board.`;
}

export class Premoves {
  #page;
  #overlays = new Overlays();
  #version = -1;
  /** @type {{ line: PremoveLine, movers: (Seat | null)[] } | null} the line whose preview is awaited */ #asked = null;
  /** @type {Promise<boolean> | null} */ #beginning = null; // of a premove that is begun on the board
  /** @type {PremovesMessage | null} */ #newest = null;
  /** The lines that the server keeps. */
  saved = signal(/** @type {SavedPremoves} */ ({ lines: [], movers: [], seat: null }));
  /** The line that is being made. */
  draft = signal(/** @type {Draft | null} */ (null));
  /** Why something did not work. */
  note = signal("");
  /** @type {Record<Token, string>} */ labels = {}; // names of choices that no element stands for

  /** @param {PremovePage} page */
  constructor(page) {
    this.#page = page;
    page.client.on("premoves", async (message) => {
      this.#newest = message;
      await waitForRelease();
      if (message !== this.#newest) return;
      keepFocus(() => {
        this.saved.value = message;
      });
      this.#mark();
    });
    document.addEventListener("keydown", (event) => this.#onKey(event));
    new ResizeObserver(() => this.#mark()).observe(page.scene);
  }

  /** Whether a conditional line is made, on its own board. */
  get isConditional() {
    return this.draft.value !== null && !isUnconditional(this.draft.value.line);
  }

  /** The seat that may premove now. @returns {Seat | null} */
  get seat() {
    const state = table.value;
    if (!state || past.value || !state.started || state.over || state.mine || state.curtain) return null;
    if (!hasOpponents(state)) return null;
    const seats = activeSeats(state);
    return (state.viewer !== null && seats.includes(state.viewer) ? state.viewer : seats[0]) ?? null;
  }

  /** Take the shown position. @param {TableState} state @param {boolean} isCurrent */
  update(state, isCurrent) {
    const hasChanged = state.version !== this.#version;
    // The server has deleted them.
    if (state.over && this.saved.value.lines.length) this.saved.value = { lines: [], movers: [], seat: null };
    this.#version = state.version;
    if (this.draft.value && (hasChanged || this.seat === null)) this.#drop(isCurrent);
    if (hasChanged) this.note.value = "";
    this.#mark();
  }

  /** Begin a premove with an element; return false if no one may premove now. @param {SceneNode} node */
  beginAt(node) {
    if (this.seat === null || this.draft.value) return false;
    // More elements may be chosen before the answer.
    this.#beginning ??= this.#tryLine([null], [null]).finally(() => {
      this.#beginning = null;
    });
    this.#beginning.then((hasBegun) => {
      if (hasBegun) this.#page.input.point(node);
    });
    return true;
  }

  /** Begin a line. @param {PremoveLine} line @param {(Seat | null)[]} movers who plays the moves of the line */
  async begin(line, movers = line.map(() => null)) {
    const wasPressed = document.activeElement?.closest("#premoves");
    if ((await this.#tryLine(line, movers)) && wasPressed) focusScene();
  }

  /**
   * Let the moves that follow a line be chosen.
   * @param {PremoveLine} line @param {(Seat | null)[]} movers
   * @returns {Promise<boolean>} false if the line cannot be played, or is not wanted any more
   */
  async #tryLine(line, movers) {
    const { client, picture, scene, geometry, input } = this.#page;
    const { seat } = this;
    if (seat === null) return false;
    const [version, asked] = [this.#version, { line, movers }];
    this.#asked = asked;
    const answer = await client.ask("preview", { seat, line });
    if (asked !== this.#asked) return false;
    this.#asked = null;
    if (version !== this.#version || seat !== this.seat) return this.#tryLine(line, movers);
    if (!answer || answer.sentence) {
      this.note.value = answer ? (answer.sentence ?? "") : "Not connected.";
      return false;
    }
    this.note.value = "";
    this.draft.value = { line, movers, mover: answer.mover ?? null };
    this.labels = answer.labels ?? {};
    if (answer.board && line.length) picture.showPast(answer.board, answer.tray ?? null);
    else if (picture.isPast) picture.showCurrent();
    scene.classList.toggle("trial", picture.isPast);
    scene.classList.add("planning");
    geometry.clear();
    /** @type {MoveSource["complete"]} */ const complete = (tokens) => client.ask("preview", { seat, line, tokens });
    input.reset(answer.moves ?? null, true, { source: { complete, play: (move) => this.#onMove(move) } });
    this.#mark();
    return true;
  }

  /** Take a move that was chosen: it is the premove, or the next move of a conditional line. @param {string} move */
  async #onMove(move) {
    const draft = this.draft.value;
    if (draft && !this.isConditional) {
      this.#drop(true);
      this.#page.restart();
      this.send([...listLines(this.tree, this.saved.value.seat), [null, move]]);
    } else if (draft && draft.line.length < LONGEST_LINE) {
      await this.#tryLine(...this.#followReplies([...draft.line, move], [...draft.movers, draft.mover]));
    }
    return { type: "done" };
  }

  /** The tree of the saved conditional lines. */
  get tree() {
    const { lines, movers } = this.saved.value;
    const conditional = [...lines.keys()].filter((index) => !isUnconditional(lines[index]));
    return buildTree(
      conditional.map((index) => lines[index]),
      conditional.map((index) => movers[index]),
    );
  }

  /**
   * Continue a line with the replies that are saved after it: only what the others play then is to be chosen.
   * @param {PremoveLine} line @param {(Seat | null)[]} movers @returns {[PremoveLine, (Seat | null)[]]}
   */
  #followReplies(line, movers) {
    let node = findMove(this.tree, line);
    const replies = [];
    while (node?.children.length === 1 && node.children[0].seat === this.seat) {
      [node] = node.children;
      replies.push(node);
    }
    return [
      [...line, ...replies.map((each) => each.move)],
      [...movers, ...replies.map((each) => each.seat)],
    ];
  }

  save() {
    const draft = this.draft.value;
    if (draft) {
      const { tree } = this;
      addLine(tree, draft.line, draft.movers, this.seat);
      this.#sendTree(tree);
    }
    this.stop();
  }

  /** Continue the tree after one of its moves. @param {TreeMove} node */
  extend(node) {
    this.begin(
      node.path,
      node.line.map((each) => each.seat),
    );
  }

  /** Delete a move of the tree with all that follows it. @param {TreeMove} node */
  remove(node) {
    let root = node;
    while (root.parent) root = root.parent;
    prune(node);
    this.#sendTree(root);
  }

  /** Let the server keep a tree in place of the one that is saved. @param {TreeMove} tree */
  #sendTree(tree) {
    const seat = this.seat ?? this.saved.value.seat;
    this.send([...listLines(tree, seat), ...this.saved.value.lines.filter(isUnconditional)]);
  }

  undo() {
    const { line, movers } = this.#asked ?? this.draft.value ?? { line: [], movers: [] };
    this.#tryLine(line.slice(0, -1), movers.slice(0, -1));
  }

  /** Let the server keep these lines and no others. @param {PremoveLine[]} lines */
  send(lines) {
    const [seat, ply] = [this.seat ?? this.saved.value.seat, table.value?.ply ?? 0];
    if (seat === null) return;
    const isSent = this.#page.client.post("premoves", { seat, ply, lines });
    this.note.value = isSent ? "" : "Not connected: your premove was not saved.";
  }

  /** Drop the line that is being made, and let the moves of the game be chosen. */
  stop() {
    this.#drop(true);
    this.#page.restart();
    this.#mark();
    (document.getElementById("premove-answers") ?? document.getElementById("premove-begin"))?.focus({
      preventScroll: true,
    });
  }

  /** Drop the line that is being made. @param {boolean} isCurrent whether the current position is to be shown */
  #drop(isCurrent) {
    const { scene, picture, geometry } = this.#page;
    const wasTrial = this.isConditional && scene.classList.contains("trial");
    this.draft.value = null;
    this.#asked = null;
    this.labels = {};
    scene.classList.remove("trial", "planning");
    if (wasTrial && isCurrent) {
      picture.showCurrent();
      geometry.clear();
    }
  }

  /** Let Escape drop a line, or delete the only premove. @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== "Escape" || event.defaultPrevented || closest(event, "input, textarea, details[open]")) return;
    const [first, ...rest] = this.saved.value.lines;
    if (this.draft.value || this.#asked) this.stop();
    else if (first && !rest.length && isUnconditional(first)) this.send([]);
    else return;
    event.preventDefault();
  }

  /** Outline the unconditional premove on the board. */
  #mark() {
    this.#overlays.clear();
    const { picture } = this.#page;
    const move = this.saved.value.lines.find(isUnconditional)?.[1];
    if (move && !this.draft.value && table.value && !table.value.over && !picture.isPast && picture.board) {
      this.#overlays.outlineMove(picture, move.split(" "), "premove-marks", "premove");
    }
  }
}

/** The saved lines or the one that is being made, with the buttons that fit. @param {{ premoves: Premoves }} props */
export function PremoveList({ premoves }) {
  const state = table.value;
  const draft = premoves.draft.value;
  const { lines, movers } = premoves.saved.value;
  const saved = !state || state.over || draft ? [] : lines;
  const { seat } = premoves;
  const isIdle = !draft && seat !== null;
  const clock = state?.settings.clock;
  const isSlow = (!clock || clock.kind === "days") && !state?.game.hidden;
  const made = draft && premoves.isConditional ? draft.line : [];
  const text = premoves.note.value || (draft && state ? describeDraft(draft, seat, state.names) : "");
  const tree = saved.length ? premoves.tree : null;
  const items = (tree?.children ?? []).map((node) => html`<${Branch} node=${node} premoves=${premoves} />`);
  saved.forEach((line, index) => {
    if (!isUnconditional(line)) return;
    const remove = () => premoves.send(lines.filter((_, each) => each !== index));
    const label = `Delete premove ${line.map((move) => move ?? "any move").join(", ")}`;
    const button = html`<button type="button" aria-label=${label} onClick=${remove}>✕</button>`;
    items.push(html`<${Line} line=${line} movers=${movers[index] ?? []}>${lines.length > 1 && button}<//>`);
  });
  if (made.length) items.push(html`<${Line} line=${made} movers=${draft?.movers} />`);
  /** @type {[string, string, unknown, () => void][]} */
  const choices = [
    ["begin", "Set a premove", isIdle && !saved.some(isUnconditional), () => premoves.begin([null])],
    [
      "answers",
      "Conditional premoves",
      isIdle && isSlow && (!tree || countMoves(tree) < MOST_MOVES),
      () => premoves.begin([]),
    ],
    ["keep", "Save line", made.length > 1 && draft?.movers.at(-1) === seat, () => premoves.save()],
    ["back", "Undo last move", made.length, () => premoves.undo()],
    ["stop", "Cancel", draft, () => premoves.stop()],
    ["clear", saved.length > 1 ? "Clear premoves" : "Clear premove", saved.length, () => premoves.send([])],
  ];
  const buttons = choices.filter(([, , isShown]) => isShown);
  return html`<div class="premoves" id="premoves" role="group" aria-label="Premoves"
    hidden=${!text && !items.length && !buttons.length}>
    <p class="premove-text" id="premove-text" role="status">${text}</p>
    <ol class="premove-lines" id="premove-lines" role="list">${items}</ol>
    <div class="row">${buttons.map(
      ([id, label, , press]) => html`<button type="button" key=${id} id="premove-${id}"
      class=${id === "keep" ? "primary" : ""} onClick=${press}>${label}</button>`,
    )}</div></div>`;
}

/** A move of the tree with the replies to it, and below them what may follow. @param {{ node: TreeMove, premoves: Premoves }} props @returns {unknown} */
function Branch({ node, premoves }) {
  const seat = premoves.seat ?? premoves.saved.value.seat;
  const row = listRow(node, seat);
  const last = row[row.length - 1];
  const name = last.path.join(", ");
  const start = node.parent?.parent ? "then if" : "If";
  const moves = row.map(
    (each, index) => html`${index > 0 && html`<span class="then" aria-label="then">→</span>`}
      <span class="move"><${Badge} seat=${each.seat} />${each.move}</span>`,
  );
  return html`<li><div class="premove-branch"><span class="premove-line"><span class="then">${start}</span>${moves}</span>
    ${
      last.seat === seat &&
      html`<button type="button" aria-label="Continue after ${name}" title="Continue"
      disabled=${premoves.seat === null} onClick=${() => premoves.extend(last)}>+</button>`
    }
    <button type="button" aria-label="Delete premove ${name}" title="Delete" onClick=${() => premoves.remove(node)}>✕</button></div>
    ${last.children.length > 0 && html`<ol role="list">${last.children.map((each) => html`<${Branch} node=${each} premoves=${premoves} />`)}</ol>`}</li>`;
}

/** A line, with who plays each move. @param {{ line: PremoveLine, movers: (Seat | null)[], children?: unknown }} props */
function Line({ line, movers, children }) {
  const moves = line.map((move, index) => {
    const mover = movers[index] ?? null;
    const then = html`<span class="then" aria-label="then">→</span>`;
    const named = html`<span class="move">${mover !== null && html`<${Badge} seat=${mover} />`}${move}</span>`;
    return html`${index > 0 && then}${move === null ? html`<span class="any">any move</span>` : named}`;
  });
  const start = html`<span class="then">${isUnconditional(line) ? "After" : "If"}</span>`;
  return html`<li><span class="premove-line">${start}${moves}</span>${children}</li>`;
}
