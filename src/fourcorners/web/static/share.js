// The link to a table: to copy, to hand on, or to be read by a telephone's camera.

const byId = (id) => document.getElementById(id);
const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"]);
const SAID_FOR = 3000;

export class Share {
  #timer = 0;
  #inPlace = false; // shown beside the table while people are awaited

  constructor() {
    this.dialog = byId("share");
    this.link = `${location.origin}${location.pathname}`;
    byId("share-link").value = this.link;
    byId("share-local").hidden = !LOCAL.has(location.hostname);
    byId("share-send").hidden = typeof navigator.share !== "function";
    byId("share-open").addEventListener("click", () => this.#open());
    byId("share-close").addEventListener("click", () => this.dialog.close());
    byId("share-copy").addEventListener("click", () => this.#copy());
    byId("share-send").addEventListener("click", () => this.#send());
    byId("share-link").addEventListener("focus", () => byId("share-link").select());
    this.dialog.addEventListener("click", (event) => {
      // Outside of it is its backdrop.
      if (event.target === this.dialog && !this.#inPlace) this.dialog.close();
    });
  }

  update(state) {
    const waiting = !state.started && !state.over && !state.study;
    const inPlace = waiting && !state.may.includes("sit");
    byId("share-open").hidden = inPlace;
    if (inPlace === this.#inPlace) return;
    this.#inPlace = inPlace;
    if (this.dialog.open) this.dialog.close();
    byId("share-close").hidden = inPlace;
    this.#qr();
    if (inPlace) this.dialog.setAttribute("open", "");
  }

  #open() {
    this.#qr();
    byId("share-close").hidden = false;
    this.dialog.showModal();
  }

  // Only who wants to see it loads the picture.
  #qr() {
    const image = byId("share-qr");
    if (!image.getAttribute("src")) image.src = `${location.pathname}/qr.svg`;
  }

  async #copy() {
    const field = byId("share-link");
    field.select();
    try {
      await navigator.clipboard.writeText(this.link);
      this.#say("Copied.");
    } catch {
      // Without TLS a page may not write there; the old way may still work.
      this.#say(document.execCommand("copy") ? "Copied." : "The link is marked: copy it with your keyboard or menu.");
    }
  }

  async #send() {
    try {
      await navigator.share({ title: document.title, url: this.link });
    } catch {
      // whoever was asked thought better of it
    }
  }

  #say(text) {
    byId("share-said").textContent = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      byId("share-said").textContent = "";
    }, SAID_FOR);
  }
}
