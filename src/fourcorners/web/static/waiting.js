// Before the start: who sits, who is awaited, and how a seat is taken, left or given to the computer.

import { badge, make } from "./dom.js";

const byId = (id) => document.getElementById(id);
const KEPT_NAME = "name";

export class Waiting {
  #shown = "";

  constructor({ live, note }) {
    Object.assign(this, { live, note });
    this.panel = byId("waiting");
    this.list = byId("waiting-seats");
    this.name = byId("sit-name");
    try {
      this.name.value = localStorage.getItem(KEPT_NAME) || this.name.value;
    } catch {
      // storage may be forbidden
    }
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("[data-deed]");
      if (button) this.#press(button.dataset.deed, Number(button.dataset.seat));
    });
  }

  update(state) {
    const waiting = !state.started && !state.over && !state.study;
    this.panel.hidden = !waiting;
    if (!waiting) {
      this.list.replaceChildren();
      this.#shown = "";
      return;
    }
    this.names = state.chairs.map((chair, seat) => (chair.kept && chair.mine ? state.names[seat] : ""));
    const may = (verb) => state.may.includes(verb);
    const mine = state.chairs.findIndex((chair) => chair.mine && chair.taken);
    const kept = state.chairs.findIndex((chair) => chair.mine && chair.kept);
    const set = (id, text) => {
      if (byId(id).textContent !== text) byId(id).textContent = text;
    };
    set("waiting-title", may("sit") ? "Take a seat" : awaited(state));
    set("waiting-terms", termsOf(state));
    set("waiting-lead", leadOf(state, mine, kept));
    byId("sit-as").hidden = !may("sit") || this.name.dataset.account === "yes";
    byId("waiting-level").hidden = !may("computer") || !state.chairs.some((chair) => !chair.taken);
    const key = JSON.stringify([state.version, state.chairs, state.names, state.kinds, state.here, state.may]);
    if (key !== this.#shown) {
      this.#shown = key;
      this.#list(state, may);
    }
    if (kept >= 0 && location.hash === "#sit") {
      // Who follows the link to a rematch has said that already.
      history.replaceState(null, "", location.pathname);
      this.#press("sit", kept);
    }
  }

  #list(state, may) {
    const focused = document.activeElement?.closest("[data-deed]")?.dataset;
    const wanted = focused && this.list.contains(document.activeElement) ? { ...focused } : null;
    this.list.replaceChildren(...state.chairs.map((chair, seat) => this.#row(state, chair, seat, may)));
    if (wanted) this.list.querySelector(`[data-deed="${wanted.deed}"][data-seat="${wanted.seat}"]`)?.focus();
  }

  #row(state, chair, seat, may) {
    const colour = state.game.seat_names[seat];
    const notes = [];
    if (chair.taken && chair.mine) notes.push("you");
    else if (chair.taken && state.kinds[seat] === "person") notes.push(presence(state, seat));
    if (chair.kept) notes.push(chair.mine ? "kept for you" : "awaited");
    const deed = (name, text, kind = "") =>
      make("button", { type: "button", class: kind, "data-deed": name, "data-seat": seat, "aria-label": `${text}: ${colour}` }, text);
    const sit = !chair.taken && may("sit") && (chair.mine || !chair.kept);
    return make(
      "li",
      { class: `place${chair.taken ? "" : " free"}` },
      badge(seat),
      make(
        "div",
        { class: "who" },
        make("strong", {}, chair.taken || chair.kept ? state.names[seat] : "Free seat"),
        make("span", { class: "small muted" }, `${colour[0].toUpperCase()}${colour.slice(1)}`, ...notes.flatMap((one) => [" · ", one])),
      ),
      make(
        "div",
        { class: "row deeds" },
        sit ? deed("sit", "Sit here", "primary") : null,
        chair.taken && chair.mine && may("stand") ? deed("stand", "Leave the seat") : null,
        !chair.taken && may("computer") ? deed("computer", "Give to the computer") : null,
      ),
    );
  }

  async #press(deed, seat) {
    const body = { seat };
    if (deed === "sit") {
      const typed = this.name.value.trim();
      // A seat that is kept for somebody has their name already.
      body.name = typed || this.names[seat];
      try {
        if (typed) localStorage.setItem(KEPT_NAME, typed);
      } catch {
        // storage may be forbidden
      }
    }
    if (deed === "computer") body.kind = `computer:${byId("computer-level").value}`;
    const answer = await this.live.command(deed, body);
    if (answer.type === "refused") this.note(`${answer.sentence[0].toUpperCase()}${answer.sentence.slice(1)}.`, true);
  }
}

export function awaited(state) {
  const missing = state.chairs.filter((chair) => !chair.taken);
  if (missing.length === 1) {
    const seat = state.chairs.indexOf(missing[0]);
    return missing[0].kept && !missing[0].mine ? `Waiting for ${state.names[seat]}` : "Waiting for one more player";
  }
  return `Waiting for ${missing.length} more players`;
}

function leadOf(state, mine, kept) {
  if (kept >= 0) return "A seat is kept for you. The game begins when every seat is taken.";
  if (state.may.includes("sit")) return "Choose one that is free. The game begins when every seat is taken.";
  if (mine >= 0) return "The game begins by itself when every seat is taken. Send the link to whom you want to play with.";
  return "You look on. The game begins when every seat is taken.";
}

function termsOf(state) {
  const { settings } = state;
  const teams = (state.game.teams ?? []).some((side) => side.length > 1);
  const parts = [state.clock_label || "No clock", settings.rated ? "rated" : "not rated"];
  if (teams) parts.push(`partners: ${state.game.teams.map((side) => side.map((seat) => state.game.seat_names[seat]).join(" and ")).join(", ")}`);
  parts.push(settings.visibility === "public" ? "in the lobby" : "by link only");
  return parts.join(" · ");
}

// Whether people play each other here, or will: then nobody is helped while it lasts.
export function amongPeople(state) {
  if (state.study) return false;
  const persons = state.chairs.filter((_, seat) => state.kinds[seat] === "person");
  return state.seats.length ? persons.some((chair) => !chair.mine) : persons.length > 1;
}

// Whether the player of a seat is here, as a sign and a word.
export function presence(state, seat) {
  const here = state.here?.chairs[seat];
  return make("span", { class: `presence${here ? " here" : ""}` }, here ? "here" : "away");
}
