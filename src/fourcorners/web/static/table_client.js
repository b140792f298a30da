// The conversation with a table: commands are sent again until they are answered, questions are asked once.

import { Emitter } from "./events.js";
import { PendingMove } from "./pending_move.js";
import { ReconnectingSocket } from "./reconnecting_socket.js";

/** Return a random id for a command. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (number) => number.toString(36)).join("");
}

/** @extends {Emitter<ClientEvents>} */
export class TableClient extends Emitter {
  /** @type {Map<string, SentCommand>} */ #commands = new Map(); // the commands without an answer, by id
  /** @type {Map<string, ((answer: any) => void)[]>} those who wait for the answer to a question */
  #questions = new Map();
  /** @type {{ resolve: SentCommand["resolve"], message: DoneMessage }[]} answers whose board has not arrived yet */
  #early = [];
  #pendingMove;
  /** @type {number | null} */ version = null; // the version that the page shows
  /** @type {Seat | null | undefined} the seat whose view is wanted; undefined leaves it to the server */
  viewer = undefined;
  isConnected = false;

  /** @param {string} table the table's id */
  constructor(table) {
    super();
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new ReconnectingSocket(`${scheme}//${location.host}/play/${table}/live`);
    this.socket.on("open", () => this.#hello(this.version));
    this.socket.on("message", (message) => this.#onMessage(message));
    this.socket.on("lost", () => this.#onLost());
    this.socket.on("ended", () => this.#onLost());
    document.addEventListener("visibilitychange", () => {
      this.socket.send({ type: "change-visibility", visible: !document.hidden });
    });
    this.#pendingMove = new PendingMove(table);
    const pending = this.#pendingMove.read();
    /** The move that had no answer when the page was left, with its answer to come. */
    this.recovered = pending && { move: pending.move, answer: this.#sendCommand(pending) };
  }

  connect() {
    this.socket.open();
  }

  /** Leave the table. */
  close() {
    this.socket.close();
  }

  /** Ask for the table. @param {number | null} version the one that the page has; null asks for the whole table */
  #hello(version) {
    const viewer = this.viewer === undefined ? {} : { viewer: this.viewer };
    // The server notifies a player who cannot see the table.
    this.socket.send({ type: "hello", version, ...viewer, ...(document.hidden && { visible: false }) });
  }

  /** Send a move, again after every loss of the connection until it is answered. @param {string} move */
  sendMove(move) {
    /** @type {MoveCommand} */ const command = { type: "move", id: newId(), version: this.version ?? 0, move };
    this.#pendingMove.save(command);
    return this.#sendCommand(command);
  }

  /** Send any other command, in the same way. @param {Verb} type @param {CommandBody} body */
  command(type, body = {}) {
    return this.#sendCommand(/** @type {Command} */ ({ type, id: newId(), version: this.version ?? 0, ...body }));
  }

  /** Send a command now or when there is a connection. @param {Command} message @returns {Promise<CommandAnswer>} */
  #sendCommand(message) {
    if (this.isConnected) this.socket.send(message);
    return new Promise((resolve) => {
      this.#commands.set(message.id, { message, resolve });
    });
  }

  /** The moves without an answer. */
  get unansweredMoves() {
    return [...this.#commands.values()].flatMap(({ message }) => (message.type === "move" ? [message.move] : []));
  }

  /**
   * Ask something that changes nothing. The same question, asked while the answer is awaited, is not sent again.
   * @template {keyof Questions} Type @param {Type} type @param {Questions[Type]} body
   * @returns {Promise<ServerMessageOf<Type> | null>} null if there is no connection, or it is lost meanwhile
   */
  ask(type, body) {
    const sent = /** @type {unknown} */ ({ type, version: this.version, ...body });
    const message = /** @type {ClientMessage} */ (sent);
    const key = questionKey(message);
    if (!this.isConnected) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiting = this.#questions.get(key);
      this.#questions.set(key, [...(waiting ?? []), resolve]);
      if (!waiting) this.socket.send(message);
    });
  }

  /**
   * Send something that is not answered by id, such as chat.
   * @template {keyof Posts} Type @param {Type} type @param {Posts[Type]} body
   * @returns {boolean} whether there was a connection to send it on
   */
  post(type, body) {
    const message = /** @type {ClientMessage} */ ({ type, version: this.version, ...body });
    if (this.isConnected) this.socket.send(message);
    return this.isConnected;
  }

  /** Cancel the question what a position is worth. */
  cancelSolve() {
    this.socket.send({ type: "cancel-solve" });
  }

  /** Ask for the view of another seat. @param {Seat | null} viewer */
  view(viewer) {
    this.viewer = viewer;
    this.socket.send({ type: "change-viewer", viewer });
  }

  /** Give an answer to those who wait for it, and any other message to listeners. @param {ServerMessage} message */
  #onMessage(message) {
    if (message.type === "patch" && message.from !== this.version) {
      this.#hello(null);
    } else if (message.type === "state" || message.type === "patch") {
      this.version = message.version;
      this.#onFound();
      if (message.type === "state") this.emit("state", message);
      else this.emit("patch", message);
      this.#resolveEarly(message.version);
    } else if (message.type === "done" || message.type === "refused" || message.type === "stale") {
      this.#onAnswer(message);
    } else if (message.type === "error" && message.id && this.#commands.has(message.id)) {
      this.#onAnswer({ type: "refused", id: message.id, code: "error", sentence: message.sentence });
    } else {
      const key = questionKey(message);
      const waiting = this.#questions.get(key);
      this.#questions.delete(key);
      if (waiting) for (const resolve of waiting) resolve(message);
      else this.emit(/** @type {keyof ClientEvents} */ (message.type), /** @type {never} */ (message));
    }
  }

  /** Count a command as answered. @param {CommandAnswer} message */
  #onAnswer(message) {
    const command = this.#commands.get(message.id);
    this.#commands.delete(message.id);
    this.#pendingMove.remove(message.id);
    if (!command) return;
    // The page must show the new board before it counts the command as done.
    const isEarly = message.type === "done" && message.version > (this.version ?? -1);
    if (isEarly) this.#early.push({ resolve: command.resolve, message });
    else command.resolve(message);
  }

  /** Count those commands as done whose board is shown now. @param {number} version */
  #resolveEarly(version) {
    const answers = this.#early;
    this.#early = answers.filter(({ message }) => message.version > version);
    for (const { message, resolve } of answers) if (message.version <= version) resolve(message);
  }

  /** Send the commands without an answer again. */
  #onFound() {
    this.socket.markHealthy();
    if (this.isConnected) return;
    this.isConnected = true;
    this.emit("found", null);
    for (const { message } of this.#commands.values()) this.socket.send(message);
  }

  /** Leave all questions without an answer. */
  #onLost() {
    this.isConnected = false;
    for (const waiting of this.#questions.values()) for (const resolve of waiting) resolve(null);
    this.#questions.clear();
    this.emit("lost", null);
  }
}

/** Return what a question and its answer have in common. @param {ClientMessage | ServerMessage} message */
function questionKey(message) {
  if (message.type === "why") return `why ${message.text}`;
  if (message.type === "complete") return `complete ${message.tokens.join(" ")}`;
  if (message.type === "preview") return `preview ${JSON.stringify([message.line, message.tokens ?? null])}`;
  if (message.type === "look") return `look ${message.ply}`;
  const hasId = message.type === "solve" || message.type === "hint" || message.type === "evaluate";
  return hasId ? `${message.type} ${message.id}` : message.type;
}
