// The chat of a table: phrases, free text where the table allows it, and muting and reporting people.

import { byId, isScrolledToEnd } from "./dom.js";
import { restoreField } from "./kept_fields.js";
import { Badge, classes, Icon } from "./parts.js";
import { html, signal, useLayoutEffect, useRef } from "./preact.js";
import { loadPreference, savePreference } from "./preferences.js";
import { Sheet } from "./sheet.js";
import { table } from "./table.js";
import { hasOpponents, isComputer } from "./table_state.js";
import { listWords } from "./text.js";

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
  #announce;
  #timer = 0;
  #isInView = false;
  #hasHistory = false; // whether the lines from before this page have arrived
  /** The last lines, the oldest first. */
  lines = signal(/** @type {ChatLine[]} */ ([]));
  muted = signal(loadMuted());
  /** How many lines of others came while the chat was out of sight. */
  unread = signal(0);
  /** The line that is shown below the board for a while, for those who do not see the chat. */
  preview = signal(/** @type {ChatLine | null} */ (null));
  note = signal("");

  /** @param {TableClient} client @param {(sentence: string) => void} announce speaks a sentence */
  constructor(client, announce) {
    this.#client = client;
    this.#announce = announce;
    client.on("chat", ({ lines }) => this.#onLines(lines));
    client.on("report", ({ taken }) => {
      const refusal = "The moderators already have enough reports on this game.";
      this.note.value = taken ? "Reported to the moderators. Thank you." : refusal;
    });
    client.on("error", ({ of, sentence }) => {
      if (of === "say" || of === "report") this.note.value = sentence;
    });
  }

  /** Let the buttons open and close the panel, once they are on the page. */
  connect() {
    const setOpen = (/** @type {HTMLElement} */ panel, /** @type {boolean} */ isOpen) =>
      panel.classList.toggle("open", isOpen);
    const sheet = new Sheet("talk-panel", { button: "chat", setOpen });
    byId("heard").addEventListener("click", () => sheet.open());
    new IntersectionObserver(([entry]) => {
      this.#isInView = entry.isIntersecting;
      this.#count(0);
    }).observe(byId("talk"));
  }

  /** Count unread lines. @param {number} added */
  #count(added) {
    this.unread.value = this.#isInView ? 0 : this.unread.value + added;
  }

  /** Take a new state. @param {TableState} state */
  update(state) {
    // The server sends no old lines while fewer than two people sit here: then the first line is a new one.
    if (!canHaveHistory(state)) this.#hasHistory = true;
  }

  /** Send something, and return whether there was a connection. @param {Posts["say"]} body */
  say(body) {
    const isSent = this.#client.post("say", body);
    this.note.value = isSent ? "" : "Not connected: your message was not sent.";
    return isSent;
  }

  /** Add lines to the last ones, and preview the newest of someone else. @param {ChatLine[]} lines */
  #onLines(lines) {
    const byNumber = new Map(this.lines.value.map((line) => [line.number, line]));
    // After a loss of the connection the server repeats old lines.
    const newest = Math.max(-1, ...byNumber.keys());
    const added = this.#hasHistory ? lines.filter((line) => line.number > newest) : [];
    this.#hasHistory = true;
    for (const line of lines) byNumber.set(line.number, line);
    const isAtEnd = isScrolledToEnd(byId("talk"));
    this.lines.value = [...byNumber.values()].sort((a, b) => a.number - b.number).slice(-MOST_LINES);
    if (isAtEnd) byId("talk").scrollTop = byId("talk").scrollHeight;
    const heard = added.filter((line) => !line.mine && !this.muted.value.has(line.who));
    this.#count(heard.length);
    for (const line of heard) this.#announce(`${line.name}: ${line.text}`);
    if (!heard.length) return;
    this.preview.value = heard[heard.length - 1];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.preview.value = null;
    }, PREVIEW_FOR);
  }

  /** @param {ChatLine} line */
  report({ number }) {
    const isSent = this.#client.post("report", { number });
    this.note.value = isSent ? "Reporting…" : "Not connected: your report was not sent.";
  }

  /** @param {ChatLine} line */
  mute({ who, name }) {
    this.#saveMuted([...this.muted.value, [who, name]]);
    byId("talk-unmute").querySelector("button")?.focus();
  }

  /** @param {string[]} keys of muted people */
  unmute(keys) {
    this.#saveMuted([...this.muted.value].filter(([key]) => !keys.includes(key)));
    byId("talk").focus();
  }

  /** @param {[string, string][]} muted */
  #saveMuted(muted) {
    this.muted.value = new Map(muted.slice(-MOST_MUTED));
    savePreference(PREFERENCE, JSON.stringify(Object.fromEntries(this.muted.value)));
  }

  /** Whether to show the chat: to players with opponents, and to spectators once something was said. */
  get isShown() {
    const state = table.value;
    if (!state || state.study) return false;
    return this.lines.value.length > 0 || (state.seats.length > 0 && hasOpponents(state));
  }
}

/** Opens the chat from beside the board. @param {{ chat: Chat }} props */
export function ChatButton({ chat }) {
  const unread = chat.unread.value;
  return html`<button type="button" class="plain" id="chat-open" aria-expanded="false" aria-controls="talk-panel"
    hidden=${!chat.isShown}><${Icon} name="chat" /><span class="hidden">Chat</span>
    ${unread > 0 && html`<span class="unread">${unread}<span class="hidden"> unread</span></span>`}</button>`;
}

/** The last line that someone said, below the board. @param {{ chat: Chat }} props */
export function Heard({ chat }) {
  const line = chat.preview.value;
  return html`<button class="heard" id="heard" type="button" hidden=${!line} aria-hidden="true" tabindex="-1">
    <strong>${line?.name}</strong> ${line?.text}</button>`;
}

/** What was said, and what can be said. @param {{ chat: Chat }} props */
export function ChatPanel({ chat }) {
  const state = table.value;
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useLayoutEffect(() => restoreField(field.current), []);
  const muted = chat.muted.value;
  const lines = chat.lines.value.filter((line) => !muted.has(line.who));
  const keys = [...new Set(chat.lines.value.map((line) => line.who))].filter((who) => muted.has(who));
  const names = listWords(keys.map((key) => muted.get(key) ?? ""));
  const phrases = state?.phrases.map(
    (text, phrase) => html`<button type="button" onClick=${() => chat.say({ phrase })}>${text}</button>`,
  );
  /** @param {Event} event */
  function send(event) {
    event.preventDefault();
    const text = field.current?.value.trim();
    if (field.current && text && chat.say({ text })) field.current.value = "";
  }
  const isPlayer = Boolean(state?.seats.length);
  const unmute = html`Muted: ${names}. <button type="button" onClick=${() => chat.unmute(keys)}>Unmute</button>`;
  return html`<section class="panel sheet talk-panel" id="talk-panel" aria-labelledby="talk-title" tabindex="-1"
    hidden=${!chat.isShown}>
    <div class="panel-head"><h2 id="talk-title">Chat</h2><button type="button" class="plain sheet-close"
      id="chat-close" aria-label="Close the chat"><${Icon} name="close" /></button></div>
    <div class="talk" id="talk" role="log" aria-live="off" aria-label="Chat messages" tabindex="0">
      ${lines.map((line) => html`<${Line} chat=${chat} line=${line} key=${line.number} />`)}</div>
    ${!lines.length && html`<p class="muted small">No messages yet.</p>`}
    <p class="small muted" id="talk-unmute" hidden=${!keys.length}>${keys.length > 0 && unmute}</p>
    <div class="phrases" id="phrases" role="group" aria-label="Quick phrases" hidden=${!isPlayer}>${phrases}</div>
    <form class="talk-form" id="talk-form" hidden=${!isPlayer || state?.settings.chat !== "free"} onSubmit=${send}>
      <label class="hidden" for="talk-text">Message</label>
      <input type="text" id="talk-text" maxlength="200" autocomplete="off" enterkeyhint="send" placeholder="Message"
        ref=${field} /><button>Send</button></form>
    <p class="small muted" id="talk-note" role="status">${chat.note.value}</p></section>`;
}

/** A line, with a menu to mute a person or report it. @param {{ chat: Chat, line: ChatLine }} props */
function Line({ chat, line }) {
  const menu = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  const report = () => {
    if (menu.current) menu.current.open = false;
    chat.report(line);
  };
  const sign =
    line.seat === null
      ? html`<span class="badge none" aria-hidden="true">·</span>`
      : html`<${Badge} seat=${line.seat} />`;
  const more = html`<details class="more" ref=${menu}>
    <summary aria-label="Options for this message from ${line.name}">⋯</summary>
    <button type="button" onClick=${() => chat.mute(line)}>Mute ${line.name}</button>
    <button type="button" onClick=${report}>Report message</button></details>`;
  return html`<div class=${classes("saying", line.mine && "mine")} data-number=${line.number}>${sign}
    <span class="said"><strong>${line.mine ? "You" : line.name}</strong><span class="hidden">: </span>
      <span class="text">${line.text}</span></span>${!line.mine && more}</div>`;
}
