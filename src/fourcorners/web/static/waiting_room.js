// Before the start: who sits where, and how a seat is taken, left or given to the computer.

import { byId, closest, findAll, make, makeBadge, setText } from "./dom.js";
import { PairingWait } from "./pairing_wait.js";
import { makePresence } from "./panels.js";
import { loadPreference, savePreference } from "./preferences.js";
import { prepareValue } from "./shuffle.js";
import {
  describeMissingPlayers,
  describeTerms,
  describeWaiting,
  isComputer,
  isWaiting,
  onlySeat,
} from "./table_state.js";
import { asSentence, capitalise } from "./text.js";

const PREFERENCE = "name";

export class WaitingRoom {
  #client;
  #toast;
  #list = byId("waiting-seats");
  #name = byId("sit-name", HTMLInputElement);
  #shown = "";
  #pairing = new PairingWait((seat) => this.#send("computer", seat));
  /** @type {string[]} by seat: the name for which it is reserved, if that is somebody of this browser */
  #reservedNames = [];
  /** @type {Seat | null} the seat of this browser, whose name can still change */
  #ownSeat = null;
  #shuffles = false; // whether a player gives a value for the shuffle

  /** @param {TableClient} client @param {Toast} toast */
  constructor(client, toast) {
    this.#client = client;
    this.#toast = toast;
    // What was typed here before the page was reloaded comes first.
    if (this.#name.value === this.#name.defaultValue) this.#name.value = loadPreference(PREFERENCE) || this.#name.value;
    this.#list.addEventListener("click", (event) => {
      const button = closest(event, "[data-deed]");
      if (button) this.#send(/** @type {Verb} */ (button.dataset.deed), Number(button.dataset.seat));
    });
    this.#name.addEventListener("change", () => {
      if (this.#ownSeat !== null) this.#send("rename", this.#ownSeat);
    });
  }

  /** Show the seats until the game starts. @param {TableState} state */
  update(state) {
    this.#shuffles = state.shuffle !== null;
    const isShown = isWaiting(state) && !state.shuffle?.waiting;
    byId("waiting").hidden = !isShown;
    if (!isShown) {
      this.#pairing.stop();
      this.#list.replaceChildren();
      this.#shown = "";
      return;
    }
    const canSit = state.may.includes("sit");
    this.#reservedNames = state.chairs.map((chair, seat) => (chair.kept && chair.mine ? state.names[seat] : ""));
    this.#pairing.update(state);
    const title = this.#pairing.isLooking ? "Looking for an opponent" : describeMissingPlayers(state);
    setText(byId("waiting-title"), canSit ? "Choose a seat" : title);
    setText(byId("waiting-terms"), describeTerms(state));
    setText(byId("waiting-lead"), this.#pairing.isLooking ? this.#pairing.describe() : describeWaiting(state));
    this.#ownSeat = state.may.includes("rename") ? onlySeat(state) : null;
    this.#showOwnName(state);
    byId("sit-as").hidden = (!canSit && this.#ownSeat === null) || this.#name.dataset.account === "yes";
    byId("waiting-level").hidden = !state.may.includes("computer") || state.chairs.every((chair) => chair.taken);
    byId("waiting-cancel").hidden = !canCancel(state);
    const key = JSON.stringify([state.version, state.chairs, state.names, state.kinds, state.here, state.may]);
    if (key !== this.#shown) {
      this.#shown = key;
      this.#showSeats(state);
    }
    if (location.hash === "#sit" && canSit) {
      // "Join" in the lobby and the link to a rematch take a seat at once: the reserved one, or else the first open one.
      history.replaceState(history.state, "", location.pathname);
      const reserved = state.chairs.findIndex((chair) => chair.mine && chair.kept);
      const isOpen = (/** @type {Chair} */ chair) => !chair.taken && !chair.kept;
      this.#send("sit", reserved >= 0 ? reserved : state.chairs.findIndex(isOpen));
    }
  }

  /** Show the name of the own seat, unless it is being edited. @param {TableState} state */
  #showOwnName({ names }) {
    if (this.#ownSeat === null || this.#name === document.activeElement) return;
    const name = names[this.#ownSeat];
    if (name !== this.#name.placeholder) this.#name.value = name;
  }

  /** List the seats anew; colours that were chosen stay, and the focus stays at its seat. @param {TableState} state */
  #showSeats(state) {
    const list = this.#list;
    const focused = findAll(list, "[data-seat]").find((control) => control === document.activeElement);
    const chosen = new Map(findMenus(list).map((menu) => [menu.dataset.seat, menu.value]));
    list.replaceChildren(...state.chairs.map((chair, index) => this.#makeSeat(state, chair, index)));
    for (const menu of findMenus(list)) {
      const option = [...menu.options].find(({ value }) => value === chosen.get(menu.dataset.seat));
      if (option) option.selected = true;
    }
    const controls = findAll(list, `[data-seat="${focused?.dataset.seat}"]`);
    (controls.find(({ dataset }) => dataset.deed === focused?.dataset.deed) ?? controls[0])?.focus();
  }

  /** Make the item of a seat. @param {TableState} state @param {Chair} chair @param {Seat} seat */
  #makeSeat(state, chair, seat) {
    const colour = state.game.seat_names[seat];
    const notes = [];
    if (chair.taken && chair.mine) notes.push("you");
    else if (chair.taken && !isComputer(state, seat)) notes.push(makePresence(state, seat));
    if (chair.kept) notes.push(chair.mine ? "reserved for you" : "reserved");
    const canSit = !chair.taken && state.may.includes("sit") && (chair.mine || !chair.kept);
    const canStand = chair.taken && chair.mine && state.may.includes("stand");
    const canAddComputer = !chair.taken && state.may.includes("computer");
    const colours = canSit ? listFreeColours(state, seat) : [];
    const buttons = [
      colours.length > 1 ? makeColourMenu(colours, seat) : null,
      canSit ? makeButton("sit", "Sit here", seat, colour, "primary") : null,
      canStand ? makeButton("stand", "Leave seat", seat, colour) : null,
      canAddComputer ? makeButton("computer", "Add computer", seat, colour) : null,
    ];
    const name = make("strong", {}, chair.taken || chair.kept ? state.names[seat] : "Open seat");
    const details = [capitalise(colour), ...notes.flatMap((note) => [" · ", note])];
    const who = make("div", { class: "who" }, name, make("span", { class: "small muted" }, ...details));
    const kind = chair.taken ? "place" : "place free";
    return make("li", { class: kind }, makeBadge(seat), who, make("div", { class: "row deeds" }, ...buttons));
  }

  /** Give a command, and show why it was refused. @param {Verb} verb @param {Seat} seat */
  async #send(verb, seat) {
    const body = this.#body(verb, seat);
    const hash = verb === "sit" && this.#shuffles ? await prepareValue() : "";
    const answer = await this.#client.command(verb, { seat, ...body, ...(hash ? { hash } : {}) });
    if (answer.type === "refused") this.#toast.show(asSentence(answer.sentence), true);
  }

  /** Return what a command says beside its seat. @param {Verb} verb @param {Seat} seat */
  #body(verb, seat) {
    if (verb === "computer") return { kind: `computer:${byId("computer-level", HTMLSelectElement).value}` };
    if (verb !== "sit" && verb !== "rename") return {};
    const name = this.#name.value.trim();
    if (name) savePreference(PREFERENCE, name);
    const menu = findMenus(this.#list).find((each) => each.dataset.seat === String(seat));
    const colour = verb === "sit" && menu ? { colour: menu.value } : {};
    return { name: name || this.#reservedNames[seat], ...colour };
  }
}

/** Return whether this browser may cancel a game before its start: while nobody else has or keeps a seat. @param {TableState} state */
export function canCancel(state) {
  const isFree = (/** @type {Chair} */ chair) => !chair.taken && !chair.kept;
  return state.host && state.chairs.every((chair, seat) => chair.mine || isFree(chair) || isComputer(state, seat));
}

/**
 * List letter and name of the colours that a player may choose at a seat, that of the seat first.
 * @param {TableState} state @param {Seat} seat @returns {[string, string][]}
 */
export function listFreeColours(state, seat) {
  const { colours } = state.game;
  if (!colours) return [];
  const held = state.chairs.flatMap((chair, other) => (chair.taken ? [colours.value[other]] : []));
  const own = colours.value[seat];
  const free = Object.entries(colours.names).filter(([letter]) => letter !== own && !held.includes(letter));
  return [[own, colours.names[own]], ...free];
}

/** Return the menus for the colours of open seats. @param {HTMLElement} list */
function findMenus(list) {
  return /** @type {HTMLSelectElement[]} */ (findAll(list, "select"));
}

/** @param {[string, string][]} colours @param {Seat} seat */
function makeColourMenu(colours, seat) {
  const options = colours.map(([letter, name]) => make("option", { value: letter }, capitalise(name)));
  return make("select", { "data-seat": seat, "aria-label": `Your colour at seat ${seat + 1}` }, ...options);
}

/**
 * Make the button that gives a command about a seat; `kind` is its class.
 * @param {Verb} verb @param {string} text @param {Seat} seat @param {string} colour @param {string} kind
 */
function makeButton(verb, text, seat, colour, kind = "") {
  const attributes = { class: kind, "data-deed": verb, "data-seat": seat, "aria-label": `${text}: ${colour}` };
  return make("button", { type: "button", ...attributes }, text);
}
