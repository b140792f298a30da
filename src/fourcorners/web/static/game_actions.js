// What is done at a table beside moving: going back, giving up, offering a draw, asking to take back, playing again.

import { listed, make } from "./dom.js";
import { nameOf } from "./panels.js";

const byId = (id) => document.getElementById(id);

export class Requests {
  #state = null;
  #shown = "";

  // `note` says something that stays until it is read; `movers` gives the seats in the order of their moves.
  constructor({ live, note, say, movers }) {
    Object.assign(this, { live, note, say, movers });
    // What is asked stands beside the board, or sticks to the lower edge where there is nothing beside it.
    const wide = matchMedia("(min-width: 56rem)");
    const place = () => byId(wide.matches ? "side" : "act").prepend(byId("asked"));
    wide.addEventListener("change", place);
    place();
    byId("undo").addEventListener("click", () => this.#do("undo"));
    byId("offer-draw").addEventListener("click", () => this.#do("offer-draw", { seat: this.#playing()[0] }));
    byId("ask-undo").addEventListener("click", () => this.#do("ask-undo", { seat: this.#lastMover() }));
    byId("resign").addEventListener("click", () => {
      byId("resign-ask").hidden = false;
      byId("resign-ask").querySelector('[data-answer="no"]').focus();
    });
    byId("resign-ask").addEventListener("click", (event) => this.#resign(event.target.dataset.answer));
    byId("request").addEventListener("click", (event) => this.#answer(event.target.closest("button")?.dataset));
    byId("again").addEventListener("click", () => this.#again());
  }

  update(state) {
    const before = this.#state;
    this.#state = state;
    const may = (verb) => state.may.includes(verb);
    byId("confirm")?.closest("label").toggleAttribute("hidden", !state.seats.length);
    byId("undo").hidden = !may("undo");
    byId("offer-draw").hidden = !may("offer-draw");
    byId("ask-undo").hidden = !may("ask-undo");
    const resigns = this.#resigner() !== null;
    byId("resign").hidden = !resigns;
    if (!resigns) byId("resign-ask").hidden = true;
    byId("again").hidden = !may("again");
    const rematch = byId("rematch");
    rematch.hidden = !state.again;
    // The one who comes by this link sits down at once on the seat that is kept.
    if (state.again) rematch.href = `/play/${state.again}#sit`;
    this.#show(state);
    if (before && before.version !== state.version) this.#outcome(before, state);
  }

  #show(state) {
    const key = JSON.stringify([state.draw, state.undo_asked, state.may, state.names]);
    if (key === this.#shown) return;
    this.#shown = key;
    const place = byId("request");
    const lines = [this.#drawLine(state), this.#undoLine(state)].filter(Boolean);
    byId("request-text").textContent = lines.map(({ text }) => text).join(" ");
    byId("request-answers").replaceChildren(...lines.flatMap(({ buttons }) => buttons));
    place.hidden = !lines.length;
  }

  #drawLine(state) {
    if (state.draw === null || state.over) return null;
    const name = nameOf(state, state.draw);
    if (state.may.includes("answer-draw")) {
      return { text: `${name} offers a draw.`, buttons: [answer("answer-draw", "yes", "Accept the draw"), answer("answer-draw", "no", "Decline")] };
    }
    const others = state.names.map((_, seat) => seat).filter((seat) => seat !== state.draw);
    const who = state.seats.includes(state.draw) ? "You offer a draw." : `${name} offers a draw.`;
    return { text: `${who} ${listed(others.map((seat) => nameOf(state, seat)))} has not answered yet.`, buttons: [] };
  }

  #undoLine(state) {
    const asked = state.undo_asked;
    if (!asked || state.over) return null;
    const own = state.seats.includes(asked.by);
    const count = state.ply - asked.ply;
    const what = `move ${asked.ply + 1}${count > 1 ? ` and the ${count - 1 > 1 ? `${count - 1} moves` : "move"} after it` : ""}`;
    const who = `${own ? "You ask" : `${nameOf(state, asked.by)} asks`} to take back ${what}.`;
    if (state.may.includes("answer-undo")) {
      return { text: who, buttons: [answer("answer-undo", "yes", "Agree"), answer("answer-undo", "no", "Refuse")] };
    }
    const missing = asked.missing.map((seat) => nameOf(state, seat));
    return { text: missing.length ? `${who} ${listed(missing)} ${missing.length > 1 ? "have" : "has"} not answered yet.` : who, buttons: [] };
  }

  // What has become of what was asked, for who asked it.
  #outcome(before, state) {
    if (state.over) return;
    const mine = (seat) => seat !== null && seat !== undefined && (state.seats ?? []).includes(seat);
    if (mine(before.draw) && state.draw === null) {
      this.note(state.ply > before.ply ? "The game went on: your offer of a draw is no longer open." : "Your offer of a draw was declined.");
    }
    if (mine(before.undo_asked?.by) && !state.undo_asked) {
      if (state.ply < before.ply) this.note("It is taken back.");
      else this.note(state.ply > before.ply ? "The game went on: nothing was taken back." : "Your request to take back was refused.");
    }
  }

  #answer(what) {
    if (!what?.deed) return;
    const asked = this.#state.undo_asked;
    const held = this.#playing();
    const seat = what.deed === "answer-draw" ? held.find((one) => one !== this.#state.draw) : held.find((one) => asked?.missing.includes(one));
    this.#do(what.deed, { seat, accept: what.accept === "yes" });
  }

  #playing() {
    return (this.#state?.seats ?? []).filter((seat) => !this.#state.out.includes(seat));
  }

  // Of several seats that somebody plays, the one that moved last.
  #lastMover() {
    const held = this.#playing();
    return this.movers().findLast((seat) => held.includes(seat)) ?? held[0];
  }

  // The seat for which this browser may resign now.
  #resigner() {
    if (!this.#state?.may.includes("resign")) return null;
    const held = this.#playing();
    if (held.length === 1) return held[0];
    return held.includes(this.#state.seat) ? this.#state.seat : null;
  }

  #resign(answered) {
    if (!answered) return;
    byId("resign-ask").hidden = true;
    byId("resign").focus();
    const seat = this.#resigner();
    if (answered === "yes" && seat !== null) this.#do("resign", { seat });
  }

  async #again() {
    const answer = await this.#do("again");
    if (answer.type === "done" && this.#state.again) location.assign(`/play/${this.#state.again}`);
  }

  async #do(deed, body = {}) {
    const answer = await this.live.command(deed, body);
    if (answer.type === "refused") this.say(`${answer.sentence[0].toUpperCase()}${answer.sentence.slice(1)}.`);
    if (answer.type === "stale") this.note("The board had changed meanwhile: nothing was done.");
    return answer;
  }
}

function answer(deed, accept, text) {
  return make("button", { type: "button", class: accept === "yes" ? "primary" : "", "data-deed": deed, "data-accept": accept }, text);
}
