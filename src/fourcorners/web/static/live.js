// The connection to a table: commands that are sent again until they are answered, questions, and what the server tells.

const LONGEST_WAIT = 5000;

function newId() {
  const numbers = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(numbers, (number) => number.toString(36)).join("");
}

export class Live extends EventTarget {
  #socket = null;
  #wait = 250;
  #commands = new Map();
  #questions = new Map();
  #ahead = [];

  constructor(table) {
    super();
    this.table = table;
    this.version = null;
    this.viewer = undefined;
    this.connected = false;
    addEventListener("online", () => this.connect());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && !this.#socket) this.connect();
    });
  }

  connect() {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/play/${this.table}/live`);
    this.#socket = socket;
    socket.addEventListener("open", () => this.hello(this.version));
    socket.addEventListener("message", (event) => this.#take(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.connected = false;
      for (const [, waiting] of this.#questions) for (const answer of waiting) answer(null);
      this.#questions.clear();
      this.#tell("lost", {});
      setTimeout(() => this.connect(), this.#wait * (0.75 + Math.random() / 2));
      this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
    });
  }

  hello(version) {
    const message = { type: "hello", version };
    if (this.viewer !== undefined) message.viewer = this.viewer;
    this.#send(message);
  }

  // Send what changes the game; the promise gives the answer: done, refused or stale.
  command(type, body = {}) {
    const message = { type, id: newId(), version: this.version, ...body };
    const answered = new Promise((resolve) => {
      this.#commands.set(message.id, { message, resolve });
    });
    if (this.connected) this.#send(message);
    return answered;
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
      this.#send(message);
    });
  }

  // Want no longer to know what a position is worth.
  leave() {
    this.#send({ type: "leave" });
  }

  view(viewer) {
    this.viewer = viewer;
    this.#send({ type: "view", viewer });
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
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
    } else if (message.type === "done" || message.type === "refused" || message.type === "stale") {
      const command = this.#commands.get(message.id);
      this.#commands.delete(message.id);
      // What was done counts as answered once its picture is here.
      if (message.type === "done" && message.version > this.version) this.#ahead.push({ message, ...command });
      else command?.resolve(message);
    } else {
      const waiting = this.#questions.get(keyOf(message));
      this.#questions.delete(keyOf(message));
      if (waiting) for (const answer of waiting) answer(message);
      else this.#tell(message.type, message);
    }
  }

  #found() {
    this.#wait = 250;
    if (this.connected) return;
    this.connected = true;
    this.#tell("found", {});
    for (const { message } of this.#commands.values()) this.#send(message);
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
  if (message.type === "look") return `look ${message.ply}`;
  if (["solve", "hint", "evaluate"].includes(message.type)) return `${message.type} ${message.id}`;
  return message.type;
}
