// The line to the server: one socket at a time, opened anew when it is lost or silent. It tells what is going on.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5000;
const SILENT = 10_000; // beats come every 4 s
const DOUBT = 5000; // the network has changed: the next beat must come
const PREPARING = 180_000; // the server compiles its rules, once
const RESTART = 1000;
const NO_TABLE = 4404;
const TOO_MUCH = 4429;

export class Line extends EventTarget {
  #address;
  #socket = null;
  #wait = FIRST_WAIT;
  #failures = 0; // attempts since the line was last good
  #good = false;
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

  // Open a socket now, unless there is one.
  open() {
    clearTimeout(this.#again);
    if (this.#socket || this.#ended) return;
    const socket = new WebSocket(this.#address);
    const mine = () => this.#socket === socket;
    this.#socket = socket;
    this.#failures += 1;
    // A server that is slow to let one in is given more time at every attempt.
    this.#expect(SILENT * Math.min(this.#failures, 4));
    this.#tell("trying", { attempt: this.#failures });
    socket.addEventListener("open", () => mine() && this.#tell("open"));
    socket.addEventListener("message", (event) => mine() && this.#heard(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => mine() && this.#closed(event.code, event.reason));
  }

  // Try at once, and as if for the first time.
  retry() {
    this.#ended = false;
    this.#wait = FIRST_WAIT;
    this.#failures = 0;
    this.#drop();
    this.open();
  }

  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  // What was hoped for has come over this line: the next loss is a first one again.
  good() {
    this.#good = true;
    this.#wait = FIRST_WAIT;
    this.#failures = 0;
    this.#expect(this.#silent);
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

  #closed(code, reason) {
    if (code === NO_TABLE || code === TOO_MUCH) {
      this.#ended = true;
      this.#drop();
      this.#tell("ended", { sentence: sentenceOf(reason), again: code === TOO_MUCH });
    } else {
      this.#lost();
    }
  }

  #lost() {
    const bye = this.#bye;
    this.#drop();
    const wait = bye ? RESTART : this.#wait * (0.75 + Math.random() / 2);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
    this.#again = setTimeout(() => this.open(), wait);
    this.#tell("lost", { wait, sentence: bye });
  }

  // A dead line does not say goodbye, so nobody waits for that.
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#good = false;
    this.#silent = SILENT;
    this.#bye = "";
    clearTimeout(this.#watch);
    socket?.close();
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
    else this.retry();
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
