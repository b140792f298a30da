// A move that was made and not yet answered, kept in this tab, so that not even loading the page anew loses it.

export class Unsent {
  constructor(table) {
    this.key = `unsent ${table}`;
  }

  // The message that was not answered when the page was left; null if there is none.
  read() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.key));
      const whole = typeof kept?.id === "string" && typeof kept.move === "string" && Number.isInteger(kept.version);
      return whole ? { type: "move", id: kept.id, version: kept.version, move: kept.move } : null;
    } catch {
      return null;
    }
  }

  keep({ id, version, move }) {
    try {
      sessionStorage.setItem(this.key, JSON.stringify({ id, version, move }));
    } catch {
      // it is then kept as long as the page
    }
  }

  forget(id) {
    try {
      if (this.read()?.id === id) sessionStorage.removeItem(this.key);
    } catch {
      // storage may be forbidden
    }
  }
}
