// What the page knows of its table: messages change it, and the panels that read it are drawn again.

import { signal } from "./preact.js";

/** The state of the table, as it may be shown; null before the first message. */
export const table = signal(/** @type {TableState | null} */ (null));
/** The earlier position that is shown; null if it is the current one. */
export const past = signal(/** @type {LookAnswer | null} */ (null));
/** The progress of the computer that is to move. */
export const thinking = signal(/** @type {ComputerProgressMessage | null} */ (null));

/** Return the state after a message; what a patch leaves out is as before. @param {TableState | null} before @param {StateMessage | PatchMessage} message */
export function applyMessage(before, message) {
  const kept = message.type === "patch" ? message.plies_from : 0;
  const { plies = [], words = [], miniatures = [] } = /** @type {Partial<TableState>} */ (before ?? {});
  return /** @type {TableState} */ ({
    ...before,
    ...message,
    plies: [...plies.slice(0, kept), ...message.plies],
    words: [...words.slice(0, kept), ...message.words],
    miniatures: [...miniatures.slice(0, kept), ...message.plies.map((_, index) => message.miniatures[index] ?? "")],
  });
}
