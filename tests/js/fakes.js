// Stand-ins for what a browser gives the scripts: time, sockets, storage, elements and pictures.

/** Time that passes only when a test says so. */
export class FakeTime {
  #now = 0;
  #timers = new Map();
  #lastId = 0;

  /**
   * Replace timers and the monotonic clock until the end of a test.
   * @param {import("node:test").TestContext} test
   */
  constructor(test) {
    replace(test, globalThis, {
      setTimeout: (callback, delay = 0) => {
        this.#lastId += 1;
        this.#timers.set(this.#lastId, { callback, at: this.#now + delay });
        return this.#lastId;
      },
      clearTimeout: (id) => this.#timers.delete(id),
    });
    test.mock.method(performance, "now", () => this.#now);
  }

  /** Let milliseconds pass and call every timer that is due, in order. */
  advance(milliseconds) {
    const end = this.#now + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      const [id, { callback, at }] = due;
      this.#timers.delete(id);
      this.#now = Math.max(this.#now, at);
      callback();
    }
    this.#now = end;
  }
}

/** Replace properties of an object until the end of a test. */
export function replace(test, object, properties) {
  for (const [name, value] of Object.entries(properties)) {
    const before = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
    test.after(() => {
      if (before) Object.defineProperty(object, name, before);
      else delete object[name];
    });
  }
}

/** A WebSocket whose server is the test; `all` lists every socket of the test. */
export class FakeWebSocket extends EventTarget {
  static OPEN = 1;
  static all = [];
  readyState = 0;
  sent = [];
  isClosed = false;

  constructor(address) {
    super();
    this.address = address;
    FakeWebSocket.all.push(this);
  }

  static get last() {
    return FakeWebSocket.all.at(-1);
  }

  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  receive(message) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }));
  }

  /** Called by the page; a dead connection confirms nothing. */
  close() {
    this.isClosed = true;
    this.readyState = 2;
  }

  /** The server closes the connection. */
  end(code = 1006, reason = "") {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code, reason }));
  }
}

/** Give a test a browser window: events, a document, an address and sockets. */
export function installWindow(test) {
  const page = new EventTarget();
  const document = Object.assign(new EventTarget(), { hidden: false });
  FakeWebSocket.all = [];
  replace(test, globalThis, {
    addEventListener: page.addEventListener.bind(page),
    document,
    location: { protocol: "https:", host: "example.org" },
    WebSocket: FakeWebSocket,
    sessionStorage: new FakeStorage(),
  });
  return { page, document };
}

/** Storage in memory, or one that is forbidden. */
export class FakeStorage {
  #items = new Map();

  constructor({ isForbidden = false } = {}) {
    this.isForbidden = isForbidden;
  }

  #check() {
    if (this.isForbidden) throw new DOMException("storage is forbidden", "SecurityError");
  }

  getItem(key) {
    this.#check();
    return this.#items.get(key) ?? null;
  }

  setItem(key, value) {
    this.#check();
    this.#items.set(key, String(value));
  }

  removeItem(key) {
    this.#check();
    this.#items.delete(key);
  }
}

/** An element with text, classes and nothing else. */
export class FakeElement extends EventTarget {
  hidden = false;
  textContent = "";
  #classes = new Set();
  classList = {
    contains: (name) => this.#classes.has(name),
    add: (name) => this.#classes.add(name),
    remove: (name) => this.#classes.delete(name),
    toggle: (name, on = !this.#classes.has(name)) => {
      if (on) this.#classes.add(name);
      else this.#classes.delete(name);
      return on;
    },
  };
}

/** Give a test a document in which every id has an element; return how to find one. */
export function installElements(test, document = new EventTarget()) {
  const elements = new Map();
  const byId = (id) => {
    if (!elements.has(id)) elements.set(id, new FakeElement());
    return elements.get(id);
  };
  Object.assign(document, { getElementById: byId, body: new FakeElement() });
  replace(test, globalThis, { document });
  return byId;
}

/** Make an element of a picture: its token, gesture and box. */
export function makeNode(token, gesture, box = { left: 0, top: 0, right: 10, bottom: 10 }, svg = makeSvgElement()) {
  return { dataset: { token, gesture }, ownerSVGElement: svg, getBoundingClientRect: () => box };
}

/** Make a picture's SVG element at a place on the screen. */
export function makeSvgElement(origin = { left: 0, top: 0 }) {
  return { origin, getBoundingClientRect: () => origin };
}
