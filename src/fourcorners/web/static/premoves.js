// Premoves: one move to play whatever the opponents do, or replies to certain moves of theirs.

import { badge, byId, closest, make, setText } from "./dom.js";
import { Overlays } from "./overlays.js";
import { activeSeats } from "./table_state.js";
import { asSentence } from "./text.js";

/**
 * What the premoves need from the page. `restart` lets the moves of the game be chosen again.
 * @typedef {object} PremovePage
 * @property {TableClient} client
 * @property {Picture} picture
 * @property {Geometry} geometry
 * @property {MoveInput} input
 * @property {HTMLElement} scene
 * @property {() => void} restart
 *
 * A line that is being made: its moves so far, who plays each of them, and who is to move then.
 * @typedef {{ line: PremoveLine, movers: (Seat | null)[], mover: Seat | null }} Draft
 */

const MOST_LINES = 16;
const LONGEST_LINE = 16;
const NOT_CONNECTED = "Not connected: your premove was not saved.";

/**
 * Return whether a line is a premove for whatever the opponents do, not a reply to certain moves.
 * @param {PremoveLine} line
 */
export function isUnconditional(line) {
  return line[0] === null;
}

/**
 * Add a line to the others, without repeating it. Replies to certain moves come first, and there is one unconditional
 * premove at most.
 * @param {PremoveLine[]} lines @param {PremoveLine} line
 */
export function addLine(lines, line) {
  const isSame = (/** @type {PremoveLine} */ each) => JSON.stringify(each) === JSON.stringify(line);
  const conditional = lines.filter((each) => !isUnconditional(each) && !isSame(each));
  if (isUnconditional(line)) return [...conditional, line];
  return [...conditional, line, ...lines.filter(isUnconditional)];
}

/** Write a line for screen readers: "a1, b2". @param {PremoveLine} line */
function describeLine(line) {
  return line.map((move) => move ?? "any move").join(", ");
}

/**
 * Say what to do next while a line is made.
 * @param {Draft} draft @param {Seat | null} seat the seat that premoves @param {string[]} names
 */
export function describeDraft({ line, movers, mover }, seat, names) {
  if (isUnconditional(line)) return "Choose the move to play, whatever happens before it.";
  if (mover === null) return "This would end the game.";
  if (mover === seat) return movers.at(-1) === seat ? "You would move again." : "Now choose your reply.";
  return line.length ? `${names[mover]} would move next.` : `Choose a move for ${names[mover]} on the board.`;
}

export class Premoves {
  #page;
  #overlays = new Overlays();
  /** @type {TableState | null} */
  #state = null;
  /** @type {number | null} */
  #version = null;
  /** @type {PremoveLine[]} as the server keeps them */
  #lines = [];
  /** @type {(Seat | null)[][]} who plays the moves of each line */
  #movers = [];
  /** @type {Seat | null} the seat of these lines */
  #linesSeat = null;
  /** @type {Seat | null} the seat that may premove now */
  #seat = null;
  /** @type {Draft | null} */
  #draft = null;
  #note = "";
  /** @type {Record<Token, string>} names of choices that no element stands for */
  labels = {};

  /** @param {PremovePage} page */
  constructor(page) {
    this.#page = page;
    page.client.on("plan", (message) => this.#onLines(message));
    const actions = {
      begin: () => this.#begin([null]),
      answers: () => this.#begin([]),
      keep: () => this.#save(),
      back: () => this.#undo(),
      stop: () => this.#stop(),
      clear: () => this.#send([]),
    };
    for (const [name, action] of Object.entries(actions)) byId(`plan-${name}`).addEventListener("click", action);
    document.addEventListener("keydown", (event) => this.#onKey(event));
    new ResizeObserver(() => this.#mark()).observe(page.scene);
  }

  /** Whether a conditional line is made, on a board of its own. */
  get #isConditional() {
    return this.#draft !== null && !isUnconditional(this.#draft.line);
  }

  /**
   * Take the position that is shown now.
   * @param {TableState} state @param {boolean} isCurrent whether the current position is shown
   * @param {boolean} withOpponents
   */
  update(state, isCurrent, withOpponents) {
    const hasChanged = state.version !== this.#version;
    this.#state = state;
    this.#version = state.version;
    const seats = activeSeats(state);
    const canPremove = isCurrent && withOpponents && state.started && !state.over && !state.mine && !state.curtain;
    const seat = state.viewer !== null && seats.includes(state.viewer) ? state.viewer : seats[0];
    this.#seat = canPremove ? (seat ?? null) : null;
    if (this.#draft && (hasChanged || this.#seat === null)) this.#drop(isCurrent);
    if (hasChanged) this.#note = "";
    this.#show();
  }

  /**
   * Begin a premove with an element at which somebody points while it is not their turn.
   * @param {SceneNode} node @returns {boolean} false if nobody may premove here now
   */
  beginAt(node) {
    if (this.#seat === null || this.#draft) return false;
    this.#begin([null], node);
    return true;
  }

  /** @param {PremovesMessage} message */
  #onLines({ seat, lines, movers }) {
    this.#lines = lines;
    this.#movers = movers;
    this.#linesSeat = seat;
    this.#show();
  }

  /** @param {PremoveLine} line @param {SceneNode | null} node the element to choose first */
  async #begin(line, node = null) {
    const wasPressed = document.activeElement?.closest("#plan") !== null;
    const movers = line.map(() => null);
    if (!(await this.#tryLine(line, movers))) return;
    if (node) this.#page.input.point(node);
    else if (wasPressed) {
      const tabbable = /** @type {SVGElement | null} */ (this.#page.scene.querySelector('[tabindex="0"]'));
      tabbable?.focus({ preventScroll: true });
    }
  }

  /**
   * Let the moves that follow a line be chosen.
   * @param {PremoveLine} line @param {(Seat | null)[]} movers
   * @returns {Promise<boolean>} false if the line cannot be played, or the position has changed
   */
  async #tryLine(line, movers) {
    const { client, picture, scene, geometry, input } = this.#page;
    const seat = this.#seat;
    const version = this.#version;
    const answer = await client.ask("try", { seat, line });
    if (version !== this.#version || this.#seat === null) return false;
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
    input.reset(answer.moves ?? null, true, {
      source: {
        complete: (tokens) => client.ask("try", { seat, line, tokens }),
        play: (move) => this.#onMove(move),
      },
    });
    this.#show();
    return true;
  }

  /** Take a move that was chosen: it is the premove, or the next move of a conditional line. @param {string} move */
  async #onMove(move) {
    const draft = this.#draft;
    if (draft && !this.#isConditional) {
      this.#drop(true);
      this.#page.restart();
      this.#send(addLine(this.#lines, [null, move]));
    } else if (draft && draft.line.length < LONGEST_LINE) {
      await this.#tryLine([...draft.line, move], [...draft.movers, draft.mover]);
    }
    return { type: "done" };
  }

  #save() {
    if (this.#draft) this.#send(addLine(this.#lines, this.#draft.line));
    this.#stop();
  }

  #undo() {
    if (this.#draft) this.#tryLine(this.#draft.line.slice(0, -1), this.#draft.movers.slice(0, -1));
  }

  /** @param {PremoveLine[]} lines all lines that the server is to keep */
  #send(lines) {
    const ply = this.#state?.ply ?? 0;
    const isSent = this.#page.client.post("plan", {
      seat: this.#seat ?? this.#linesSeat,
      ply,
      lines: lines.slice(0, MOST_LINES),
    });
    this.#note = isSent ? "" : NOT_CONNECTED;
    this.#show();
  }

  #stop() {
    this.#drop(true);
    this.#page.restart();
    this.#show();
    byId(byId("plan-answers").hidden ? "plan-begin" : "plan-answers").focus({ preventScroll: true });
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

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== "Escape" || event.defaultPrevented || closest(event, "input, textarea, details[open]")) return;
    if (this.#draft) this.#stop();
    else if (this.#lines.length === 1 && isUnconditional(this.#lines[0])) this.#send([]);
    else return;
    event.preventDefault();
  }

  #show() {
    const draft = this.#draft;
    const state = this.#state;
    const lines = state?.over || draft ? [] : this.#lines;
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
    for (const [name, isShown] of Object.entries(buttons)) byId(`plan-${name}`).hidden = !isShown;
    const text = this.#note || (draft && state ? describeDraft(draft, this.#seat, state.names) : "");
    setText(byId("plan-text"), text);
    const items = draft
      ? [draft]
          .filter(({ line }) => line.length && !isUnconditional(line))
          .map(({ line, movers }) => makeLine(line, movers))
      : lines.map((line, index) => this.#makeSavedLine(line, index));
    byId("plan-lines").replaceChildren(...items);
    byId("plan").hidden = !text && !items.length && !Object.values(buttons).some(Boolean);
    this.#mark();
  }

  /** Make a list item; of several lines each can be deleted. @param {PremoveLine} line @param {number} index */
  #makeSavedLine(line, index) {
    const item = makeLine(line, this.#movers[index] ?? []);
    if (this.#lines.length < 2) return item;
    const remove = make("button", { type: "button", "aria-label": `Delete premove ${describeLine(line)}` }, "✕");
    remove.addEventListener("click", () => this.#send(this.#lines.filter((_, each) => each !== index)));
    item.append(remove);
    return item;
  }

  /** Outline the unconditional premove on the board. */
  #mark() {
    this.#overlays.clear();
    const { picture } = this.#page;
    const move = this.#lines.find(isUnconditional)?.[1];
    if (move && !this.#draft && this.#state && !this.#state.over && !picture.isPast && picture.board) {
      this.#overlays.outlineMove(picture, move.split(" "), "plan-marks", "premove");
    }
  }
}

/** @param {PremoveLine} line @param {(Seat | null)[]} movers */
function makeLine(line, movers) {
  const moves = line.flatMap((move, index) => {
    const mover = movers[index] ?? null;
    const sign = mover === null ? null : badge(mover);
    const text =
      move === null ? make("span", { class: "any" }, "any move") : make("span", { class: "move" }, sign, move);
    return index ? [make("span", { class: "then", "aria-label": "then" }, "→"), text] : [text];
  });
  const start = make("span", { class: "then" }, isUnconditional(line) ? "After" : "If");
  return make("li", {}, make("span", { class: "plan-line" }, start, ...moves));
}
