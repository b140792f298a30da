// The promise about a hidden deck: its hash while it is hidden, and what it is checked with once the game is over.

const byId = (id) => document.getElementById(id);

export class Fair {
  update({ commitment, nonce }) {
    byId("fair").hidden = !commitment;
    byId("fair-commitment").textContent = commitment ?? "";
    byId("fair-nonce").textContent = nonce ?? "";
    byId("fair-told").hidden = !nonce;
    byId("fair-untold").hidden = Boolean(nonce);
  }
}
