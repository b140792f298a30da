// What the page knows of its table: messages change it, and the panels that read it are drawn again.

import { signal } from "./preact.js";

/** The state of the table, as it may be shown; null before the first message. */
export const table = signal(/** @type {TableState | null} */ (null));
/** The earlier position that is shown; null if it is the current one. */
export const past = signal(/** @type {LookAnswer | null} */ (null));
/** The progress of the computer that is to move. */
export const thinking = signal(/** @type {ComputerProgressMessage | null} */ (null));
