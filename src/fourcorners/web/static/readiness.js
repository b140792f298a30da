// What the server is still compiling: each button that has to wait shows how far it is, and may be pressed already.

import { byId } from "./dom.js";
import { Emitter } from "./events.js";
import { setTitle } from "./shortcuts.js";

/** The buttons by the features they need; each is the id of its element as well. */
const BUTTONS = ["hint", "evaluate", "solve"];

/** @extends {Emitter<{ change: null }>} */
export class Readiness extends Emitter {
  /** @type {Record<string, number>} */ #features = {};
  /** @type {Map<string, string>} the buttons' own titles, without keys */
  #titles = new Map(BUTTONS.map((id) => [id, byId(id).title]));

  /** @param {TableClient} client */
  constructor(client) {
    super();
    client.on("preparing", ({ features }) => this.#show(features));
    client.on("ready", () => this.#show({}));
    // Another server, or the same one after a restart, says so again if anything waits.
    client.on("lost", () => this.#show({}));
  }

  /** Return how much of a feature is compiled, from 0 to 1. @param {string} feature */
  share(feature) {
    return this.#features[feature] ?? 1;
  }

  /** Show a bar on each button that waits; a feature that is not named can be used. @param {Record<string, number>} features */
  #show(features) {
    this.#features = features;
    for (const [id, title] of this.#titles) {
      const button = byId(id);
      const share = this.share(id);
      const percent = `${Math.round(100 * share)}%`;
      button.classList.toggle("preparing", share < 1);
      button.style.setProperty("--prepared", percent);
      setTitle(button, share < 1 ? `${title}: being prepared, ${percent}` : title);
    }
    this.emit("change", null);
  }
}
