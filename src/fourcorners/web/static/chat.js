// The chat of a table: phrases, free text where the table allows it, and muting and reporting people.

/** @import { ChatLine, ChatMessage, Posts, TableState } from "./messages.js" */
/** @import { TableClient } from "./table_client.js" */
import { badge, byId, make } from "./dom.js";
import { loadPreference, savePreference } from "./preferences.js";
import { asSentence, listWords } from "./text.js";

const PREFERENCE = "muted";
const MOST_MUTED = 200;
const MOST_LINES = 100;
/** How long the last line stays below the board, in milliseconds. */
const PREVIEW_FOR = 8000;
/** A list this close to its end, in pixels, keeps showing its end. */
const NEAR_END = 40;

/**
 * Return the names of muted people by their keys, as this browser stored them.
 * @returns {Map<string, string>}
 */
function loadMuted() {
  try {
    return new Map(Object.entries(JSON.parse(loadPreference(PREFERENCE, "{}"))));
  } catch {
    return new Map();
  }
}

export class Chat {
  #client;
  /** @type {Map<number, ChatLine>} */
  #lines = new Map();
  #muted = loadMuted();
  #phrases = "";
  #timer = 0;
  #hasHistory = false; // whether the lines from before this connection have arrived
  /** @type {TableState | null} */
  #state = null;
  #withOpponents = false;

  /** @param {TableClient} client */
  constructor(client) {
    this.#client = client;
    client.on("chat", (message) => this.#onLines(message));
    client.on("reported", ({ taken }) => this.#showReport(taken));
    client.on("bad", ({ of, sentence }) => {
      if (of === "say" || of === "report") this.#note(asSentence(sentence));
    });
    client.on("lost", () => {
      this.#hasHistory = false;
    });
    byId("talk-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = byId("talk-text", HTMLInputElement);
      const text = field.value.trim();
      if (text && this.#say({ text })) field.value = "";
    });
    byId("heard").addEventListener("click", () => byId("talk-panel").scrollIntoView({ block: "nearest" }));
  }

  /**
   * @param {TableState} state
   * @param {boolean} withOpponents
   */
  update(state, withOpponents) {
    this.#state = state;
    this.#withOpponents = withOpponents;
    this.#showPanel();
    byId("phrases").hidden = !state.seats.length;
    byId("talk-form").hidden = !state.seats.length || state.settings.chat !== "free";
    const phrases = JSON.stringify(state.phrases);
    if (phrases === this.#phrases) return;
    this.#phrases = phrases;
    byId("phrases").replaceChildren(
      ...state.phrases.map((text, phrase) => {
        const button = make("button", { type: "button" }, text);
        button.addEventListener("click", () => this.#say({ phrase }));
        return button;
      }),
    );
  }

  /** Show the panel to players with opponents, and to spectators once something was said. */
  #showPanel() {
    if (!this.#state) return;
    const isUseful = this.#state.seats.length ? this.#withOpponents || this.#lines.size > 0 : this.#lines.size > 0;
    byId("talk-panel").hidden = this.#state.study || !isUseful;
    byId("talk-empty").hidden = byId("talk").children.length > 0;
  }

  /**
   * @param {Posts["say"]} body
   * @returns {boolean} whether it was sent
   */
  #say(body) {
    const isSent = this.#client.post("say", body);
    this.#note(isSent ? "" : "Not connected: your message was not sent.");
    return isSent;
  }

  /** @param {ChatMessage} message */
  #onLines({ lines }) {
    const added = this.#hasHistory ? lines.filter((line) => !this.#lines.has(line.number)) : [];
    this.#hasHistory = true;
    for (const line of lines) this.#lines.set(line.number, line);
    const numbers = [...this.#lines.keys()].sort((a, b) => a - b);
    for (const number of numbers.slice(0, -MOST_LINES)) this.#lines.delete(number);
    this.#show();
    const last = added.filter((line) => !line.mine && !this.#muted.has(line.who)).at(-1);
    if (last) this.#preview(last);
  }

  /**
   * Show a line below the board for a while, for those who do not see the chat.
   * @param {ChatLine} line
   */
  #preview(line) {
    const preview = byId("heard");
    preview.replaceChildren(make("strong", {}, line.name), ` ${line.text}`);
    preview.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      preview.hidden = true;
    }, PREVIEW_FOR);
  }

  #show() {
    const list = byId("talk");
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END;
    const lines = [...this.#lines.values()].filter((line) => !this.#muted.has(line.who));
    const items = new Map(
      /** @type {HTMLElement[]} */ ([...list.children]).map((item) => [Number(item.dataset.number), item]),
    );
    const numbers = new Set(lines.map((line) => line.number));
    for (const [number, item] of items) if (!numbers.has(number)) item.remove();
    // Old items stay in place, because screen readers speak whatever is added.
    for (const line of lines.sort((a, b) => a.number - b.number)) {
      if (!items.has(line.number)) insertItem(list, line.number, this.#makeItem(line));
    }
    if (isAtEnd) list.scrollTop = list.scrollHeight;
    this.#showMuted();
    this.#showPanel();
  }

  /** @param {ChatLine} line */
  #makeItem(line) {
    const text = make(
      "span",
      { class: "said" },
      make("strong", {}, line.mine ? "You" : line.name),
      make("span", { class: "hidden" }, ": "),
      make("span", { class: "text" }, line.text),
    );
    const sign =
      line.seat === null ? make("span", { class: "badge none", "aria-hidden": "true" }, "·") : badge(line.seat);
    const item = make("div", { "data-number": line.number, class: line.mine ? "saying mine" : "saying" }, sign, text);
    if (!line.mine) item.append(this.#makeMenu(line));
    return item;
  }

  /** @param {ChatLine} line */
  #makeMenu(line) {
    const mute = make("button", { type: "button" }, `Mute ${line.name}`);
    const report = make("button", { type: "button" }, "Report message");
    const summary = make("summary", { "aria-label": `Options for this message from ${line.name}` }, "⋯");
    const menu = make("details", { class: "more" }, summary, mute, report);
    mute.addEventListener("click", () => {
      this.#muted.set(line.who, line.name);
      this.#saveMuted();
      byId("talk-unmute").querySelector("button")?.focus();
    });
    report.addEventListener("click", () => {
      menu.open = false;
      const isSent = this.#client.post("report", { number: line.number });
      this.#note(isSent ? "Reporting…" : "Not connected: the message was not reported.");
    });
    return menu;
  }

  /** @param {boolean} isTaken */
  #showReport(isTaken) {
    this.#note(
      isTaken ? "Reported to the moderators. Thank you." : "The moderators already have enough reports on this game.",
    );
  }

  /** @param {Iterable<string>} keys of people */
  #unmute(keys) {
    for (const key of keys) this.#muted.delete(key);
    this.#saveMuted();
    byId("talk").focus();
  }

  #saveMuted() {
    savePreference(PREFERENCE, JSON.stringify(Object.fromEntries([...this.#muted].slice(-MOST_MUTED))));
    this.#show();
  }

  #showMuted() {
    const keys = new Set([...this.#lines.values()].map((line) => line.who).filter((who) => this.#muted.has(who)));
    const place = byId("talk-unmute");
    place.hidden = !keys.size;
    if (!keys.size) {
      place.replaceChildren();
      return;
    }
    const button = make("button", { type: "button" }, "Unmute");
    button.addEventListener("click", () => this.#unmute(keys));
    place.replaceChildren(`Muted: ${listWords([...keys].map((key) => this.#muted.get(key) ?? ""))}. `, button);
  }

  /** @param {string} text */
  #note(text) {
    byId("talk-note").textContent = text;
  }
}

/**
 * Insert an item before the first one with a higher number.
 * @param {HTMLElement} list
 * @param {number} number
 * @param {HTMLElement} item
 */
function insertItem(list, number, item) {
  const items = /** @type {HTMLElement[]} */ ([...list.children]);
  list.insertBefore(item, items.find((each) => Number(each.dataset.number) > number) ?? null);
}
