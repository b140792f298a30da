// Before the start: who sits where, and how a seat is taken, left or given to the computer.

import { byId } from "./dom.js";
import { restoreField } from "./kept_fields.js";
import { looksForOpponent, PairingWait } from "./pairing_wait.js";
import { Badge, Presence } from "./parts.js";
import { html, useLayoutEffect, useMemo, useRef } from "./preact.js";
import { loadPreference, savePreference } from "./preferences.js";
import { prepareValue } from "./shuffle.js";
import { table } from "./table.js";
import * as words from "./table_state.js";
import { capitalise } from "./text.js";

const PREFERENCE = "name";
const LOOKING = "The game starts as soon as another player makes the same choice. Stay on this page.";
const NO_ONE_CAME = "No one has joined yet. Keep waiting, or play the computer.";

/** The seats until the game starts. @param {PanelPage} page */
export function WaitingRoom({ client, toast, profile }) {
  const state = table.value;
  const section = useRef(/** @type {HTMLElement | null} */ (null));
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const pairing = useMemo(() => new PairingWait(Number(byId("waiting-room").dataset.waited ?? 0)), []);
  const isShown = state && words.isWaiting(state) && !state.shuffle?.waiting;
  const canSit = isShown && state.may.includes("sit");
  // The seat of this browser, whose name can still change.
  const ownSeat = isShown && state.may.includes("rename") ? words.onlySeat(state) : null;
  const isNamed = isShown && !profile.account && (canSit || ownSeat !== null);
  useLayoutEffect(() => {
    const input = field.current;
    // What was typed here before the page was reloaded comes first.
    restoreField(input);
    if (input && input.value === input.defaultValue) input.value = loadPreference(PREFERENCE) || input.value;
  }, [isNamed]);
  useLayoutEffect(() => {
    pairing.update(isShown ? state : null);
    if (!isShown) return;
    const [input, name] = [field.current, ownSeat === null ? "" : state.names[ownSeat]];
    if (input && name && name !== input.placeholder && input !== document.activeElement) input.value = name;
    if (location.hash !== "#sit" || !canSit) return;
    // "Join" in the lobby takes a seat at once: one that is reserved, or else the first open one.
    history.replaceState(history.state, "", location.pathname);
    const reserved = state.chairs.findIndex((chair) => chair.mine && chair.kept);
    send("sit", reserved >= 0 ? reserved : state.chairs.findIndex((chair) => !chair.taken && !chair.kept));
  });
  if (!isShown) return null;
  const { chairs, names } = state;

  /** Give a command, and show why it was refused. @param {Verb} verb @param {Seat} seat */
  async function send(verb, seat) {
    const body = describe(verb, seat);
    const hash = verb === "sit" && state?.shuffle ? await prepareValue() : "";
    const answer = await client.command(verb, { seat, ...body, ...(hash ? { hash } : {}) });
    if (answer.type === "refused") toast.show(answer.sentence, true);
  }

  /** Return what a command says beside its seat. @param {Verb} verb @param {Seat} seat */
  function describe(verb, seat) {
    /** @type {(menu: string) => HTMLSelectElement | null | undefined} */
    const find = (menu) => section.current?.querySelector(`select${menu}`);
    if (verb === "add-computer") return { kind: `computer:${find("#computer-level")?.value}` };
    if (verb !== "sit" && verb !== "rename") return {};
    const name = field.current?.value.trim();
    if (name) savePreference(PREFERENCE, name);
    const { kept, mine } = chairs[seat];
    return { name: name || (kept && mine ? names[seat] : ""), colour: find(`[data-seat="${seat}"]`)?.value };
  }

  const open = chairs.findIndex((chair) => !chair.taken);
  const isLooking = looksForOpponent(state);
  const hasWaited = isLooking && pairing.hasWaited.value;
  const title = isLooking ? "Looking for an opponent" : words.describeMissingPlayers(state);
  const lead = hasWaited ? NO_ONE_CAME : isLooking ? LOOKING : words.describeWaiting(state);
  const playComputer = html`<p><button type="button" class="primary" onClick=${() => send("add-computer", open)}>
    Play the computer</button></p>`;
  const rename = () => ownSeat !== null && send("rename", ownSeat);
  const named = html`<p class="field"><label for="sit-name">Your name</label><input type="text" id="sit-name"
    maxlength="32" autocomplete="nickname" autocapitalize="words" enterkeyhint="go" placeholder="Guest"
    defaultValue=${profile.name} ref=${field} onChange=${rename} /></p>`;
  const level = html`<p class="small waiting-level"><label for="computer-level">Computer level</label>
    <select id="computer-level" dangerouslySetInnerHTML=${{ __html: byId("level-options").innerHTML }} />
    <a href="/strength#${state.game.id}">How strong are the levels?</a></p>`;
  const cancel = html`<form id="waiting-cancel" method="post"
    action=${location.pathname.replace("play", "lobby/cancel")}>
    <button class="quiet">${isLooking ? "Cancel" : "Cancel game"}</button></form>`;
  return html`<section class="panel waiting" id="waiting" aria-labelledby="waiting-title" ref=${section}>
    <h2 id="waiting-title">${canSit ? "Choose a seat" : title}</h2>
    <p class="small muted">${isLooking && `${state.game.title} · `}${words.describeTerms(state)}</p>
    ${isLooking && html`<p class="waited" role="timer">Waiting for <strong>${formatWait(pairing.waited.value)}</strong></p>`}
    <p role="status">${lead}</p>
    ${hasWaited && open >= 0 && playComputer}
    ${isNamed && named}
    <ol class="places" role="list">
      ${chairs.map((_, seat) => html`<${Place} state=${state} seat=${seat} send=${send} />`)}</ol>
    ${state.may.includes("add-computer") && open >= 0 && level}
    ${words.canCancel(state) && cancel}
  </section>`;
}

/** Write a time span as minutes and seconds: "0:42". @param {number} seconds */
function formatWait(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A seat. @param {{ state: TableState, seat: Seat, send: (verb: Verb, seat: Seat) => void }} props */
function Place({ state, seat, send }) {
  const chair = state.chairs[seat];
  const name = state.game.seat_names[seat];
  const may = (/** @type {Verb} */ verb) => state.may.includes(verb);
  const canSit = !chair.taken && may("sit") && (chair.mine || !chair.kept);
  const colours = canSit ? words.listFreeColours(state, seat) : [];
  // With keys, the chosen colour stays chosen when another one is taken.
  const options = colours.map(
    ([letter, colour]) => html`<option key=${letter} value=${letter}>${capitalise(colour)}</option>`,
  );
  const menu = html`<select data-seat=${seat} aria-label="Your colour at seat ${seat + 1}">${options}</select>`;
  const presence = chair.taken && !words.isComputer(state, seat) && html` · <${Presence} ...${{ state, seat }} />`;
  const button = (/** @type {Verb} */ verb, /** @type {string} */ text, kind = "") =>
    html`<button type="button" class=${kind} aria-label="${text}: ${name}" onClick=${() => send(verb, seat)}>
      ${text}</button>`;
  return html`<li class=${chair.taken ? "place" : "place free"}><${Badge} seat=${seat} />
    <div class="who"><strong>${chair.taken || chair.kept ? state.names[seat] : "Open seat"}</strong>
      <span class="small muted">${capitalise(name)}${chair.taken && chair.mine ? " · you" : presence}
        ${chair.kept && (chair.mine ? " · reserved for you" : " · reserved")}</span></div>
    <div class="row deeds">${colours.length > 1 && menu}
      ${canSit && button("sit", "Sit here", "primary")}
      ${chair.taken && chair.mine && may("leave-seat") && button("leave-seat", "Leave seat")}
      ${!chair.taken && may("add-computer") && button("add-computer", "Add computer")}</div></li>`;
}
