// The buttons below the board: choices that no element stands for, rotating, playing and cancelling.

import { byId, focusScene } from "./dom.js";
import { parseRotation } from "./move_tree.js";
import { classes, Drawing } from "./parts.js";
import { html, render } from "./preact.js";
import { capitalise } from "./text.js";

const ROTATIONS = ["No rotation", "Quarter turn right", "Half turn", "Quarter turn left"];

export class MoveButtons {
  #page;
  #container = byId("choices");

  /** @param {ButtonsPage} page */
  constructor(page) {
    this.#page = page;
  }

  /** Show the buttons for what can be chosen now, and keep the focus. @param {TokenLooks} looks */
  refresh(looks) {
    const container = this.#container;
    const models = this.#page.input.isBusy ? [] : this.#list(looks);
    const hadFocus = container.contains(document.activeElement);
    const wasVisible = Boolean(document.activeElement?.matches(":focus-visible"));
    const { input } = this.#page;
    // One of several pieces, or ways in which a piece can lie, is chosen by its picture, so all of them fit into a row.
    const hasSeveral = input.buttons().length > 1 || input.isPlayable;
    const buttons = models.map((model) => {
      const isSeen = Boolean(model.picture && model.token && hasSeveral);
      const press = () => this.#press(model.id, model.token, !isSeen || !model.effect);
      return html`<${Choice} key=${model.id} ...${model} isSeen=${isSeen} press=${press} />`;
    });
    render(html`${buttons}`, container);
    container.hidden = !buttons.length;
    if (!hadFocus || container.contains(document.activeElement)) return;
    const [first] = container.children;
    if (first instanceof HTMLElement) first.focus();
    else focusScene(wasVisible);
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
    if (input.rotations.length > 1)
      buttons.push({ id: "turn", label: "Rotate", shortcut: "R", rotation: input.rotation });
    if (input.isActive) buttons.push({ id: "let-go", label: "Cancel" });
    return buttons;
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

/** @param {ButtonModel & { isSeen: boolean, press: () => void }} props */
function Choice({ id, token, label, effect, rotation, picture, isPrimary, shortcut, annotation, isSeen, press }) {
  const told = effect && html`<span class="hidden">: </span><span class="effect">${effect}</span>`;
  const sign = html`<span class=${annotation?.kind} aria-hidden="true">${annotation?.text}</span>
    <span class="hidden">; ${annotation?.words}</span>`;
  return html`<button type="button" class=${classes(isPrimary ? "primary" : token && "choice", isSeen && "seen")}
    data-choice=${id} title=${isSeen ? label : undefined} onClick=${press}>
    ${picture && html`<${Drawing} svg=${picture} rotation=${rotation} />`}
    <span class=${isSeen ? "hidden" : undefined}>${label}${told}</span>
    ${annotation && sign}${shortcut && html`${" "}<kbd aria-hidden="true">${shortcut}</kbd>`}</button>`;
}
