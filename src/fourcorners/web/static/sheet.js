// A panel that a button opens and closes: beside the board, or over the lower part of a narrow screen.

import { byId, closest } from "./dom.js";

export class Sheet {
  #panel;
  #button;
  #setOpen;
  /** @type {Element | null} */ #opener = null; // what had the focus before

  /**
   * @param {string} name of the panel; `${button}-open` and `${button}-close` are its buttons
   * @param {{ button?: string, setOpen?: (panel: HTMLElement, isOpen: boolean) => void }} options how it is shown
   */
  constructor(name, { button = name, setOpen = (panel, isOpen) => panel.toggleAttribute("hidden", !isOpen) } = {}) {
    this.#panel = byId(name);
    this.#button = byId(`${button}-open`);
    this.#setOpen = setOpen;
    this.#button.addEventListener("click", () => this.toggle());
    byId(`${button}-close`).addEventListener("click", () => this.close());
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.isOpen || closest(event, "details[open]")) return;
      event.preventDefault();
      event.stopPropagation();
      this.close();
    });
  }

  get isOpen() {
    return this.#button.getAttribute("aria-expanded") === "true";
  }

  toggle() {
    if (this.isOpen) this.close();
    else this.open();
  }

  /** Show the panel, focus it, and tell those who fill it by the event "open". */
  open() {
    this.#opener = document.activeElement;
    this.#button.setAttribute("aria-expanded", "true");
    this.#setOpen(this.#panel, true);
    this.#panel.dispatchEvent(new Event("open"));
    this.#panel.focus({ preventScroll: true });
  }

  /** Hide the panel. If it had the focus, that goes back to where it was, or else to the button. */
  close() {
    const hadFocus = this.#panel.contains(document.activeElement);
    this.#button.setAttribute("aria-expanded", "false");
    this.#setOpen(this.#panel, false);
    const opener = /** @type {HTMLElement | null} */ (this.#opener);
    const isThere = opener !== document.body && opener?.checkVisibility({ visibilityProperty: true });
    if (hadFocus) (isThere ? opener : this.#button)?.focus({ preventScroll: true });
  }
}
