// Studying a finished game or a record: what the position shown is worth, and what the game lays over its board.

import { Ranking } from "./ranking.js";
import { Worths, signed } from "./move_values.js";

const byId = (id) => document.getElementById(id);
const REST = 150;
const KEPT = "overlay";

export class Study {
  #on = false;
  #place = ""; // which position is shown
  #answered = false;
  #question = 0;
  #timer = 0;

  // `explore(moves)` lets these moves be tried on the board, null ends that.
  constructor({ live, scene, picture, places, choosing, explore }) {
    Object.assign(this, { live, scene, choosing, explore });
    this.worths = new Worths(picture, places, choosing);
    this.ranking = new Ranking(byId("ranking-panel"), byId("ranking"), this.worths, (move) => choosing.show(move));
    this.solve = byId("solve");
    this.overlay = byId("overlay");
    this.solve.addEventListener("click", () => this.#turn(!this.#on));
    this.overlay.addEventListener("click", () => this.#lay(!scene.classList.contains("overlaid"), true));
    let kept = "";
    try {
      kept = localStorage.getItem(KEPT);
    } catch {
      kept = ""; // storage may be forbidden
    }
    this.#lay(kept === "yes", false);
    live.addEventListener("solving", (event) => this.#progress(event.detail));
  }

  // Whether moves are tried and not played.
  get exploring() {
    return this.worths.known;
  }

  // A position is shown: the one now, or after so many plies.
  update(state, ply) {
    this.solve.hidden = !state.revealed;
    this.overlay.hidden = !state.overlay;
    this.overlay.textContent = state.overlay ?? "";
    const place = state.revealed ? `${state.version} ${ply} ${state.viewer}` : "";
    if (place === this.#place && (this.#answered || !this.#on)) return;
    this.#place = place;
    this.ply = ply;
    this.names = state.names;
    this.forget();
    if (!place) this.#on = false;
    this.#mark();
    if (this.#on) this.#ask();
  }

  // What was known of a position is no longer shown, before its picture changes.
  forget() {
    clearTimeout(this.#timer);
    if (this.#question && !this.#answered) this.live.leave();
    this.#question = 0;
    this.#answered = false;
    const explored = this.exploring;
    this.worths.show(null);
    this.worths.set([]);
    this.ranking.set([]);
    this.#say("");
    if (explored) this.explore(null);
  }

  #turn(on) {
    this.#on = on;
    this.forget();
    this.#mark();
    if (on) this.#ask();
  }

  #mark() {
    this.solve.setAttribute("aria-pressed", String(this.#on));
  }

  #lay(on, keep) {
    this.scene.classList.toggle("overlaid", on);
    this.overlay.setAttribute("aria-pressed", String(on));
    if (!keep) return;
    try {
      localStorage.setItem(KEPT, on ? "yes" : "no");
    } catch {
      // it then lasts as long as the page
    }
  }

  #ask() {
    this.#say("Solving…");
    clearTimeout(this.#timer);
    // Who steps on quickly asks about the position where they stop.
    this.#timer = setTimeout(async () => {
      const question = (this.#question = Date.now() + Math.random());
      const answer = await this.live.question("solve", { id: `q${question}`, ply: this.ply });
      if (question !== this.#question || answer?.state === "left") return;
      if (answer) this.#take(answer);
      else this.#question = 0;
    }, REST);
  }

  #take(answer) {
    this.#answered = true;
    this.#say(answer.sentence, answer.detail ?? "");
    const moves = answer.moves ?? [];
    if (!moves.length) return;
    this.worths.set(moves, answer.counts);
    this.ranking.set(moves);
    byId("ranking-title").textContent = `Moves of ${this.names[answer.seat]}, by value`;
    this.explore(moves.map(([move]) => move));
  }

  #progress({ ply, lower, upper, nodes }) {
    if (ply !== this.ply || !this.#question || this.#answered) return;
    this.#say("Solving…", `Between ${signed(lower)} and ${signed(upper)} so far; ${nodes.toLocaleString("en")} positions searched.`);
  }

  #say(sentence, detail = "") {
    byId("verdict").hidden = !sentence;
    for (const [id, text] of [["verdict-sentence", sentence], ["verdict-detail", detail]]) {
      if (byId(id).textContent !== text) byId(id).textContent = text;
    }
  }
}
