// The chat of a table: phrases, free text where the table allows it, and muting and reporting people.

import { byId, findAll, isScrolledToEnd, make, makeBadge, makeButton } from "./dom.js";
import { loadPreference, savePreference } from "./preferences.js";
import { Sheet } from "./sheet.js";
import { hasOpponents, isComputer } from "./table_state.js";
import { asSentence, listWords } from "./text.js";

const PREFERENCE = "muted";
const MOST_MUTED = 200;
const MOST_LINES = 100;
/** How long the last line stays below the board, in milliseconds. */
const PREVIEW_FOR = 8000;

/** Return the names of muted people by their keys, as this browser stored them. @returns {Map<string, string>} */
function loadMuted() {
  try {
    return new Map(Object.entries(JSON.parse(loadPreference(PREFERENCE, "{}"))));
  } catch {
    return new Map();
  }
}

/** Return whether something may have been said before this connection. @param {TableState} state */
function canHaveHistory(state) {
  if (state.seats.length) return hasOpponents(state);
  return state.chairs.filter((chair, seat) => chair.taken && !isComputer(state, seat)).length > 1;
}

export class Chat {
  #client;
  /** @type {Map<number, ChatLine>} */ #lines = new Map();
  #muted = loadMuted();
  #phrases = "";
  #timer = 0;
  #unread = 0; // the lines of others that came while the chat was out of sight
  #isInView = false;
  #sheet = new Sheet("talk-panel", {
    button: "chat",
    setOpen: (panel, isOpen) => panel.classList.toggle("open", isOpen),
  });
  #hasHistory = false; // whether the lines from before this page have arrived
  /** @type {TableState | null} */ #state = null;

  #announce;

  /** @param {TableClient} client @param {(sentence: string) => void} announce speaks a sentence */
  constructor(client, announce) {
    this.#client = client;
    this.#announce = announce;
    client.on("chat", ({ lines }) => this.#onLines(lines));
    client.on("report", ({ taken }) => {
      const refusal = "The moderators already have enough reports on this game.";
      this.#note(taken ? "Reported to the moderators. Thank you." : refusal);
    });
    client.on("error", ({ of, sentence }) => {
      if (of === "say" || of === "report") this.#note(asSentence(sentence));
    });
    byId("talk-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = byId("talk-text", HTMLInputElement);
      const text = field.value.trim();
      if (text && this.#say({ text })) field.value = "";
    });
    byId("heard").addEventListener("click", () => this.#sheet.open());
    new IntersectionObserver(([entry]) => {
      this.#isInView = entry.isIntersecting;
      this.#count(0);
    }).observe(byId("talk"));
  }

  /** Count unread lines on the button beside the board. @param {number} added */
  #count(added) {
    this.#unread = this.#isInView ? 0 : this.#unread + added;
    const count = byId("chat-unread");
    count.hidden = this.#unread === 0;
    count.replaceChildren(String(this.#unread), make("span", { class: "hidden" }, " unread"));
  }

  /** Show what the table allows. @param {TableState} state */
  update(state) {
    this.#state = state;
    // The server sends no old lines while fewer than two people sit here: then the first line is a new one.
    if (!canHaveHistory(state)) this.#hasHistory = true;
    this.#showPanel();
    byId("phrases").hidden = !state.seats.length;
    byId("talk-form").hidden = !state.seats.length || state.settings.chat !== "free";
    const phrases = JSON.stringify(state.phrases);
    if (phrases === this.#phrases) return;
    this.#phrases = phrases;
    const buttons = state.phrases.map((text, phrase) => makeButton(text, () => this.#say({ phrase })));
    byId("phrases").replaceChildren(...buttons);
  }

  /** Show the panel to players with opponents, and to spectators once something was said. */
  #showPanel() {
    if (!this.#state) return;
    const isUseful = this.#lines.size > 0 || (this.#state.seats.length > 0 && hasOpponents(this.#state));
    byId("talk-panel").hidden = this.#state.study || !isUseful;
    byId("chat-open").hidden = byId("talk-panel").hidden;
    byId("talk-empty").hidden = byId("talk").children.length > 0;
  }

  /** Send something, and return whether there was a connection. @param {Posts["say"]} body */
  #say(body) {
    const isSent = this.#client.post("say", body);
    this.#note(isSent ? "" : "Not connected: your message was not sent.");
    return isSent;
  }

  /** Add lines to the last ones, and preview the newest of somebody else. @param {ChatLine[]} lines */
  #onLines(lines) {
    // After a loss of the connection the server repeats old lines.
    const newest = Math.max(-1, ...this.#lines.keys());
    const added = this.#hasHistory ? lines.filter((line) => line.number > newest) : [];
    this.#hasHistory = true;
    for (const line of lines) this.#lines.set(line.number, line);
    const numbers = [...this.#lines.keys()].sort((a, b) => a - b);
    for (const number of numbers.slice(0, -MOST_LINES)) this.#lines.delete(number);
    this.#show();
    const heard = added.filter((line) => !line.mine && !this.#muted.has(line.who));
    this.#count(heard.length);
    for (const line of heard) this.#announce(`${line.name}: ${line.text}`);
    const last = heard.at(-1);
    if (last) this.#preview(last);
  }

  /** Show a line below the board for a while, for those who do not see the chat. @param {ChatLine} line */
  #preview(line) {
    const preview = byId("heard");
    preview.replaceChildren(make("strong", {}, line.name), ` ${line.text}`);
    preview.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      preview.hidden = true;
    }, PREVIEW_FOR);
  }

  /** Show all lines but those of muted people. Old items stay in place, with the focus and open menus. */
  #show() {
    const list = byId("talk");
    const isAtEnd = isScrolledToEnd(list);
    const lines = [...this.#lines.values()].filter((line) => !this.#muted.has(line.who));
    const numbers = new Set(lines.map((line) => line.number));
    for (const item of findAll(list, "[data-number]")) {
      // What remains of `numbers` is not shown yet.
      if (!numbers.delete(Number(item.dataset.number))) item.remove();
    }
    for (const line of lines.filter(({ number }) => numbers.has(number))) {
      const next = findAll(list, "[data-number]").find((item) => Number(item.dataset.number) > line.number);
      list.insertBefore(this.#makeItem(line), next ?? null);
    }
    if (isAtEnd) list.scrollTop = list.scrollHeight;
    this.#showMuted();
    this.#showPanel();
  }

  /** Make the item of a line. @param {ChatLine} line */
  #makeItem(line) {
    const none = { class: "badge none", "aria-hidden": "true" };
    const sign = line.seat === null ? make("span", none, "·") : makeBadge(line.seat);
    const name = make("strong", {}, line.mine ? "You" : line.name);
    const colon = make("span", { class: "hidden" }, ": ");
    const said = make("span", { class: "said" }, name, colon, make("span", { class: "text" }, line.text));
    const attributes = { "data-number": line.number, class: line.mine ? "saying mine" : "saying" };
    return make("div", attributes, sign, said, line.mine ? null : this.#makeMenu(line));
  }

  /** Make the menu to mute a person or report a line. @param {ChatLine} line */
  #makeMenu(line) {
    const mute = makeButton(`Mute ${line.name}`, () => {
      this.#muted.set(line.who, line.name);
      this.#saveMuted();
      byId("talk-unmute").querySelector("button")?.focus();
    });
    const report = makeButton("Report message", () => {
      menu.open = false;
      const isSent = this.#client.post("report", { number: line.number });
      this.#note(isSent ? "Reporting…" : "Not connected: your report was not sent.");
    });
    const summary = make("summary", { "aria-label": `Options for this message from ${line.name}` }, "⋯");
    const menu = make("details", { class: "more" }, summary, mute, report);
    return menu;
  }

  #saveMuted() {
    savePreference(PREFERENCE, JSON.stringify(Object.fromEntries([...this.#muted].slice(-MOST_MUTED))));
    this.#show();
  }

  /** Name the muted people of this table, with a button to hear them again. */
  #showMuted() {
    const keys = new Set([...this.#lines.values()].map((line) => line.who).filter((who) => this.#muted.has(who)));
    const names = listWords([...keys].map((key) => this.#muted.get(key) ?? ""));
    byId("talk-unmute").hidden = !keys.size;
    const unmute = () => {
      for (const key of keys) this.#muted.delete(key);
      this.#saveMuted();
      byId("talk").focus();
    };
    byId("talk-unmute").replaceChildren(...(keys.size ? [`Muted: ${names}. `, makeButton("Unmute", unmute)] : []));
  }

  /** @param {string} text */
  #note(text) {
    byId("talk-note").textContent = text;
  }
}
