// The buttons below the board: choices that no element stands for, rotating, playing and cancelling.

import { byId, findAll, make, makeButton } from "./dom.js";
import { setTurn } from "./highlights.js";
import { parseRotation } from "./move_tree.js";

const ROTATIONS = ["No rotation", "Quarter turn right", "Half turn", "Quarter turn left"];

export class MoveButtons {
  #page;
  #container = byId("choices");
  #shown = "";

  /** @param {ButtonsPage} page */
  constructor(page) {
    this.#page = page;
  }

  /** Show the buttons for what can be chosen now, and keep the focus. @param {Record<Token, string>} labels */
  refresh(labels) {
    const container = this.#container;
    const models = this.#page.input.isBusy ? [] : this.#list(labels);
    const key = JSON.stringify(models);
    if (key === this.#shown) return;
    this.#shown = key;
    const focused = [...container.querySelectorAll("button")].find((button) => button === document.activeElement);
    const buttons = models.map((model) => this.#make(model));
    container.replaceChildren(...buttons);
    container.hidden = !buttons.length;
    if (!focused) return;
    const next = buttons.find((button) => button.dataset.choice === focused.dataset.choice) ?? buttons[0];
    (next ?? findAll(this.#page.board, '[tabindex="0"]')[0])?.focus();
  }

  /** List the buttons. @param {Record<Token, string>} labels */
  #list(labels) {
    const { input, annotate } = this.#page;
    /** @type {ButtonModel[]} */ const buttons = [];
    if (input.isPlayable) {
      const label = input.awaitsConfirmation ? "Confirm" : "Play";
      buttons.push({ id: "play", label, isPrimary: true, move: input.prefix.join(" ") });
    }
    for (const token of input.buttons()) {
      const rotation = parseRotation(token);
      const label = rotation !== null ? ROTATIONS[rotation] : (labels[token] ?? token);
      const piece = rotation !== null && input.mustRotate() ? input.carried?.token : "";
      buttons.push({ id: `token ${token}`, token, annotation: annotate(token), label, rotation, piece });
    }
    if (input.rotations.length > 1) buttons.push({ id: "turn", label: "Rotate", key: "R", rotation: input.rotation });
    if (input.isActive) buttons.push({ id: "let-go", label: "Cancel" });
    return buttons;
  }

  /** @param {ButtonModel} model */
  #make({ id, token, label, rotation, piece, isPrimary, key, annotation }) {
    const kind = isPrimary ? "primary" : token ? "choice" : "";
    const button = makeButton("", () => this.#press(id, token), { "data-choice": id, class: kind });
    const picture = piece ? this.#page.highlights.drawPiece(piece) : null;
    if (picture?.firstElementChild) setTurn(picture.firstElementChild, rotation);
    button.replaceChildren(...(picture ? [picture] : []), make("span", {}, label));
    if (annotation) {
      const { kind, text, words } = annotation;
      const sign = make("span", { class: kind, "aria-hidden": "true" }, text);
      button.append(sign, make("span", { class: "hidden" }, `; ${words}`));
    }
    if (key) button.append(" ", make("kbd", { "aria-hidden": "true" }, key));
    return button;
  }

  /** @param {string} id @param {Token | undefined} token */
  #press(id, token) {
    const { input } = this.#page;
    if (token) input.choose(token);
    else if (id === "play") input.play();
    else if (id === "turn") input.rotate(1);
    else input.cancel();
  }
}
