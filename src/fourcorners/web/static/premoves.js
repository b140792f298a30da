// Premoves: one move to play whatever the opponents do, or replies to certain moves of theirs.

import { closest, focusScene, keepFocus } from "./dom.js";
import { Overlays } from "./overlays.js";
import { Badge } from "./parts.js";
import { html, signal } from "./preact.js";
import { past, table } from "./table.js";
import { activeSeats, hasOpponents } from "./table_state.js";

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
  #version = -1;
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
    page.client.on("premoves", (message) => {
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
    this.#version = state.version;
    if (this.draft.value && (hasChanged || this.seat === null)) this.#drop(isCurrent);
    if (hasChanged) this.note.value = "";
    this.#mark();
  }

  /** Begin a premove with an element; return false if no one may premove now. @param {SceneNode} node */
  beginAt(node) {
    if (this.seat === null || this.draft.value) return false;
    this.begin([null], node);
    return true;
  }

  /** Begin a line. @param {PremoveLine} line @param {SceneNode | null} node the element to choose first */
  async begin(line, node = null) {
    const wasPressed = document.activeElement?.closest("#premoves");
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
    const { seat } = this;
    const version = this.#version;
    if (seat === null) return false;
    const answer = await client.ask("preview", { seat, line });
    if (version !== this.#version || this.seat === null) return false;
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
      this.send(addLine(this.saved.value.lines, [null, move]));
    } else if (draft && draft.line.length < LONGEST_LINE) {
      await this.#tryLine([...draft.line, move], [...draft.movers, draft.mover]);
    }
    return { type: "done" };
  }

  save() {
    if (this.draft.value) this.send(addLine(this.saved.value.lines, this.draft.value.line));
    this.stop();
  }

  undo() {
    const { line, movers } = this.draft.value ?? { line: [], movers: [] };
    this.#tryLine(line.slice(0, -1), movers.slice(0, -1));
  }

  /** Let the server keep these lines and no others. @param {PremoveLine[]} lines */
  send(lines) {
    const [seat, ply] = [this.seat ?? this.saved.value.seat, table.value?.ply ?? 0];
    if (seat === null) return;
    const isSent = this.#page.client.post("premoves", { seat, ply, lines: lines.slice(0, MOST_LINES) });
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
    if (this.draft.value) this.stop();
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
  const isSlow = state?.settings.clock?.kind === "days" && !state.game.hidden;
  const made = draft && premoves.isConditional ? draft.line : [];
  const text = premoves.note.value || (draft && state ? describeDraft(draft, seat, state.names) : "");
  const items = saved.map((line, index) => {
    const remove = () => premoves.send(lines.filter((_, each) => each !== index));
    const label = `Delete premove ${line.map((move) => move ?? "any move").join(", ")}`;
    const button = html`<button type="button" aria-label=${label} onClick=${remove}>✕</button>`;
    return html`<${Line} line=${line} movers=${movers[index] ?? []}>${lines.length > 1 && button}<//>`;
  });
  if (made.length) items.push(html`<${Line} line=${made} movers=${draft?.movers} />`);
  /** @type {[string, string, unknown, () => void][]} */
  const choices = [
    ["begin", "Set a premove", isIdle && !saved.some(isUnconditional), () => premoves.begin([null])],
    ["answers", "Conditional premoves", isIdle && isSlow && saved.length < MOST_LINES, () => premoves.begin([])],
    ["keep", "Save line", made.length > 1 && draft?.movers.at(-1) === seat, () => premoves.save()],
    ["back", "Undo last move", made.length, () => premoves.undo()],
    ["stop", "Cancel", draft, () => premoves.stop()],
    ["clear", "Clear premove", saved.length === 1, () => premoves.send([])],
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
