// The buttons below the board: choices that no element stands for, rotating, playing and cancelling.

import { byId, focusScene, make, makeButton } from "./dom.js";
import { setTurn } from "./highlights.js";
import { parseRotation } from "./move_tree.js";
import { parsePicture } from "./picture.js";
import { capitalise } from "./text.js";

const ROTATIONS = ["No rotation", "Quarter turn right", "Half turn", "Quarter turn left"];

export class MoveButtons {
  #page;
  #container = byId("choices");
  #shown = "";

  /** @param {ButtonsPage} page */
  constructor(page) {
    this.#page = page;
  }

  /** Show the buttons for what can be chosen now, and keep the focus. @param {TokenLooks} looks */
  refresh(looks) {
    const container = this.#container;
    const models = this.#page.input.isBusy ? [] : this.#list(looks);
    const key = JSON.stringify(models);
    if (key === this.#shown) return;
    this.#shown = key;
    const focused = [...container.querySelectorAll("button")].find((button) => button === document.activeElement);
    const buttons = models.map((model) => this.#make(model));
    container.replaceChildren(...buttons);
    container.hidden = !buttons.length;
    if (!focused) return;
    const next = buttons.find((button) => button.dataset.choice === focused.dataset.choice) ?? buttons[0];
    if (next) next.focus();
    else focusScene();
  }

  /** List the buttons. @param {TokenLooks} looks */
  #list({ labels, pictures }) {
    const { input, annotate } = this.#page;
    /** @type {ButtonModel[]} */ const buttons = [];
    if (input.isPlayable) {
      const label = input.awaitsConfirmation ? "Confirm" : "Play";
      const move = input.prefix.join(" ");
      buttons.push({ id: "play", label, effect: input.playedEffect, isPrimary: true, move });
    }
    // A rotation turns the piece that was named last.
    const piece = input.prefix.findLast((token) => pictures[token]) ?? "";
    for (const token of input.buttons()) {
      const rotation = parseRotation(token);
      const label = rotation !== null ? ROTATIONS[rotation] : capitalise(labels[token] ?? token);
      // What all choices do alike stands above them.
      const effect = input.sharedEffect ? "" : input.effect([...input.prefix, token]);
      const picture = pictures[rotation === null ? token : piece];
      buttons.push({ id: `token ${token}`, token, annotation: annotate(token), label, effect, rotation, picture });
    }
    if (input.rotations.length > 1) buttons.push({ id: "turn", label: "Rotate", key: "R", rotation: input.rotation });
    if (input.isActive) buttons.push({ id: "let-go", label: "Cancel" });
    return buttons;
  }

  /** @param {ButtonModel} model */
  #make({ id, token, label, effect, rotation, picture, isPrimary, key, annotation }) {
    const { input } = this.#page;
    const drawn = picture ? parsePicture(picture) : null;
    if (drawn) setTurn(drawn, rotation);
    // One of several pieces, or ways in which a piece can lie, is chosen by its picture, so all of them fit into a row.
    const isSeen = Boolean(drawn && token && (input.buttons().length > 1 || input.isPlayable));
    const kind = [isPrimary ? "primary" : token ? "choice" : "", isSeen ? "seen" : ""].filter(Boolean).join(" ");
    const attributes = { "data-choice": id, class: kind, ...(isSeen ? { title: label } : {}) };
    const button = makeButton("", () => this.#press(id, token, !isSeen || !effect), attributes);
    const words = make(
      "span",
      isSeen ? { class: "hidden" } : {},
      label,
      ...(effect ? [make("span", { class: "hidden" }, ": "), make("span", { class: "effect" }, effect)] : []),
    );
    button.replaceChildren(...(drawn ? [drawn] : []), words);
    if (annotation) {
      const { kind, text, words } = annotation;
      const sign = make("span", { class: kind, "aria-hidden": "true" }, text);
      button.append(sign, make("span", { class: "hidden" }, `; ${words}`));
    }
    if (key) button.append(" ", make("kbd", { "aria-hidden": "true" }, key));
    return button;
  }

  /** @param {string} id @param {Token | undefined} token @param {boolean} isTold whether the page shows what it does */
  #press(id, token, isTold) {
    const { input } = this.#page;
    if (token) input.choose(token, { isTold });
    else if (id === "play") input.play();
    else if (id === "turn") input.rotate(1);
    else input.cancel();
  }
}
