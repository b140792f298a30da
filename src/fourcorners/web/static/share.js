// The link to a table: to copy, to send, or to scan as a QR code.

import { copyText, LINK_IS_SELECTED } from "./clipboard.js";
import { byId, setText } from "./dom.js";
import { isWaiting } from "./table_state.js";

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
const NOTE_FOR = 3000; // milliseconds

export class ShareDialog {
  #dialog = byId("share", HTMLDialogElement);
  #findPly;
  #isInline = false; // shown on the page while seats are free
  #timer = 0;

  /** @param {() => number | null} findPly returns the number of plies before the shown position, or null for the current one */
  constructor(findPly) {
    this.#findPly = findPly;
    const field = byId("share-link", HTMLInputElement);
    field.value = this.#link;
    byId("share-local").hidden = !LOCAL_HOSTS.has(location.hostname);
    byId("share-send").hidden = typeof navigator.share !== "function";
    byId("share-open").addEventListener("click", () => this.#open());
    byId("share-close").addEventListener("click", () => this.#dialog.close());
    byId("share-copy").addEventListener("click", () => this.#copy(field));
    byId("share-send").addEventListener("click", () => this.#send());
    field.addEventListener("focus", () => field.select());
    this.#dialog.addEventListener("click", (event) => {
      // A click on the backdrop has the dialog itself as its target.
      if (event.target === this.#dialog && !this.#isInline) this.#dialog.close();
    });
  }

  /** The link, which opens at the shown position. */
  get #link() {
    const ply = this.#findPly();
    return `${location.origin}${location.pathname}${ply === null ? "" : `?ply=${ply}`}`;
  }

  /** Show the link on the page while players are missing. @param {TableState} state */
  update(state) {
    const isInline = isWaiting(state) && !state.may.includes("sit");
    byId("share-open").hidden = isInline;
    if (isInline === this.#isInline) return;
    this.#isInline = isInline;
    if (this.#dialog.open) this.#dialog.close();
    byId("share-close").hidden = isInline;
    this.#loadQrCode();
    if (isInline) this.#dialog.setAttribute("open", "");
  }

  /** Open the dialog over the page. */
  #open() {
    this.#loadQrCode();
    const ply = this.#findPly();
    byId("share-link", HTMLInputElement).value = this.#link;
    setText(byId("share-where"), ply === null ? "" : `It opens ${ply ? `after move ${ply}` : "at the start"}.`);
    byId("share-close").hidden = false;
    this.#dialog.showModal();
  }

  /** Load the QR code of the link. */
  #loadQrCode() {
    const ply = this.#findPly();
    byId("share-qr", HTMLImageElement).src = `${location.pathname}/qr.svg${ply === null ? "" : `?ply=${ply}`}`;
  }

  /** Copy the link. @param {HTMLInputElement} field */
  async #copy(field) {
    field.select();
    this.#note(await copyText(this.#link, LINK_IS_SELECTED));
  }

  /** Pass the link to the system's own dialog; someone may close it. */
  #send() {
    navigator.share({ title: document.title, url: this.#link }).catch(() => {});
  }

  /** Say for a while whether the link was copied. @param {string} text */
  #note(text) {
    byId("share-said").textContent = text;
    clearTimeout(this.#timer);
    if (text) this.#timer = setTimeout(() => this.#note(""), NOTE_FOR);
  }
}
