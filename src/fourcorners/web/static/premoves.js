// Premoves: one move to play whatever the opponents do, or replies to certain moves of theirs.

import { byId, closest, focusScene, keepFocus, make, makeBadge, makeButton, setText } from "./dom.js";
import { Overlays } from "./overlays.js";
import { activeSeats, hasOpponents } from "./table_state.js";
import { asSentence } from "./text.js";

const MOST_LINES = 16;
const LONGEST_LINE = 16;

/** Return whether a line is played whatever the opponents do. @param {PremoveLine} line */
function isUnconditional(line) {
  return line[0] === null;
}

/**
 * Add a line once to the others. Replies to certain moves come first, then at most one unconditional premove.
 * @param {PremoveLine[]} lines @param {PremoveLine} line
 */
export function addLine(lines, line) {
  const isSame = (/** @type {PremoveLine} */ each) => JSON.stringify(each) === JSON.stringify(line);
  const conditional = lines.filter((each) => !isUnconditional(each) && !isSame(each));
  if (isUnconditional(line)) return [...conditional, line];
  return [...conditional, line, ...lines.filter(isUnconditional)];
}

/** Say what a seat does next to make a line. @param {Draft} draft @param {Seat | null} seat @param {string[]} names */
export function describeDraft({ line, movers, mover }, seat, names) {
  if (isUnconditional(line)) return "Choose the move to play, whatever happens before it.";
  if (mover === null) return "This would end the game.";
  if (mover === seat) return movers.at(-1) === seat ? "You would move again." : "Now choose your reply.";
  return line.length ? `${names[mover]} would move next.` : `Choose a move for ${names[mover]} on the board.`;
}

export class Premoves {
  #page;
  #overlays = new Overlays();
  /** @type {TableState | null} */ #state = null;
  /** @type {Omit<PremovesMessage, "type" | "seat"> & { seat: Seat | null }} the lines that the server keeps */
  #saved = { lines: [], movers: [], seat: null };
  /** @type {Seat | null} */ #seat = null; // the seat that may premove now
  /** @type {Draft | null} */ #draft = null;
  #note = "";
  /** @type {Record<Token, string>} */ labels = {}; // names of choices that no element stands for

  /** @param {PremovePage} page */
  constructor(page) {
    this.#page = page;
    page.client.on("premoves", (message) => {
      this.#saved = message;
      keepFocus(() => this.#show());
    });
    const actions = {
      begin: () => this.#begin([null]),
      answers: () => this.#begin([]),
      keep: () => this.#save(),
      back: () => this.#undo(),
      stop: () => this.#stop(),
      clear: () => this.#send([]),
    };
    for (const [name, action] of Object.entries(actions)) byId(`premove-${name}`).addEventListener("click", action);
    document.addEventListener("keydown", (event) => this.#onKey(event));
    new ResizeObserver(() => this.#mark()).observe(page.scene);
  }

  /** Whether a conditional line is made, on a board of its own. */
  get #isConditional() {
    return this.#draft !== null && !isUnconditional(this.#draft.line);
  }

  /** Take the shown position. @param {TableState} state @param {boolean} isCurrent */
  update(state, isCurrent) {
    const hasChanged = state.version !== this.#state?.version;
    this.#state = state;
    const seats = activeSeats(state);
    const isOthersTurn = state.started && !state.over && !state.mine && !state.curtain && hasOpponents(state);
    const seat = state.viewer !== null && seats.includes(state.viewer) ? state.viewer : seats[0];
    this.#seat = isCurrent && isOthersTurn ? (seat ?? null) : null;
    if (this.#draft && (hasChanged || this.#seat === null)) this.#drop(isCurrent);
    if (hasChanged) this.#note = "";
    this.#show();
  }

  /** Begin a premove with an element; return false if nobody may premove now. @param {SceneNode} node */
  beginAt(node) {
    if (this.#seat === null || this.#draft) return false;
    this.#begin([null], node);
    return true;
  }

  /** Begin a line. @param {PremoveLine} line @param {SceneNode | null} node the element to choose first */
  async #begin(line, node = null) {
    const wasPressed = document.activeElement?.closest("#premoves") !== null;
    const movers = line.map(() => null);
    if (!(await this.#tryLine(line, movers))) return;
    const { input } = this.#page;
    if (node) input.point(node);
    else if (wasPressed) focusScene();
  }

  /**
   * Let the moves that follow a line be chosen.
   * @param {PremoveLine} line @param {(Seat | null)[]} movers
   * @returns {Promise<boolean>} false if the line cannot be played, or the position has changed
   */
  async #tryLine(line, movers) {
    const { client, picture, scene, geometry, input } = this.#page;
    const seat = this.#seat;
    if (seat === null) return false;
    const version = this.#state?.version;
    const answer = await client.ask("preview", { seat, line });
    if (version !== this.#state?.version || this.#seat === null) return false;
    if (!answer || answer.sentence) {
      this.#note = answer ? asSentence(answer.sentence ?? "") : "Not connected.";
      this.#show();
      return false;
    }
    this.#note = "";
    this.#draft = { line, movers, mover: answer.mover ?? null };
    this.labels = answer.labels ?? {};
    if (answer.board && line.length) picture.showPast(answer.board, answer.tray ?? null);
    else if (picture.isPast) picture.showCurrent();
    scene.classList.toggle("trial", picture.isPast);
    scene.classList.add("planning");
    geometry.clear();
    /** @type {MoveSource["complete"]} */ const complete = (tokens) => client.ask("preview", { seat, line, tokens });
    input.reset(answer.moves ?? null, true, { source: { complete, play: (move) => this.#onMove(move) } });
    this.#show();
    return true;
  }

  /** Take a move that was chosen: it is the premove, or the next move of a conditional line. @param {string} move */
  async #onMove(move) {
    const draft = this.#draft;
    if (draft && !this.#isConditional) {
      this.#drop(true);
      this.#page.restart();
      this.#send(addLine(this.#saved.lines, [null, move]));
    } else if (draft && draft.line.length < LONGEST_LINE) {
      await this.#tryLine([...draft.line, move], [...draft.movers, draft.mover]);
    }
    return { type: "done" };
  }

  #save() {
    if (this.#draft) this.#send(addLine(this.#saved.lines, this.#draft.line));
    this.#stop();
  }

  #undo() {
    if (this.#draft) this.#tryLine(this.#draft.line.slice(0, -1), this.#draft.movers.slice(0, -1));
  }

  /** Let the server keep these lines and no others. @param {PremoveLine[]} lines */
  #send(lines) {
    const [seat, ply] = [this.#seat ?? this.#saved.seat, this.#state?.ply ?? 0];
    if (seat === null) return;
    const isSent = this.#page.client.post("premoves", { seat, ply, lines: lines.slice(0, MOST_LINES) });
    this.#note = isSent ? "" : "Not connected: your premove was not saved.";
    this.#show();
  }

  /** Drop the line that is being made, and let the moves of the game be chosen. */
  #stop() {
    this.#drop(true);
    this.#page.restart();
    this.#show();
    byId(byId("premove-answers").hidden ? "premove-begin" : "premove-answers").focus({ preventScroll: true });
  }

  /** Drop the line that is being made. @param {boolean} isCurrent whether the current position is to be shown */
  #drop(isCurrent) {
    const { scene, picture, geometry } = this.#page;
    const wasTrial = this.#isConditional && scene.classList.contains("trial");
    this.#draft = null;
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
    if (this.#draft) this.#stop();
    else if (this.#saved.lines.length === 1 && isUnconditional(this.#saved.lines[0])) this.#send([]);
    else return;
    event.preventDefault();
  }

  /** Show the saved lines or the one that is being made, with the buttons that fit. */
  #show() {
    const draft = this.#draft;
    const state = this.#state;
    const lines = state?.over || draft ? [] : this.#saved.lines;
    const isIdle = !draft && this.#seat !== null;
    const isSlow = state?.settings.clock?.kind === "days" && !state.game.hidden;
    const endsWithOwnMove = draft?.movers.at(-1) === this.#seat;
    const buttons = {
      begin: isIdle && !lines.some(isUnconditional),
      answers: isIdle && isSlow && lines.length < MOST_LINES,
      keep: draft && this.#isConditional && draft.line.length > 1 && endsWithOwnMove,
      back: draft && this.#isConditional && draft.line.length > 0,
      stop: draft !== null,
      clear: lines.length === 1,
    };
    for (const [name, isShown] of Object.entries(buttons)) byId(`premove-${name}`).hidden = !isShown;
    const text = this.#note || (draft && state ? describeDraft(draft, this.#seat, state.names) : "");
    setText(byId("premove-text"), text);
    const items = lines.map((line, index) => this.#makeSavedLine(line, index));
    if (draft?.line.length && this.#isConditional) items.push(makeLine(draft.line, draft.movers));
    byId("premove-lines").replaceChildren(...items);
    byId("premoves").hidden = !text && !items.length && !Object.values(buttons).some(Boolean);
    this.#mark();
  }

  /** Make a list item; of several lines each can be deleted. @param {PremoveLine} line @param {number} index */
  #makeSavedLine(line, index) {
    const item = makeLine(line, this.#saved.movers[index] ?? []);
    if (this.#saved.lines.length < 2) return item;
    const remove = () => this.#send(this.#saved.lines.filter((_, each) => each !== index));
    const moves = line.map((move) => move ?? "any move").join(", ");
    item.append(makeButton("✕", remove, { "aria-label": `Delete premove ${moves}` }));
    return item;
  }

  /** Outline the unconditional premove on the board. */
  #mark() {
    this.#overlays.clear();
    const { picture } = this.#page;
    const move = this.#saved.lines.find(isUnconditional)?.[1];
    if (move && !this.#draft && this.#state && !this.#state.over && !picture.isPast && picture.board) {
      this.#overlays.outlineMove(picture, move.split(" "), "premove-marks", "premove");
    }
  }
}

/** Make the item of a line, with who plays each move. @param {PremoveLine} line @param {(Seat | null)[]} movers */
function makeLine(line, movers) {
  const moves = line.flatMap((move, index) => {
    const mover = movers[index] ?? null;
    const sign = mover === null ? null : makeBadge(mover);
    const isAny = move === null;
    const text = isAny ? make("span", { class: "any" }, "any move") : make("span", { class: "move" }, sign, move);
    return index ? [make("span", { class: "then", "aria-label": "then" }, "→"), text] : [text];
  });
  const start = make("span", { class: "then" }, isUnconditional(line) ? "After" : "If");
  return make("li", {}, make("span", { class: "premove-line" }, start, ...moves));
}
