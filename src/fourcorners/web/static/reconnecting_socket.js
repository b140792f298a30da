// The line to the server: one socket at a time, opened anew when it is lost or silent. It tells what is going on.
//
// On a network that swallows everything an attempt to open one fails only after minutes, and browsers make one at a time
// to a server. So most attempts are given up soon, for the network may be back; some are not, for it may be slow.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5000;
const PATIENCE = [2000, 2000, 4000, 2000, 2000, 8000]; // of an attempt, in turn
const SILENT = 10_000; // beats come every 4 s
const DOUBT = 5000; // the network has changed: the next beat must come
const PREPARING = 180_000; // the server compiles its rules, once
const RESTART = 1000;
const CROWDED = 30_000; // somebody has to leave first
const NO_TABLE = 4404;
const TOO_MUCH = 4429;

export class Line extends EventTarget {
  #address;
  #socket = null; // the one that is open
  #attempt = null; // the one that is not open yet
  #tried = 0; // attempts since one succeeded
  #wait = FIRST_WAIT;
  #good = false; // what was hoped for has come over this socket
  #failures = 0; // sockets opened since that was so the last time
  #silent = SILENT;
  #ended = false;
  #bye = "";
  #due = 0; // by when something must be heard
  #watch = 0;
  #again = 0;

  constructor(address) {
    super();
    this.#address = address;
    addEventListener("online", () => this.#renew());
    addEventListener("offline", () => this.#doubt());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#renew();
    });
  }

  // Begin to open a socket, unless there is one.
  open() {
    if (this.#socket || this.#ended) return;
    this.#drop();
    const socket = new WebSocket(this.#address);
    this.#attempt = socket;
    this.#next(PATIENCE[this.#tried % PATIENCE.length]);
    this.#tried += 1;
    this.#tell("trying");
    socket.addEventListener("open", () => this.#opened(socket));
    socket.addEventListener("message", (event) => this.#socket === socket && this.#heard(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.#closed(socket, event));
  }

  // Try at once, and as if for the first time.
  retry() {
    this.#ended = false;
    this.#wait = FIRST_WAIT;
    this.#failures = 0;
    this.#tried = 0;
    this.#drop();
    this.open();
  }

  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  // What was hoped for has come: the next loss is a first one again.
  good() {
    this.#good = true;
    this.#wait = FIRST_WAIT;
    this.#failures = 0;
    this.#expect(this.#silent);
  }

  #opened(socket) {
    if (this.#attempt !== socket) return;
    clearTimeout(this.#again);
    this.#attempt = null;
    this.#socket = socket;
    this.#tried = 0;
    this.#failures += 1;
    // A server that is slow to show the table is given more time whenever it was too slow.
    this.#expect(SILENT * Math.min(this.#failures, 4));
    this.#tell("open");
  }

  #heard(message) {
    if (message.type === "beat") this.send({ type: "beat", now: message.now });
    if (message.type === "bye") this.#bye = message.sentence;
    // A server that compiles has hardly time to say so.
    if (message.type === "preparing" || message.type === "ready") {
      this.#silent = message.type === "ready" ? SILENT : PREPARING;
      this.#expect(this.#silent);
    } else if (this.#good) {
      this.#due = performance.now() + this.#silent;
    }
    this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  #closed(socket, { code, reason }) {
    if (this.#socket === socket) {
      if (code === NO_TABLE) this.#end(reason);
      else if (code === TOO_MUCH) this.#lost(sentenceOf(reason), CROWDED);
      else this.#lost();
    } else if (this.#attempt === socket) {
      this.#lost();
    }
  }

  #end(reason) {
    this.#ended = true;
    this.#drop();
    this.#tell("ended", { sentence: sentenceOf(reason) });
  }

  #lost(sentence = this.#bye, after = sentence ? RESTART : 0) {
    this.#drop();
    const wait = after || this.#wait * (0.75 + Math.random() / 2);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
    this.#next(wait);
    this.#tell("lost", { wait, sentence });
  }

  #next(wait) {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.open(), wait);
  }

  // Let go of the socket. A dead line does not say goodbye, so nobody waits for that.
  #drop() {
    clearTimeout(this.#watch);
    clearTimeout(this.#again);
    const old = this.#socket ?? this.#attempt;
    this.#socket = null;
    this.#attempt = null;
    this.#good = false;
    this.#silent = SILENT;
    this.#bye = "";
    old?.close();
  }

  #expect(within) {
    this.#due = performance.now() + within;
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#look(), within);
  }

  #look() {
    const left = this.#due - performance.now();
    if (left > 1) this.#watch = setTimeout(() => this.#look(), left);
    else this.#lost();
  }

  // The network is there again, or somebody looks: do not wait for the next attempt.
  #renew() {
    if (this.#ended) return;
    if (this.#good) this.#doubt();
    else if (!this.#socket) this.retry();
  }

  #doubt() {
    if (this.#good && this.#due - performance.now() > DOUBT) this.#expect(DOUBT);
  }

  #tell(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function sentenceOf(reason) {
  return reason ? `${reason[0].toUpperCase()}${reason.slice(1)}.` : "This table cannot be shown.";
}
