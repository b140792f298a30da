// What is planned while the others are to move: one move for whatever they do, or answers to moves of theirs.

import { badge, make } from "./dom.js";
import { Marks } from "./overlays.js";

const MOST_LINES = 16;
const MOST_MOVES = 16;

const byId = (id) => document.getElementById(id);

export class Plans {
  #lines = []; // as the server keeps them
  #movers = []; // whose moves they are
  #trying = null; // what is being planned: {line, movers, mover}, the moves so far and who is to move then
  #planned = null; // the seat whose lines these are
  #seat = null; // the seat for which something may be planned now
  #version = null;
  #marks = new Marks();
  #note = "";

  // `restart()` lets the moves of the game be chosen again.
  constructor({ live, picture, places, choosing, scene, restart }) {
    Object.assign(this, { live, picture, places, choosing, scene, restart });
    this.labels = {};
    live.addEventListener("plan", (event) => this.#told(event.detail));
    // To point at the board while it is not one's turn is to plan.
    choosing.addEventListener("not-mine", (event) => {
      if (this.#seat === null || this.#trying) return;
      event.stopImmediatePropagation();
      this.#begin([null], event.detail.node);
    });
    const buttons = {
      begin: () => this.#begin([null]),
      answers: () => this.#begin([]),
      keep: () => this.#keep(),
      back: () => this.#try(this.#trying.line.slice(0, -1), this.#trying.movers.slice(0, -1)),
      stop: () => this.#stop(),
      clear: () => this.#set([]),
    };
    for (const [name, press] of Object.entries(buttons)) byId(`plan-${name}`).addEventListener("click", press);
    document.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#mark()).observe(scene);
  }

  // Whether moves are tried on a board of their own.
  get #answering() {
    return this.#trying !== null && this.#trying.line[0] !== null;
  }

  update(state, now, others) {
    const changed = state.version !== this.#version;
    this.state = state;
    this.#version = state.version;
    const held = (state.seats ?? []).filter((seat) => !state.out.includes(seat));
    const may = now && others && state.started !== false && !state.over && !state.mine && held.length && !state.curtain;
    this.#seat = may ? (held.includes(state.viewer) ? state.viewer : held[0]) : null;
    if (this.#trying && (changed || this.#seat === null)) this.#leave(now);
    if (changed) this.#note = "";
    this.#show();
  }

  #told({ seat, lines, movers }) {
    this.#lines = lines;
    this.#movers = movers;
    this.#planned = seat;
    this.#show();
  }

  async #begin(line, node = null) {
    const pressed = document.activeElement?.closest?.("#plan") !== null;
    if (!(await this.#try(line, line.map(() => null)))) return;
    if (node) this.choosing.point(node);
    else if (pressed) this.scene.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  // Let the moves after a line be chosen; tell whether that could be done.
  async #try(line, movers) {
    const [seat, version] = [this.#seat, this.#version];
    const answer = await this.live.question("try", { seat, line });
    if (version !== this.#version || this.#seat === null) return false;
    if (!answer || answer.sentence) {
      this.#note = answer ? `${answer.sentence[0].toUpperCase()}${answer.sentence.slice(1)}.` : "There is no connection just now.";
      this.#show();
      return false;
    }
    this.#note = "";
    this.#trying = { line, movers, mover: answer.mover };
    this.labels = answer.labels;
    if (answer.board && line.length) this.picture.showPast(answer.board, answer.tray);
    else if (this.picture.past) this.picture.showNow();
    this.scene.classList.toggle("trial", this.picture.past);
    this.scene.classList.add("planning");
    this.places.clear();
    const ask = (tokens) => this.live.question("try", { seat, line, tokens });
    this.choosing.reset(answer.moves, true, false, { complete: ask, play: (move) => this.#chosen(move) });
    this.#show();
    return true;
  }

  async #chosen(move) {
    const { line, movers, mover } = this.#trying;
    if (!this.#answering) {
      this.#leave(true);
      this.restart();
      // One move for whatever they do, after what is answered to certain moves.
      this.#set([...this.#lines.filter(([first]) => first !== null), [null, move]]);
    } else if (line.length < MOST_MOVES) {
      await this.#try([...line, move], [...movers, mover]);
    }
    return { type: "done" };
  }

  #keep() {
    const { line } = this.#trying;
    const same = (other) => JSON.stringify(other) === JSON.stringify(line);
    const lines = this.#lines.filter((other) => !same(other));
    lines.splice(lines.findIndex(([first]) => first === null) >>> 0, 0, line);
    this.#set(lines);
    this.#stop();
  }

  #set(lines) {
    const sent = this.live.post("plan", { seat: this.#seat ?? this.#planned, ply: this.state.ply, lines: lines.slice(0, MOST_LINES) });
    this.#note = sent ? "" : "There is no connection just now: this was not planned.";
    this.#show();
  }

  #stop() {
    this.#leave(true);
    this.restart();
    this.#show();
    byId(byId("plan-answers").hidden ? "plan-begin" : "plan-answers").focus({ preventScroll: true });
  }

  // Plan no more; `now` tells that the game's own position is to be seen.
  #leave(now) {
    const trial = this.#answering && this.scene.classList.contains("trial");
    this.#trying = null;
    this.labels = {};
    this.scene.classList.remove("trial", "planning");
    if (trial && now) {
      this.picture.showNow();
      this.places.clear();
    }
  }

  #key(event) {
    if (event.key !== "Escape" || event.defaultPrevented || event.target.closest("input, textarea, details[open]")) return;
    if (this.#trying) this.#stop();
    else if (this.#lines.length === 1 && this.#lines[0][0] === null) this.#set([]);
    else return;
    event.preventDefault();
  }

  #show() {
    const trying = this.#trying;
    const own = trying?.movers.at(-1) === this.#seat;
    const lines = this.state?.over || trying ? [] : this.#lines;
    const slow = this.state?.settings?.clock?.kind === "days" && !this.state.game.hidden;
    const shown = {
      begin: !trying && this.#seat !== null && !lines.some(([first]) => first === null),
      answers: !trying && this.#seat !== null && slow && lines.length < MOST_LINES,
      keep: this.#answering && trying.line.length > 1 && own,
      back: this.#answering && trying.line.length > 0,
      stop: trying !== null,
      clear: lines.length === 1,
    };
    for (const [name, on] of Object.entries(shown)) byId(`plan-${name}`).hidden = !on;
    const text = this.#note || this.#text();
    if (byId("plan-text").textContent !== text) byId("plan-text").textContent = text;
    const items = trying && this.#answering && trying.line.length ? [this.#line(trying.line, trying.movers)] : lines.map((line, index) => this.#line(line, this.#movers[index], lines.length > 1 ? index : null));
    byId("plan-lines").replaceChildren(...items);
    byId("plan").hidden = !text && !items.length && !Object.values(shown).some(Boolean);
    this.#mark();
  }

  #text() {
    const trying = this.#trying;
    if (!trying) return "";
    if (!this.#answering) return "Choose what you will play, whatever comes before it.";
    if (trying.mover === null) return "That would be the end of the game.";
    const name = this.state.names[trying.mover];
    if (trying.mover === this.#seat) return trying.movers.at(-1) === this.#seat ? "You would move again." : "Now your answer.";
    return trying.line.length ? `Then ${name} would move.` : `Try a move of ${name} on the board.`;
  }

  #line(line, movers, index = null) {
    const moves = line.map((move, at) =>
      move === null ? make("span", { class: "any" }, "any move") : make("span", { class: "move" }, movers?.[at] === null || movers?.[at] === undefined ? null : badge(movers[at]), move),
    );
    const begin = make("span", { class: "then" }, line[0] === null ? "After" : "If");
    const item = make("li", {}, make("span", { class: "plan-line" }, begin, ...moves.flatMap((move, at) => (at ? [make("span", { class: "then", "aria-label": "then" }, "→"), move] : [move]))));
    if (index !== null) {
      const remove = make("button", { type: "button", "aria-label": `Delete the plan ${line.map((move) => move ?? "any move").join(", ")}` }, "✕");
      remove.addEventListener("click", () => this.#set(this.#lines.filter((_, at) => at !== index)));
      item.append(remove);
    }
    return item;
  }

  // Outline on the board what will be played whatever comes before it.
  #mark() {
    this.#marks.clear();
    const line = this.#lines.find(([first]) => first === null);
    if (line && line[1] && !this.#trying && this.state && !this.state.over && !this.picture.past && this.picture.board) {
      this.#marks.move(this.picture, line[1].split(" "), "plan-marks", "planned");
    }
  }
}
