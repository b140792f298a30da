// Small parts of panels.

import { keepFocus } from "./dom.js";
import { html, signal, useLayoutEffect, useRef } from "./preact.js";
import { addKey, hasSingleKeys } from "./shortcuts.js";

/** How many colours the signs of seats have. */
export const BADGE_COLOURS = 8;

/** Whether shortcuts of a single key are on. */
export const singleKeys = signal(hasSingleKeys());

/** Join names of classes; those that are false are left out. @param {(string | false | null | undefined)[]} names */
export function classes(...names) {
  return names.filter(Boolean).join(" ");
}

/** Return the attributes of a button that a key presses, too, while such keys are on. @param {string} title @param {string} [key] */
export function describeShortcut(title, key) {
  const working = singleKeys.value ? key : undefined;
  return { title: addKey(title, working), "aria-keyshortcuts": working };
}

/** Focus an element when it appears, as its `ref`. @param {HTMLElement | null} element */
export function focusAtOnce(element) {
  element?.focus();
}

/** The sign of a seat, the same beside its name and its moves. @param {{ seat: Seat }} props */
export function Badge({ seat }) {
  return html`<span class="badge seat-${seat % BADGE_COLOURS}" aria-hidden="true">${seat + 1}</span>`;
}

/** An icon of `icons.html`. @param {{ name: string }} props */
export function Icon({ name }) {
  return html`<svg class="icon" aria-hidden="true"><use href="#i-${name}" /></svg>`;
}

/** A sign and a word that tell whether a player is connected. @param {{ state: TableState, seat: Seat }} props */
export function Presence({ state, seat }) {
  const isHere = state.presence?.chairs[seat];
  return html`<span class=${classes("presence", isHere && "here")}>${isHere ? "online" : "offline"}</span>`;
}

/** A drawing of the server, perhaps turned. @param {{ svg: string, rotation?: number | null }} props */
export function Drawing({ svg, rotation = null }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    for (const turn of [0, 1, 2, 3])
      place.current?.firstElementChild?.classList.toggle(`turn-${turn}`, turn === rotation);
  });
  return html`<span class="contents" ref=${place} dangerouslySetInnerHTML=${{ __html: svg }} />`;
}

/** Says that the engine is being prepared, with a bar. @param {{ share: number }} props from 0 to 1 */
export function Preparation({ share }) {
  return html`Preparing the engine, once, about half a minute.
    <progress class="preparation" max="1" value=${share} aria-label="Engine prepared" />`;
}

/**
 * A message that can be closed; hidden without a sentence.
 * @param {{ id: string, kind: string, sentence: string, close: () => void }} props
 */
export function Message({ id, kind, sentence, close }) {
  return html`<div class=${kind} id=${id} hidden=${!sentence}><p id="${id}-text">${sentence}</p>
    <button type="button" class="plain" aria-label="Dismiss" onClick=${() => keepFocus(close)}>
      <${Icon} name="close" /></button></div>`;
}
