// The element <fourcorners-board record="game.json">: a game or a figure to step through, on any page. The file is made
// by `fourcorners show game.txt --picture game.json`. What stands between the tags is shown until it has been loaded.
// `theme="light"` or `theme="dark"` chooses the colours of the pictures, which otherwise follow the system.

/**
 * @typedef {{ label: string, words: string, description: string, parts: number[] }} DrawnStep
 * @typedef {{ title: string, width: number, height: number, head: string, colours: Record<string, string>,
 *   parts: string[], steps: DrawnStep[] }} DrawnRecord
 */

const DARK = matchMedia("(prefers-color-scheme: dark)");
const MOST_RESERVED = 160; // letters, for which there is room below every picture

// Text and buttons have font and colour of the page.
const STYLE = `
:host { display: block; text-align: center; }
:host([hidden]) { display: none; }
img { display: block; max-width: 100%; height: auto; margin: 0 auto; }
p { margin: .4em auto 0; max-width: 34em; text-align: start; }
.title { font-weight: 600; }
.words { display: grid; }
.words > * { grid-area: 1 / 1; }
.room { visibility: hidden; }
.steps { display: flex; align-items: center; justify-content: center; gap: .25em; margin-top: .4em; }
.label { flex: 0 1 8.5em; font-variant-numeric: tabular-nums; }
button { flex: none; width: 44px; height: 44px; padding: 0; border: 1px solid; border-radius: 8px; background: none; color: inherit;
  cursor: pointer; }
button:hover { background: color-mix(in srgb, currentColor 12%, transparent); }
button:focus-visible { outline: 3px solid; outline-offset: 2px; }
button[aria-disabled="true"] { opacity: .4; background: none; cursor: default; }
svg { display: block; width: 24px; height: 24px; margin: auto; fill: none; stroke: currentColor; stroke-width: 2;
  stroke-linecap: round; stroke-linejoin: round; }
@media print { .steps { display: none; } }`;

const BUTTONS = [
  { name: "First", key: "Home", change: -Infinity, path: "M18 6l-6 6 6 6M7 6v12" },
  { name: "Back", key: "ArrowLeft", change: -1, path: "M15 6l-6 6 6 6" },
  { name: "Next", key: "ArrowRight", change: 1, path: "M9 6l6 6-6 6" },
  { name: "Last", key: "End", change: Infinity, path: "M6 6l6 6-6 6M17 6v12" },
];

/** @template {keyof HTMLElementTagNameMap} T @param {T} tag @param {string} [name] of its class and part @param {string} [text] */
function make(tag, name = "", text = "") {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  if (name) element.part.add(name);
  return element;
}

class FourcornersBoard extends HTMLElement {
  static observedAttributes = ["record", "theme"];

  /** @type {DrawnRecord | null} */ #record = null;
  #step = 0;
  #loading = new AbortController();
  #image = make("img", "picture");
  #label = make("span", "label");
  #words = make("span");
  /** @type {HTMLButtonElement[]} */ #buttons = [];
  #draw = () => {
    if (!this.#record) return;
    const { width, height, head, colours, parts, steps } = this.#record;
    const colour = colours[this.getAttribute("theme") ?? (DARK.matches ? "dark" : "light")] ?? colours.light;
    const body = head + steps[this.#step].parts.map((number) => parts[number]).join("");
    const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
    const style = colour.replaceAll('"', "'");
    // A document in an image runs no scripts, wherever the file comes from, and shares no names with the page.
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size} style="${style}">${body}</svg>`;
    this.#image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    this.#image.alt = steps[this.#step].description;
  };

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    this.#clear();
    this.addEventListener("keydown", (event) => {
      const pressed = BUTTONS.find((button) => button.key === event.key);
      if (!this.#record || !pressed || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.#show(this.#step + pressed.change);
    });
  }

  connectedCallback() {
    DARK.addEventListener("change", this.#draw);
    this.#draw();
  }

  disconnectedCallback() {
    DARK.removeEventListener("change", this.#draw);
  }

  /** @param {string} name @param {string | null} old @param {string | null} value */
  attributeChangedCallback(name, old, value) {
    if (name === "theme") this.#draw();
    else if (value !== old) this.#load(value);
  }

  /**
   * Load a record instead of the one that is shown or being loaded, and show its first step; if that fails, say so below
   * what stands between the tags, which is all that is shown without an address. @param {string | null} address
   */
  async #load(address) {
    this.#loading.abort();
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    if (!address) return this.#clear();
    try {
      const answer = await fetch(address, { signal });
      if (!answer.ok) throw new Error(answer.statusText);
      /** @type {DrawnRecord} */ const record = await answer.json();
      if (signal.aborted) return;
      this.#record = record;
      this.#build(record);
      this.#show(0);
    } catch {
      if (signal.aborted) return;
      const error = make("p", "error", `The board ${address} could not be loaded.`);
      error.role = "alert";
      this.#clear(error);
    }
  }

  /** Show what stands between the tags, and below it more. @param {HTMLElement[]} more */
  #clear(...more) {
    this.#record = null;
    this.shadowRoot?.replaceChildren(make("slot"), ...more);
  }

  /** Make all but what changes from step to step. @param {DrawnRecord} record */
  #build({ title, steps }) {
    this.#buttons = BUTTONS.map(({ name, change, path }) => {
      const button = make("button");
      button.type = "button";
      button.ariaLabel = button.title = name;
      button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
      button.addEventListener("click", () => this.#show(this.#step + change));
      return button;
    });
    const row = make("div", "steps");
    row.role = "group";
    row.ariaLabel = title ? `Steps: ${title}` : "Steps";
    row.append(...this.#buttons.slice(0, 2), this.#label, ...this.#buttons.slice(2));
    // As much room as the longest sentence takes, so that what follows stays where it is.
    const longest = steps.reduce((most, { words }) => (words.length > most.length ? words : most), "");
    const room = make("span", "room", longest.slice(0, MOST_RESERVED));
    room.ariaHidden = "true";
    const words = make("p", "words");
    words.append(room, this.#words);
    this.#words.ariaLive = this.#label.ariaLive = "polite";
    const below = [steps.length > 1 && row, title && make("p", "title", title), longest && words];
    this.shadowRoot?.replaceChildren(this.#image, ...below.filter((part) => part instanceof HTMLElement));
  }

  /** Show a step, or the nearest one there is. @param {number} wanted */
  #show(wanted) {
    const last = (this.#record?.steps.length ?? 1) - 1;
    this.#step = Math.min(Math.max(wanted, 0), last);
    const { label = "", words = "" } = this.#record?.steps[this.#step] ?? {};
    this.#label.textContent = label;
    this.#words.textContent = words;
    for (const [index, button] of this.#buttons.entries()) {
      button.ariaDisabled = String(this.#step === (index < 2 ? 0 : last));
    }
    this.#draw();
  }
}

customElements.define("fourcorners-board", FourcornersBoard);
