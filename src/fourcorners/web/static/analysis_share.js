// Sharing an analysis by a link, and downloading it as a record.

import { askApi } from "./api_client.js";
import { byId, setText } from "./dom.js";
import { saveFile } from "./file_saver.js";

export class AnalysisShare {
  #describe;
  #toast;
  #dialog = byId("share", HTMLDialogElement);

  /** @param {() => object} describe returns what is sent @param {Toast} toast */
  constructor(describe, toast) {
    this.#describe = describe;
    this.#toast = toast;
    byId("share-open").addEventListener("click", () => this.#open());
    byId("share-close").addEventListener("click", () => this.#dialog.close());
    byId("share-create").addEventListener("click", () => this.#create());
    byId("share-copy").addEventListener("click", () => this.#copy());
    byId("download").addEventListener("click", () => this.#download());
  }

  /** Open the dialog, without the link to an earlier state. */
  #open() {
    byId("share-made").hidden = true;
    byId("share-create").hidden = false;
    this.#showError("");
    setText(byId("share-said"), "");
    this.#dialog.showModal();
  }

  /** @param {string} sentence */
  #showError(sentence) {
    byId("share-error").hidden = !sentence;
    setText(byId("share-error"), sentence);
  }

  async #create() {
    const { answer, sentence } = await askApi("/api/analyses", this.#describe());
    this.#showError(sentence);
    if (!answer) return;
    const link = new URL(answer.link, location.href).href;
    const frame = new URL(answer.embed, location.href).href;
    byId("share-link", HTMLInputElement).value = link;
    byId("share-embed", HTMLTextAreaElement).value =
      `<iframe src="${frame}" width="720" height="520" style="border:0" title="Analysis" loading="lazy"></iframe>`;
    byId("share-visit", HTMLAnchorElement).href = link;
    byId("share-create").hidden = true;
    byId("share-made").hidden = false;
    byId("share-link", HTMLInputElement).select();
    setText(byId("share-said"), "The link is ready.");
  }

  async #copy() {
    const field = byId("share-link", HTMLInputElement);
    try {
      await navigator.clipboard.writeText(field.value);
      setText(byId("share-said"), "Copied.");
    } catch {
      field.select();
      setText(byId("share-said"), "Select the link and copy it.");
    }
  }

  async #download() {
    const { answer, sentence } = await askApi("/api/analysis/record", this.#describe());
    if (!answer) return this.#toast.show(sentence, true);
    saveFile(new Blob([answer.text], { type: "text/plain" }), answer.name);
  }
}
