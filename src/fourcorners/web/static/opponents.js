// What there is when others play too: chat, premoves, and notifications that it is one's turn.

import { Chat } from "./chat.js";
import { Notifications } from "./notifications.js";
import { Premoves } from "./premoves.js";
import { hasOpponents } from "./table_state.js";

export class Opponents {
  #chat;
  #notifications = new Notifications();

  /** @param {PremovePage} page */
  constructor(page) {
    this.#chat = new Chat(page.client);
    this.premoves = new Premoves(page);
  }

  /** @param {TableState} state @param {boolean} isCurrent whether the current position is shown */
  update(state, isCurrent) {
    const withOpponents = hasOpponents(state);
    this.#chat.update(state, withOpponents);
    this.premoves.update(state, isCurrent, withOpponents);
    this.#notifications.update(state, withOpponents);
  }
}
