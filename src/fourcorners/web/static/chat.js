// The chat of a table: phrases, free text where the table allows it, and what a player wants to hear no more of.

import { keep, recall } from "./preferences.js";
import { badge, listed, make } from "./dom.js";

const MUTED = "muted";
const MOST_MUTED = 200;
const SHOWN = 100;
const HEARD_FOR = 8000;

const byId = (id) => document.getElementById(id);

function kept() {
  try {
    const names = JSON.parse(recall(MUTED, "{}"));
    return new Map(Object.entries(names));
  } catch {
    return new Map();
  }
}

export class Talk {
  #lines = new Map();
  #muted = kept();
  #phrases = "";
  #timer = 0;
  #current = false; // whether what was said before this page came is shown

  constructor({ live }) {
    this.live = live;
    live.addEventListener("chat", (event) => this.#take(event.detail.lines));
    live.addEventListener("reported", (event) => this.#reported(event.detail.taken));
    live.addEventListener("bad", (event) => {
      if (["say", "report"].includes(event.detail.of)) this.#note(`${event.detail.sentence[0].toUpperCase()}${event.detail.sentence.slice(1)}`);
    });
    live.addEventListener("lost", () => (this.#current = false));
    byId("talk-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = byId("talk-text");
      const text = field.value.trim();
      if (text && this.#say({ text })) field.value = "";
    });
    byId("heard").addEventListener("click", () => byId("talk-panel").scrollIntoView({ block: "nearest" }));
  }

  update(state, others) {
    this.state = state;
    const mine = state.seats?.length > 0;
    byId("talk-panel").hidden = state.study || !(mine ? others : this.#lines.size);
    byId("phrases").hidden = !mine;
    byId("talk-form").hidden = !mine || state.settings?.chat !== "free";
    const phrases = JSON.stringify(state.phrases ?? []);
    if (phrases !== this.#phrases) {
      this.#phrases = phrases;
      const buttons = (state.phrases ?? []).map((text, phrase) => {
        const button = make("button", { type: "button" }, text);
        button.addEventListener("click", () => this.#say({ phrase }));
        return button;
      });
      byId("phrases").replaceChildren(...buttons);
    }
    this.#showEmpty();
  }

  #say(body) {
    const sent = this.live.post("say", body);
    this.#note(sent ? "" : "There is no connection just now: it was not sent.");
    return sent;
  }

  #take(lines) {
    const fresh = this.#current ? lines.filter((line) => !this.#lines.has(line.number)) : [];
    this.#current = true;
    for (const line of lines) this.#lines.set(line.number, line);
    for (const number of [...this.#lines.keys()].sort((a, b) => a - b).slice(0, -SHOWN)) this.#lines.delete(number);
    this.#show();
    const heard = fresh.filter((line) => !line.mine && !this.#muted.has(line.who)).at(-1);
    if (heard) this.#hear(heard);
    if (this.state) this.update(this.state, !byId("talk-panel").hidden || this.#lines.size > 0);
  }

  // Show what was said last beneath the board, where no chat is in sight.
  #hear(line) {
    const place = byId("heard");
    place.replaceChildren(make("strong", {}, line.name), ` ${line.text}`);
    place.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (place.hidden = true), HEARD_FOR);
  }

  #show() {
    const list = byId("talk");
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    const wanted = [...this.#lines.values()].filter((line) => !this.#muted.has(line.who)).sort((a, b) => a.number - b.number);
    const there = new Map([...list.children].map((item) => [Number(item.dataset.number), item]));
    const numbers = new Set(wanted.map((line) => line.number));
    for (const [number, item] of there) if (!numbers.has(number)) item.remove();
    // Only what is new is added, as a reader of the screen speaks what is added.
    for (const line of wanted) if (!there.has(line.number)) this.#insert(list, this.#item(line));
    if (atEnd) list.scrollTop = list.scrollHeight;
    this.#showMuted();
    this.#showEmpty();
  }

  #insert(list, item) {
    const after = [...list.children].find((other) => Number(other.dataset.number) > Number(item.dataset.number));
    list.insertBefore(item, after ?? null);
  }

  #item(line) {
    const said = make(
      "span",
      { class: "said" },
      make("strong", {}, line.mine ? "You" : line.name),
      make("span", { class: "hidden" }, ": "),
      make("span", { class: "text" }, line.text),
    );
    const sign = line.seat === null ? make("span", { class: "badge none", "aria-hidden": "true" }, "·") : badge(line.seat);
    const item = make("div", { "data-number": line.number, class: line.mine ? "saying mine" : "saying" }, sign, said);
    if (!line.mine) item.append(this.#more(line));
    return item;
  }

  #more(line) {
    const mute = make("button", { type: "button" }, `Mute ${line.name}`);
    const report = make("button", { type: "button" }, "Report this line");
    const more = make("details", { class: "more" }, make("summary", { "aria-label": `What to do about this line of ${line.name}` }, "⋯"), mute, report);
    mute.addEventListener("click", () => this.#mute(line));
    report.addEventListener("click", () => {
      more.open = false;
      const sent = this.live.post("report", { number: line.number });
      this.#note(sent ? "Reporting…" : "There is no connection just now: it was not reported.");
    });
    return more;
  }

  #reported(taken) {
    this.#note(taken ? "Reported to those who run this server. Thank you." : "Enough was reported of this table; it will be looked at.");
  }

  #mute(line) {
    this.#muted.set(line.who, line.name);
    this.#keepMuted();
    byId("talk-unmute").querySelector("button")?.focus();
  }

  #unmute(whos) {
    for (const who of whos) this.#muted.delete(who);
    this.#keepMuted();
    byId("talk").focus();
  }

  #keepMuted() {
    keep(MUTED, JSON.stringify(Object.fromEntries([...this.#muted].slice(-MOST_MUTED))));
    this.#show();
  }

  #showMuted() {
    const whos = new Set([...this.#lines.values()].map((line) => line.who).filter((who) => this.#muted.has(who)));
    const place = byId("talk-unmute");
    place.hidden = !whos.size;
    if (!whos.size) {
      place.replaceChildren();
      return;
    }
    const button = make("button", { type: "button" }, "Show again");
    button.addEventListener("click", () => this.#unmute(whos));
    place.replaceChildren(`Muted: ${listed([...whos].map((who) => this.#muted.get(who)))}. `, button);
  }

  #showEmpty() {
    byId("talk-empty").hidden = byId("talk").children.length > 0;
  }

  #note(text) {
    byId("talk-note").textContent = text;
  }
}
