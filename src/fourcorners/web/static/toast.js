// A message to be read: it stays until it is closed, or until the reader's next move.

import { classes, Message } from "./parts.js";
import { html, signal } from "./preact.js";

export class Toast {
  #announce;
  shown = signal({ sentence: "", isError: false });

  /** @param {(sentence: string) => void} announce speaks a sentence */
  constructor(announce) {
    this.#announce = announce;
  }

  /** Show a sentence; an empty one hides the message. @param {string} sentence @param {boolean} isError */
  show(sentence, isError = false) {
    this.shown.value = { sentence, isError };
    this.#announce(sentence);
  }

  hide() {
    this.show("");
  }
}

/** The message of a toast; `kind` are more classes. @param {{ toast: Toast, kind?: string }} props */
export function Note({ toast, kind }) {
  const { sentence, isError } = toast.shown.value;
  const names = classes("note", kind, isError && "wrong");
  return html`<${Message} id="note" kind=${names} sentence=${sentence} close=${() => toast.hide()} />`;
}
