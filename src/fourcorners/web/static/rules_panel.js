// The rules beside the board: the game's rulebook with its figures, fetched when the panel is opened first.

import "./rulebook.js";
import { byId, make, makeButton } from "./dom.js";
import { loadPreference, savePreference } from "./preferences.js";

export class RulesPanel {
  #body = byId("rules-body");
  #panel = byId("rules-panel");
  #game;
  #isLoaded = false;

  /** @param {string} game its id */
  constructor(game) {
    this.#game = game;
    this.#panel.addEventListener("open", () => this.#open());
    this.#body.addEventListener("scroll", () => this.#save(), { passive: true });
  }

  /** Fill the panel if it is empty, and show the place that was read last. */
  async #open() {
    if (!this.#isLoaded) await this.#load();
    this.#body.scrollTop = Number(loadPreference(this.#key, "0"));
  }

  get #key() {
    return `rules ${this.#game}`;
  }

  /** Remember how far the rules are scrolled. */
  #save() {
    if (this.#isLoaded && !this.#panel.hidden) savePreference(this.#key, String(Math.round(this.#body.scrollTop)));
  }

  /** Fetch the rules; if that fails, offer to try again. */
  async #load() {
    this.#body.replaceChildren(make("p", { class: "muted" }, "Loading…"));
    try {
      const answer = await fetch(`/games/${this.#game}/rules`);
      if (!answer.ok) throw new Error(answer.statusText);
      const rules = new DOMParser().parseFromString(await answer.text(), "text/html");
      this.#body.replaceChildren(...rules.body.childNodes);
      this.#isLoaded = true;
      // The pictures take the look that was chosen.
      dispatchEvent(new Event("fourcorners:display"));
    } catch {
      const again = makeButton("Try again", () => this.#open());
      this.#body.replaceChildren(make("p", {}, "The rules could not be loaded."), again);
    }
  }
}
