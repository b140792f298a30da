// The conversation with a table: commands that are sent again until they are answered, questions, and what the server tells.

import { Line } from "./reconnecting_socket.js";
import { Unsent } from "./pending_move.js";

function newId() {
  const numbers = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(numbers, (number) => number.toString(36)).join("");
}

const ANSWERS = new Set(["done", "refused", "stale"]);

export class Live extends EventTarget {
  #commands = new Map();
  #questions = new Map();
  #ahead = [];

  constructor(table) {
    super();
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.line = new Line(`${scheme}//${location.host}/play/${table}/live`);
    this.version = null;
    this.viewer = undefined;
    this.connected = false;
    this.unsent = new Unsent(table);
    this.line.addEventListener("open", () => this.hello(this.version));
    this.line.addEventListener("message", (event) => this.#take(event.detail));
    for (const name of ["lost", "ended"]) this.line.addEventListener(name, () => this.#lost());
    const kept = this.unsent.read();
    // The move that was on its way when the page was left: {move, answered}.
    this.kept = kept && { move: kept.move, answered: this.#register(kept) };
  }

  connect() {
    this.line.open();
  }

  hello(version) {
    const message = { type: "hello", version };
    if (this.viewer !== undefined) message.viewer = this.viewer;
    this.send(message);
  }

  // Send what changes the game; the promise gives the answer: done, refused or stale.
  command(type, body = {}) {
    const message = { type, id: newId(), version: this.version, ...body };
    if (type === "move") this.unsent.keep(message);
    const answered = this.#register(message);
    if (this.connected) this.send(message);
    return answered;
  }

  #register(message) {
    return new Promise((resolve) => {
      this.#commands.set(message.id, { message, resolve });
    });
  }

  // The moves that were made and not answered yet.
  get waiting() {
    return [...this.#commands.values()].filter(({ message }) => message.type === "move").map(({ message }) => message.move);
  }

  // Ask something that changes nothing; the promise gives the answer, or null if the connection was lost.
  question(type, body) {
    const message = { type, version: this.version, ...body };
    const key = keyOf(message);
    if (!this.connected) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiting = this.#questions.get(key);
      if (waiting) {
        waiting.push(resolve);
        return;
      }
      this.#questions.set(key, [resolve]);
      this.send(message);
    });
  }

  // Send what is neither asked nor a command, such as chat; tell whether there was a line to send it on.
  post(type, body = {}) {
    if (this.connected) this.send({ type, version: this.version, ...body });
    return this.connected;
  }

  // Want no longer to know what a position is worth.
  leave() {
    this.send({ type: "leave" });
  }

  view(viewer) {
    this.viewer = viewer;
    this.send({ type: "view", viewer });
  }

  // Send what nobody waits for; without a line it is gone.
  send(message) {
    this.line.send(message);
  }

  #take(message) {
    if (message.type === "state") {
      this.version = message.version;
      this.#found();
      this.#tell("state", message);
      this.#caughtUp();
    } else if (message.type === "patch") {
      if (message.from !== this.version) {
        this.hello(null);
        return;
      }
      this.version = message.version;
      this.#found();
      this.#tell("patch", message);
      this.#caughtUp();
    } else if (ANSWERS.has(message.type) || (message.type === "bad" && this.#commands.has(message.id))) {
      this.#answered(message.type === "bad" ? { ...message, type: "refused" } : message);
    } else {
      const waiting = this.#questions.get(keyOf(message));
      this.#questions.delete(keyOf(message));
      if (waiting) for (const answer of waiting) answer(message);
      else this.#tell(message.type, message);
    }
  }

  #answered(message) {
    const command = this.#commands.get(message.id);
    this.#commands.delete(message.id);
    this.unsent.forget(message.id);
    // What was done counts as answered once its picture is here.
    if (message.type === "done" && message.version > this.version) this.#ahead.push({ ...command, message });
    else command?.resolve(message);
  }

  #found() {
    this.line.good();
    if (this.connected) return;
    this.connected = true;
    this.#tell("found", {});
    for (const { message } of this.#commands.values()) this.send(message);
  }

  #lost() {
    this.connected = false;
    for (const [, waiting] of this.#questions) for (const answer of waiting) answer(null);
    this.#questions.clear();
    this.#tell("lost", {});
  }

  #caughtUp() {
    const ahead = this.#ahead;
    this.#ahead = ahead.filter(({ message }) => message.version > this.version);
    for (const { message, resolve } of ahead) if (message.version <= this.version) resolve?.(message);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function keyOf(message) {
  if (message.type === "why") return `why ${message.text}`;
  if (message.type === "complete") return `complete ${(message.tokens ?? []).join(" ")}`;
  if (message.type === "try") return `try ${JSON.stringify([message.line, message.tokens ?? null])}`;
  if (message.type === "look") return `look ${message.ply}`;
  if (["solve", "hint", "evaluate"].includes(message.type)) return `${message.type} ${message.id}`;
  return message.type;
}
