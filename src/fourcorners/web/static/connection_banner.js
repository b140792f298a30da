// What is going on with the line to the server, in words over the page, so that nothing in it moves.

const byId = (id) => document.getElementById(id);
const UNSAID = 1500; // a page that opens quickly says nothing of it
const BACK_FOR = 2500;

export class LineWords {
  #was = false; // whether anything was shown of this table
  #until = 0;
  #timer = 0;
  #lost = false;

  constructor(live) {
    this.live = live;
    this.place = byId("line");
    byId("line-now").addEventListener("click", () => live.line.retry());
    live.line.addEventListener("trying", () => this.#trying());
    live.line.addEventListener("lost", (event) => this.#waiting(event.detail));
    live.line.addEventListener("ended", (event) => this.#ended(event.detail));
    live.addEventListener("found", () => this.#found());
    live.addEventListener("preparing", () => this.#say("The server prepares its rules; this takes about a minute, once."));
  }

  #trying() {
    clearTimeout(this.#timer);
    byId("line-wait").textContent = this.#lost ? "Trying now…" : "";
    byId("line-now").hidden = true;
    if (!this.#was && !this.#lost) this.#timer = setTimeout(() => this.#say("Connecting…"), UNSAID);
  }

  #waiting({ wait, sentence }) {
    this.#lost = true;
    this.#until = performance.now() + wait;
    document.body.classList.add("lost");
    const kept = this.live.waiting.map((move) => ` Your move ${move} is kept, and sent as soon as the line is back.`);
    const what = sentence || (this.#was ? "The line to the server is lost." : "The server cannot be reached.");
    this.#say(what + kept.join(""));
    byId("line-now").hidden = false;
    this.#count();
  }

  #count() {
    clearTimeout(this.#timer);
    const left = Math.ceil((this.#until - performance.now()) / 1000);
    byId("line-wait").textContent = left > 0 ? `Trying again in ${left} s.` : "Trying now…";
    if (left > 0) this.#timer = setTimeout(() => this.#count(), 1000);
  }

  #found() {
    clearTimeout(this.#timer);
    this.#was = true;
    document.body.classList.remove("lost");
    byId("line-wait").textContent = "";
    byId("line-now").hidden = true;
    this.#say(this.#lost ? "Back: the board is up to date." : "");
    this.place.classList.toggle("back", this.#lost);
    if (this.#lost) this.#timer = setTimeout(() => this.#say(""), BACK_FOR);
    this.#lost = false;
  }

  #ended({ sentence }) {
    clearTimeout(this.#timer);
    document.body.classList.add("lost");
    this.#lost = true;
    byId("line-wait").textContent = "";
    byId("line-now").hidden = true;
    this.#say(sentence);
  }

  #say(sentence) {
    this.place.classList.toggle("shown", Boolean(sentence));
    this.place.classList.remove("back");
    if (byId("link").textContent !== sentence) byId("link").textContent = sentence;
  }
}
