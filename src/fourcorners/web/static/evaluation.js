// The evaluation bar: how the position shown is expected to end. Off until somebody wants it.

import { badge, make } from "./dom.js";
import { amongPeople } from "./waiting.js";

const byId = (id) => document.getElementById(id);
const KEPT = "evaluation";
const REST = 150;

export class Evaluation {
  #on = false;
  #place = ""; // which position is shown
  #question = 0;
  #timer = 0;

  constructor({ live }) {
    this.live = live;
    this.button = byId("evaluate");
    this.button.addEventListener("click", () => this.#turn(!this.#on));
    try {
      this.#on = localStorage.getItem(KEPT) === "yes";
    } catch {
      this.#on = false; // storage may be forbidden
    }
  }

  // A position is shown: the one now, or after so many plies.
  update(state, ply) {
    // Where hands are hidden the bar tells what one's own hand tells, so it is for those who have one.
    const fine = !state.game.hidden || state.revealed || state.study || Boolean(state.seats?.length);
    const may = fine && (state.revealed || !amongPeople(state));
    this.button.hidden = !may;
    this.button.setAttribute("aria-pressed", String(this.#on));
    byId("evaluation").hidden = !may || !this.#on;
    const place = may ? `${state.version} ${ply} ${state.viewer}` : "";
    if (place === this.#place) return;
    this.#place = place;
    this.ply = ply;
    this.#ask();
  }

  #turn(on) {
    this.#on = on;
    this.button.setAttribute("aria-pressed", String(on));
    byId("evaluation").hidden = !on;
    try {
      localStorage.setItem(KEPT, on ? "yes" : "no");
    } catch {
      // it then lasts as long as the page
    }
    this.#ask();
  }

  // What was shown stays, faded, until the answer is here: a bar that empties at every move would flicker.
  #ask() {
    clearTimeout(this.#timer);
    const question = (this.#question = this.#on && this.#place ? Date.now() + Math.random() : 0);
    if (!question) return;
    byId("evaluation").classList.add("old");
    this.#timer = setTimeout(async () => {
      const answer = await this.live.question("evaluate", { id: `e${question}`, ply: this.ply });
      if (question !== this.#question) return;
      if (!answer || answer.state === "left") {
        // Ask again when the connection is back.
        this.#place = "";
        return;
      }
      byId("evaluation").classList.remove("old");
      if (answer.state === "found") this.#show(answer);
      else this.#blank(answer.sentence);
    }, REST);
  }

  #show({ sentence, detail, share, sides, solved }) {
    const [first, second] = sides;
    const percent = Math.round(100 * share);
    this.#meter(percent, detail ? `${sentence} ${detail}.` : sentence);
    byId("evaluation-ends").replaceChildren(
      make("span", {}, ...first.map(badge)),
      make("span", {}, ...(second ?? []).map(badge)),
    );
    this.#say(sentence, detail);
    byId("evaluation").classList.toggle("proven", solved);
    byId("evaluation").classList.remove("blank");
  }

  #blank(sentence) {
    this.#meter(50, sentence);
    byId("evaluation-ends").replaceChildren();
    this.#say(sentence);
    byId("evaluation").classList.remove("proven");
    byId("evaluation").classList.add("blank");
  }

  #meter(percent, words) {
    const meter = byId("evaluation-meter");
    meter.setAttribute("aria-valuenow", String(percent));
    meter.setAttribute("aria-valuetext", words);
    byId("evaluation-share").style.width = `${percent}%`;
  }

  #say(sentence, detail = "") {
    byId("evaluation-text").replaceChildren(sentence, ...(detail ? [" ", make("span", { class: "muted" }, detail)] : []));
  }
}
