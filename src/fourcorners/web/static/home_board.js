// The small game on the home page: its first move creates a table, and the game goes on right there.

import { Announcer } from "./announcer.js";
import { askApi } from "./api_client.js";
import { CONNECTION_LOST, describeRetry } from "./connection_banner.js";
import { byId, focusScene, setText } from "./dom.js";
import { Geometry } from "./geometry.js";
import { Highlights } from "./highlights.js";
import { Keyboard } from "./keyboard.js";
import { MoveInput } from "./move_input.js";
import { Picture } from "./picture.js";
import { Pointer } from "./pointer.js";
import { describeNextStep, findGestures } from "./status_line.js";
import { TableClient } from "./table_client.js";
import { applyMessage, describeTurn } from "./table_state.js";

const OWN_SEAT = "me"; // the word of the API for the caller's own seat
const FAILED = "The game could not be started. Try again in a moment.";

export class HomeBoard {
  #place = byId("first");
  #board = byId("board");
  #start = this.#board.innerHTML.trim(); // the picture that the server drew
  #invitation = byId("status").textContent; // how to play, until the first move
  #picture = new Picture(this.#board, byId("tray"));
  #geometry = new Geometry();
  /** @type {TableClient | null} */ #client = null; // none before the first move
  /** @type {TableState | null} */ #state = null;
  #announcer = new Announcer();
  #input;
  #highlights;
  #keyboard;

  constructor() {
    this.#input = new MoveInput(this.#picture, {
      complete: async (tokens) => (await this.#client?.ask("complete", { tokens })) ?? null,
      play: (move) => this.#play(move),
    });
    const scene = byId("scene");
    const page = {
      scene,
      board: this.#board,
      picture: this.#picture,
      geometry: this.#geometry,
      input: this.#input,
    };
    this.#highlights = new Highlights(page);
    this.#keyboard = new Keyboard({
      ...page,
      highlights: this.#highlights,
      onFocus: () => {},
      onHint: () => {},
      onRules: () => {},
    });
    new Pointer({ ...page, highlights: this.#highlights, onRest: () => {} });
    new ResizeObserver(() => this.#geometry.clear()).observe(scene);
    this.#input.on("change", () => this.#refresh());
    this.#input.on("why", ({ text }) => this.#explain(text));
    this.#input.on("not-mine", () => this.#state && this.#say(`${describeTurn(this.#state)}.`));
    this.#input.on("lost-move", ({ sentence }) => this.#say(sentence || FAILED));
    byId("play-again").addEventListener("click", () => {
      if (this.#state) this.#chooseLevel(this.#state);
      this.#begin();
      focusScene();
    });
    this.#begin();
  }

  /** Show the start, with no table yet. */
  #begin() {
    this.#client?.close();
    this.#client = null;
    this.#state = null;
    this.#announcer = new Announcer();
    this.#picture.set(this.#start, null);
    this.#geometry.clear();
    byId("next").hidden = true;
    byId("own-page").hidden = true;
    byId("score-line").hidden = true;
    setText(byId("turn"), "Your turn");
    this.#say("");
    this.#input.reset(JSON.parse(this.#place.dataset.moves ?? "[]"), true);
  }

  /** After a win, meet the next level. @param {TableState} state */
  #chooseLevel({ game, outcome, seats }) {
    if (!outcome?.winners.some((seat) => seats.includes(seat)) || outcome.winners.length > 1) return;
    const level = String(Math.min(Number(this.#place.dataset.level) + 1, game.levels));
    this.#place.dataset.level = level;
    setText(byId("first-level"), level);
  }

  /** Play a move, the first one at a new table. @param {string} move @returns {Promise<MoveResult>} */
  async #play(move) {
    this.#say("");
    if (!this.#client) {
      const { game, options = "{}", level } = this.#place.dataset;
      const wanted = { game, options: JSON.parse(options), seats: [OWN_SEAT, `computer:${level}`], order: "given" };
      const { answer, sentence } = await askApi("/api/tables", wanted);
      if (!answer) return { type: "refused", sentence };
      this.#client = await this.#connect(answer.id);
    }
    return this.#client.sendMove(move);
  }

  /** Wait until a new table is shown. @param {string} id @returns {Promise<TableClient>} */
  async #connect(id) {
    const client = new TableClient(id);
    const link = /** @type {HTMLAnchorElement} */ (byId("own-page").firstElementChild);
    link.href = `/play/${id}`;
    byId("own-page").hidden = false;
    const isShown = new Promise((resolve) => client.on("state", resolve));
    client.on("state", (message) => this.#apply(message));
    client.on("patch", (message) => this.#apply(message));
    client.on("error", ({ sentence }) => this.#say(sentence));
    client.on("lost", () => this.#say(`${CONNECTION_LOST} ${describeRetry(0)}`));
    client.on("found", () => this.#say(""));
    client.connect();
    await isShown;
    return client;
  }

  /** Show a new state of the table. @param {StateMessage | PatchMessage} message */
  #apply(message) {
    const isSame = this.#state?.version === message.version;
    const state = applyMessage(this.#state, message);
    this.#state = state;
    if (message.type === "state") this.#picture.set(message.board, message.tray);
    else this.#picture.patch(message.patch);
    this.#geometry.clear();
    // After a loss of the connection the same version comes again: what was chosen stays.
    if (isSame) this.#refresh();
    else this.#input.reset(state.moves, state.mine && !state.over);
    setText(byId("score"), state.scores.join(" : "));
    // At the end the points stand beside the result.
    byId("score-line").hidden = state.over;
    setText(byId("turn"), describeTurn(state));
    this.#announcer.update(state);
    byId("next").hidden = !state.over;
    const { activeElement } = document;
    const isFree = activeElement === document.body || activeElement === byId("scene");
    if (state.over && isFree) byId("play-again").focus({ preventScroll: true });
  }

  /** Say why a move is illegal. @param {string} text */
  async #explain(text) {
    const answer = await this.#client?.ask("why", { text });
    if (answer?.sentence) this.#say(answer.sentence);
  }

  /** @param {string} sentence an empty one says what to do next */
  #say(sentence) {
    const isOver = this.#state?.over;
    const step = this.#state ? describeNextStep(this.#input, this.#state, findGestures()) : this.#invitation;
    setText(byId("status"), sentence || (isOver ? "" : step));
  }

  /** Show what is chosen, and what can be chosen now. */
  #refresh() {
    this.#highlights.refresh();
    this.#keyboard.refresh();
    this.#say("");
    this.#place.dataset.state = this.#input.isBusy ? "busy" : this.#state?.over ? "over" : this.#phase;
  }

  get #phase() {
    return this.#input.isMine ? "mine" : "other";
  }
}
