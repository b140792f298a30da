// The last move without an answer, kept in this tab so that reloading the page does not lose it.

export class PendingMove {
  #key;

  /** @param {string} table the table's id */
  constructor(table) {
    this.#key = `unsent ${table}`;
  }

  /** Return the move that had no answer when the page was left, or null. @returns {MoveCommand | null} */
  read() {
    try {
      const { id, move, version } = JSON.parse(sessionStorage.getItem(this.#key) ?? "{}") ?? {};
      const isValid = typeof id === "string" && typeof move === "string" && Number.isInteger(version);
      return isValid ? { type: "move", id, version, move } : null;
    } catch {
      return null; // Storage may be forbidden.
    }
  }

  /** Keep a move instead of the one before it. @param {MoveCommand} command */
  save({ id, version, move }) {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify({ id, version, move }));
    } catch {
      // The move then lasts as long as the page.
    }
  }

  /** Forget the move with this command id; another move that was saved since stays. @param {string} id */
  remove(id) {
    try {
      if (this.read()?.id === id) sessionStorage.removeItem(this.#key);
    } catch {
      // Storage may be forbidden.
    }
  }
}
