// Sharing an analysis by a link, and downloading it as a record.

import { askApi } from "./api_client.js";
import { copyText, LINK_IS_SELECTED } from "./clipboard.js";
import { byId } from "./dom.js";
import { saveFile } from "./file_saver.js";
import { html, signal } from "./preact.js";

const CLOSED = { link: "", embed: "", error: "", said: "" };

export class Share {
  #describe;
  #describeShown;
  #toast;
  /** The link once there is one, and what is said about it. */ shown = signal(CLOSED);

  /**
   * @param {() => object} describe returns what is sent @param {() => object} describeShown returns what a link shows of it
   * @param {Toast} toast
   */
  constructor(describe, describeShown, toast) {
    this.#describe = describe;
    this.#describeShown = describeShown;
    this.#toast = toast;
  }

  /** Open the dialog, without the link to an earlier state. */
  open() {
    this.shown.value = CLOSED;
    byId("share", HTMLDialogElement).showModal();
  }

  async create() {
    this.shown.value = { ...CLOSED, said: "Creating the link…" };
    const { answer, sentence } = await askApi("/api/analyses", { ...this.#describe(), ...this.#describeShown() });
    const [link, frame] = [answer?.link, answer?.embed].map((path) => new URL(path ?? "", location.href).href);
    const embed = `<iframe src="${frame}" width="720" height="520" style="border:0" title="Analysis" loading="lazy"></iframe>`;
    this.shown.value = answer ? { ...CLOSED, link, embed, said: "The link is ready." } : { ...CLOSED, error: sentence };
    byId("share-link", HTMLInputElement)?.select();
  }

  async copy() {
    byId("share-link", HTMLInputElement).select();
    const said = await copyText(this.shown.value.link, LINK_IS_SELECTED);
    this.shown.value = { ...this.shown.value, said };
  }

  async download() {
    const { answer, sentence } = await askApi("/api/analysis/record", this.#describe());
    if (!answer) return this.#toast.show(sentence, true);
    saveFile(new Blob([answer.text], { type: "text/plain" }), answer.name);
  }
}

/**
 * @param {{ share: Share, analysis: import("./analysis_state.js").Analysis,
 *   values: import("./analysis_values.js").AnalysisValues }} props
 */
export function ShareDialog({ share, analysis, values }) {
  const { link, embed, error, said } = share.shown.value;
  const ply = analysis.state.value.tree.current.line.length;
  const where = `${ply ? `move ${ply}` : "the start"}${values.isOn.value ? ", with Values" : ""}`;
  const made = html`<div id="share-made">
    <p class="field"><label for="share-link">Link</label>
      <input type="text" id="share-link" readonly spellcheck=${false} value=${link} /></p>
    <p class="field"><label for="share-embed">To embed it in a page</label>
      <textarea id="share-embed" rows="3" readonly spellcheck=${false} value=${embed} /></p>
    <div class="row"><button type="button" id="share-copy" onClick=${() => share.copy()}>Copy link</button>
      <a class="button" id="share-visit" href=${link}>Open link</a></div></div>`;
  const create = html`<button type="button" class="primary" id="share-create" onClick=${() => share.create()}>
    Create a link</button>`;
  return html`<dialog class="panel share" id="share" aria-labelledby="share-title">
    <h2 id="share-title">Share this analysis</h2>
    <p class="small">Anyone with the link sees the moves and notes as they are now. Later changes need a new link.
      ${" "}<span id="share-where" hidden=${Boolean(link)}>It opens at ${where}.</span></p>
    ${link ? made : create}
    <p class="wrong" id="share-error" role="alert" hidden=${!error}>${error}</p>
    <form method="dialog" class="row"><button id="share-close">Close</button>
      <span class="small" id="share-said" role="status">${said}</span></form></dialog>`;
}
