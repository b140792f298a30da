// What the server is still compiling: each button that has to wait shows how far it is, and may be pressed already.

import { classes, describeShortcut, Icon } from "./parts.js";
import { html, signal } from "./preact.js";

export class Readiness {
  #features = signal(/** @type {Record<string, number>} */ ({}));

  /** @param {TableClient} client */
  constructor(client) {
    const set = (/** @type {Record<string, number>} */ features) => {
      this.#features.value = features;
    };
    client.on("preparing", ({ features }) => set(features));
    client.on("ready", () => set({}));
    // Another server, or the same one after a restart, says so again if anything waits.
    client.on("lost", () => set({}));
  }

  /** Return how much of a feature is compiled, from 0 to 1. @param {string} feature */
  share(feature) {
    return this.#features.value[feature] ?? 1;
  }
}

/** Write a button's title, with what it waits for. @param {string} title @param {number} share */
export function describeButton(title, share) {
  return share < 1 ? `${title}: being prepared, ${Math.round(100 * share)}%` : title;
}

/**
 * A button that waits for the feature with its id, with a bar while it does.
 * @param {{ readiness: Readiness, id: string, icon: string, word: string, label?: string, isPressed: boolean,
 *   isBusy?: boolean, disabled?: boolean, shortcut?: string, press: () => void }} props
 */
export function ReadyButton({ readiness, id, icon, word, label, isPressed, isBusy, disabled, shortcut, press }) {
  const share = readiness.share(id);
  return html`<button type="button" id=${id} class=${classes("plain", share < 1 && "preparing")} disabled=${disabled}
    style="--prepared: ${Math.round(100 * share)}%" aria-label=${label}
    ...${describeShortcut(describeButton(word, share), shortcut)}
    aria-pressed=${isPressed} aria-busy=${isBusy ? "true" : undefined} onClick=${press}>
    <${Icon} name=${icon} />${!label && html`<span class="word">${word}</span>`}</button>`;
}
