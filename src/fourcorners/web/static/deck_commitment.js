// The commitment to a hidden deck: its hash during the game, and the nonce to verify it with afterwards.

/** @import { TableState } from "./messages.js" */
import { byId } from "./dom.js";

export class DeckCommitment {
  /** @param {Pick<TableState, "commitment" | "nonce">} state */
  update({ commitment, nonce }) {
    byId("fair").hidden = !commitment;
    byId("fair-commitment").textContent = commitment ?? "";
    byId("fair-nonce").textContent = nonce ?? "";
    byId("fair-told").hidden = !nonce;
    byId("fair-untold").hidden = Boolean(nonce);
  }
}
