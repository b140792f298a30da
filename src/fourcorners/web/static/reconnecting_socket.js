// A WebSocket that reconnects when it is lost or silent, and reports what happens.
//
// On a network that drops all packets an attempt to connect fails only after minutes, and browsers make one attempt at
// a time per server. So most attempts are given up early, because the network may be back; some get more time, because
// the network may be slow.

import { Emitter } from "./events.js";

// All times are in milliseconds.
const FIRST_WAIT = 250;
const LONGEST_WAIT = 5000;
/** How long each attempt in turn may take. */
const ATTEMPT_TIMEOUTS = [2000, 2000, 4000, 2000, 2000, 8000];
/** The time between two beats of the server while the page is in use. Each beat says when the next one is due. */
const BEAT_INTERVAL = 4000;
/** How late a beat may be. */
const BEAT_DELAY = 6000;
/** How soon the server must answer a probe. */
const PROBE_LIMIT = 5000;
/** On average; if all pages came back at the same moment, a restarted server would have to refuse some. */
const WAIT_AFTER_BYE = 1000;
/** Some other connection has to close first. */
const WAIT_AFTER_REFUSAL = 30_000;
const CODE_NO_TABLE = 4404;
const CODE_TOO_MANY = 4429;

/** @extends {Emitter<SocketEvents>} */
export class ReconnectingSocket extends Emitter {
  #address;
  /** @type {WebSocket | null} */ #socket = null; // the socket that is open
  /** @type {WebSocket | null} */ #attempt = null; // the socket that is not open yet
  #attempts = 0; // since the last one that succeeded
  #wait = FIRST_WAIT;
  #isHealthy = false; // whether this socket has brought what was hoped for
  #unhealthy = 0; // sockets opened since the last healthy one
  #hasEnded = false;
  #bye = "";
  #interval = BEAT_INTERVAL; // in which the next beat comes
  #deadline = 0; // when the next message must have arrived
  #deadlineTimer = 0;
  #attemptTimer = 0;
  #listening = new AbortController();

  /** @param {string} address a ws: or wss: URL */
  constructor(address) {
    super();
    this.#address = address;
    const { signal } = this.#listening;
    addEventListener("online", () => this.#onNetworkBack(), { signal });
    addEventListener("offline", () => this.#probe(), { signal });
    const onVisible = () => document.hidden || this.#onNetworkBack();
    document.addEventListener("visibilitychange", onVisible, { signal });
    for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, () => this.#onUse(), { signal });
  }

  /** Start an attempt to connect, unless a socket is open. */
  open() {
    if (this.#socket || this.#hasEnded) return;
    this.#drop();
    const socket = new WebSocket(this.#address);
    this.#attempt = socket;
    this.#scheduleAttempt(ATTEMPT_TIMEOUTS[this.#attempts % ATTEMPT_TIMEOUTS.length]);
    this.#attempts += 1;
    this.emit("trying", null);
    socket.addEventListener("open", () => this.#onOpen(socket));
    socket.addEventListener("message", (event) => {
      if (this.#socket === socket) this.#onMessage(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => this.#onClose(socket, event));
  }

  /** Close the connection for good. */
  close() {
    this.#hasEnded = true;
    this.#listening.abort();
    this.#drop();
  }

  /** Connect at once, as if for the first time. */
  retry() {
    this.#hasEnded = false;
    this.#wait = FIRST_WAIT;
    this.#unhealthy = 0;
    this.#attempts = 0;
    this.#drop();
    this.open();
  }

  /** Send a message; without a connection it is dropped. @param {ClientMessage} message */
  send(message) {
    this.#send(message);
    // Now that the connection is in use, beats come as often again.
    if (this.#isHealthy) this.#expectSoon(BEAT_INTERVAL + BEAT_DELAY);
  }

  /** @param {ClientMessage} message */
  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** How long the server may be silent, in milliseconds. */
  get #silenceLimit() {
    return this.#interval + BEAT_DELAY;
  }

  /** Call this when the server has sent what the page connected for: waits and limits start over. */
  markHealthy() {
    this.#isHealthy = true;
    this.#wait = FIRST_WAIT;
    this.#unhealthy = 0;
    this.#expectWithin(this.#silenceLimit);
  }

  /** Begin to expect the table. @param {WebSocket} socket */
  #onOpen(socket) {
    if (this.#attempt !== socket) return;
    clearTimeout(this.#attemptTimer);
    this.#attempt = null;
    this.#socket = socket;
    this.#attempts = 0;
    this.#unhealthy += 1;
    // A server that was too slow to send the table gets more time on every new socket.
    this.#interval = BEAT_INTERVAL;
    this.#expectWithin(this.#silenceLimit * Math.min(this.#unhealthy, 4));
    this.emit("open", null);
  }

  /** Answer beats, and expect the next message in time. @param {ServerMessage} message */
  #onMessage(message) {
    if (message.type === "beat") {
      this.#interval = 1000 * (message.interval ?? 4); // an older server sends no interval
      this.#send({ type: "beat", now: message.now });
    }
    if (message.type === "goodbye") this.#bye = message.sentence;
    if (this.#isHealthy) this.#deadline = performance.now() + this.#silenceLimit;
    this.emit("message", message);
  }

  /** Try again, unless there is no such table. @param {WebSocket} socket @param {CloseEvent} event */
  #onClose(socket, { code, reason }) {
    if (socket !== this.#socket && socket !== this.#attempt) return;
    const sentence = reason || "This table cannot be shown.";
    if (code === CODE_NO_TABLE) {
      this.#hasEnded = true;
      this.#drop();
      this.emit("ended", { sentence });
    } else if (code === CODE_TOO_MANY) this.#lose(sentence, WAIT_AFTER_REFUSAL);
    else this.#lose();
  }

  /** Drop the connection and schedule the next attempt, with a random and growing wait unless one is given. */
  #lose(sentence = this.#bye, fixedWait = sentence ? WAIT_AFTER_BYE * (0.5 + Math.random()) : 0) {
    this.#drop();
    const wait = fixedWait || this.#wait * (0.75 + Math.random() / 2);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
    this.#scheduleAttempt(wait);
    this.emit("lost", { wait, sentence });
  }

  /** @param {number} wait */
  #scheduleAttempt(wait) {
    clearTimeout(this.#attemptTimer);
    this.#attemptTimer = setTimeout(() => this.open(), wait);
  }

  /** Let go of the socket at once: on a dead connection the closing handshake would take minutes. */
  #drop() {
    clearTimeout(this.#deadlineTimer);
    clearTimeout(this.#attemptTimer);
    const socket = this.#socket ?? this.#attempt;
    this.#socket = null;
    this.#attempt = null;
    this.#isHealthy = false;
    this.#bye = "";
    socket?.close();
  }

  /** @param {number} limit */
  #expectWithin(limit) {
    this.#deadline = performance.now() + limit;
    clearTimeout(this.#deadlineTimer);
    this.#deadlineTimer = setTimeout(() => this.#checkDeadline(), limit);
  }

  /** Messages move the deadline without touching the timer, so it may fire early. */
  #checkDeadline() {
    const left = this.#deadline - performance.now();
    if (left > 1) this.#deadlineTimer = setTimeout(() => this.#checkDeadline(), left);
    else this.#lose();
  }

  /** The network is back, or someone looks at the page: do not wait for the next attempt. */
  #onNetworkBack() {
    if (this.#hasEnded) return;
    if (this.#isHealthy) this.#probe();
    else if (!this.#socket) this.retry();
  }

  /** Someone uses the page: whether a quiet connection is alive should be known before the next move. */
  #onUse() {
    if (this.#interval > BEAT_INTERVAL) this.#probe();
  }

  /** Ask for a sign of life, and require it soon. */
  #probe() {
    if (!this.#isHealthy || this.#deadline - performance.now() <= PROBE_LIMIT) return;
    this.#send({ type: "probe" });
    this.#expectSoon(PROBE_LIMIT);
  }

  /** Expect the next message within a limit, unless it is expected sooner. @param {number} limit */
  #expectSoon(limit) {
    if (this.#deadline - performance.now() > limit) this.#expectWithin(limit);
  }
}
