// The buttons below the board: choices that are on no element, turning, playing, letting go.

import { TURN } from "./move_tree.js";
import { make } from "./dom.js";

const TURNED = ["not turned", "turned once to the right", "turned half round", "turned once to the left"];

export class Choices {
  #shown = "";

  // `worth(token)` is what a choice is worth, {kind, text, words}, where that is known.
  constructor(place, choosing, lights, home, worth) {
    Object.assign(this, { place, choosing, lights, home, worth });
  }

  refresh(labels) {
    const { choosing, place } = this;
    const wanted = choosing.busy ? [] : this.#wanted(labels);
    const now = JSON.stringify(wanted);
    if (now === this.#shown) return;
    this.#shown = now;
    const focused = place.contains(document.activeElement) ? document.activeElement.dataset.choice : null;
    place.replaceChildren(...wanted.map((choice) => this.#button(choice)));
    place.hidden = !wanted.length;
    if (focused === null) return;
    const buttons = [...place.querySelectorAll("button")];
    const next = buttons.find((button) => button.dataset.choice === focused) ?? buttons[0];
    if (next) next.focus();
    else this.home();
  }

  #wanted(labels) {
    const { choosing } = this;
    const wanted = [];
    if (choosing.playable) {
      wanted.push({ id: "play", label: choosing.waiting ? "Confirm" : "Play", primary: true, move: choosing.prefix.join(" ") });
    }
    for (const token of choosing.buttons()) {
      const turn = TURN.exec(token);
      const own = turn !== null && choosing.carriedTurns();
      wanted.push({
        id: `token ${token}`,
        token,
        worth: this.worth(token),
        label: turn ? TURNED[turn[1]] : (labels[token] ?? token),
        turn: turn ? Number(turn[1]) : null,
        picture: own ? choosing.carried.token : "",
      });
    }
    if (choosing.turns.length > 1) wanted.push({ id: "turn", label: "Turn", key: "R", turn: choosing.turn });
    if (choosing.active) wanted.push({ id: "let-go", label: choosing.waiting ? "Not yet" : "Let go" });
    return wanted;
  }

  #button({ id, token, label, turn, picture, primary, key, worth }) {
    const button = make("button", { type: "button", "data-choice": id, class: primary ? "primary" : token ? "choice" : "" });
    const likeness = picture ? this.lights.likeness(picture) : null;
    if (likeness) {
      const node = likeness.firstElementChild;
      for (const step of [0, 1, 2, 3]) node.classList.toggle(`turn-${step}`, step === turn);
      button.append(likeness);
    }
    button.append(make("span", {}, label));
    if (worth) button.append(make("span", { class: worth.kind, "aria-hidden": "true" }, worth.text), make("span", { class: "hidden" }, `; ${worth.words}`));
    if (key) button.append(" ", make("kbd", { "aria-hidden": "true" }, key));
    button.addEventListener("click", () => {
      const { choosing } = this;
      if (token) choosing.choose(token);
      else if (id === "play") choosing.play();
      else if (id === "turn") choosing.turnBy(1);
      else choosing.letGo();
    });
    return button;
  }
}
