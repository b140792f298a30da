// The buttons below the board: choices that no element stands for, rotating, playing and cancelling.

/** @import { Token } from "./messages.js" */
/** @import { Highlights } from "./highlights.js" */
/** @import { MoveInput } from "./move_input.js" */
import { make } from "./dom.js";
import { parseRotation } from "./move_tree.js";

const ROTATIONS = ["No rotation", "Quarter turn right", "Half turn", "Quarter turn left"];

/**
 * What is known of a choice: its value or that it is the hint. `text` is shown, `words` are for screen readers.
 * @typedef {{ kind: string, text: string, words: string }} Annotation
 *
 * @typedef {object} ButtonModel
 * @property {string} id
 * @property {string} label
 * @property {Token} [token]
 * @property {Annotation | null} [annotation]
 * @property {number | null} [rotation]
 * @property {Token} [piece] the carried piece, to draw it rotated
 * @property {string} [key] the key that does the same
 * @property {boolean} [isPrimary]
 * @property {string} [move]
 */

export class MoveButtons {
  #container;
  #input;
  #highlights;
  #focusBoard;
  #annotate;
  #shown = "";

  /**
   * @param {object} page
   * @param {HTMLElement} page.container
   * @param {MoveInput} page.input
   * @param {Highlights} page.highlights
   * @param {() => void} page.focusBoard takes the focus when the last button goes
   * @param {(token: Token) => Annotation | null} page.annotate
   */
  constructor({ container, input, highlights, focusBoard, annotate }) {
    this.#container = container;
    this.#input = input;
    this.#highlights = highlights;
    this.#focusBoard = focusBoard;
    this.#annotate = annotate;
  }

  /**
   * Show the buttons for what can be chosen now, and keep the focus among them.
   * @param {Record<Token, string>} labels
   */
  refresh(labels) {
    const container = this.#container;
    const buttons = this.#input.isBusy ? [] : this.#list(labels);
    const key = JSON.stringify(buttons);
    if (key === this.#shown) return;
    this.#shown = key;
    const focused = container.contains(document.activeElement)
      ? /** @type {HTMLElement} */ (document.activeElement).dataset.choice
      : null;
    container.replaceChildren(...buttons.map((button) => this.#make(button)));
    container.hidden = !buttons.length;
    if (focused === null) return;
    const made = [...container.querySelectorAll("button")];
    const next = made.find((button) => button.dataset.choice === focused) ?? made[0];
    if (next) next.focus();
    else this.#focusBoard();
  }

  /**
   * @param {Record<Token, string>} labels
   * @returns {ButtonModel[]}
   */
  #list(labels) {
    const input = this.#input;
    /** @type {ButtonModel[]} */
    const buttons = [];
    if (input.isPlayable) {
      const label = input.awaitsConfirmation ? "Confirm" : "Play";
      buttons.push({ id: "play", label, isPrimary: true, move: input.prefix.join(" ") });
    }
    for (const token of input.buttons()) {
      const rotation = parseRotation(token);
      const isOwn = rotation !== null && input.mustRotate();
      buttons.push({
        id: `token ${token}`,
        token,
        annotation: this.#annotate(token),
        label: rotation !== null ? ROTATIONS[rotation] : (labels[token] ?? token),
        rotation,
        piece: isOwn ? input.carried?.token : "",
      });
    }
    if (input.rotations.length > 1) buttons.push({ id: "turn", label: "Rotate", key: "R", rotation: input.rotation });
    if (input.isActive) buttons.push({ id: "let-go", label: "Cancel" });
    return buttons;
  }

  /** @param {ButtonModel} model */
  #make({ id, token, label, rotation, piece, isPrimary, key, annotation }) {
    const kind = isPrimary ? "primary" : token ? "choice" : "";
    const button = make("button", { type: "button", "data-choice": id, class: kind });
    const picture = piece ? this.#highlights.drawPiece(piece) : null;
    if (picture) {
      for (const step of [0, 1, 2, 3]) picture.firstElementChild?.classList.toggle(`turn-${step}`, step === rotation);
      button.append(picture);
    }
    button.append(make("span", {}, label));
    if (annotation) {
      button.append(
        make("span", { class: annotation.kind, "aria-hidden": "true" }, annotation.text),
        make("span", { class: "hidden" }, `; ${annotation.words}`),
      );
    }
    if (key) button.append(" ", make("kbd", { "aria-hidden": "true" }, key));
    button.addEventListener("click", () => this.#press(id, token));
    return button;
  }

  /**
   * @param {string} id
   * @param {Token | undefined} token
   */
  #press(id, token) {
    const input = this.#input;
    if (token) input.choose(token);
    else if (id === "play") input.play();
    else if (id === "turn") input.rotate(1);
    else input.cancel();
  }
}
