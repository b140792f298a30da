// The list of moves, and stepping through the game with it.

import { byId, closest, findAll, hasModifier } from "./dom.js";
import { Badge, Drawing } from "./parts.js";
import { effect, html, signal, useLayoutEffect, useRef } from "./preact.js";
import { table } from "./table.js";
import { formatMargin, formatPointsGained } from "./text.js";

/** The keys that step anywhere on the page. @type {Record<string, Step>} */
const PAGE_KEYS = { ArrowLeft: "back", ArrowRight: "forward" };
/** The keys that step in the list. @type {Record<string, Step>} */
const LIST_KEYS = { ...PAGE_KEYS, ArrowUp: "back", ArrowDown: "forward", Home: "first", End: "now" };
/** What needs the arrow keys itself: the board, fields, lists and whatever scrolls sideways. */
const OWN_ARROWS =
  '#scene [data-token], #moves, #ranking, .sheet, dialog, input:not([type="checkbox"]), textarea, select';

export class Steps {
  #onStep;
  /** The number of plies before the shown position, or null for the current position. */
  shownPly = signal(/** @type {number | null} */ (null));

  /** @param {(ply: number | null) => void} onStep shows the position after that many plies; null is the current one */
  constructor(onStep) {
    this.#onStep = onStep;
    const buttons = findAll(document, "[data-step]");
    for (const button of buttons) {
      button.addEventListener("click", () => this.#step(/** @type {Step} */ (button.dataset.step)));
    }
    document.addEventListener("keydown", (event) => this.#onPageKey(event));
    effect(() => {
      const ply = this.shownPly.value ?? this.length;
      for (const button of buttons) {
        const isBack = button.dataset.step === "first" || button.dataset.step === "back";
        // A button with `disabled` would lose the focus.
        button.setAttribute("aria-disabled", String(ply === (isBack ? 0 : this.length)));
      }
    });
  }

  get length() {
    return table.value?.plies.length ?? 0;
  }

  /** Show the position after some plies. @param {number} ply cut off at both ends of the game */
  goTo(ply) {
    this.shownPly.value = ply >= this.length ? null : Math.max(0, ply);
    this.#onStep(this.shownPly.value);
  }

  /** @param {Step} step */
  #step(step) {
    const ply = this.shownPly.value ?? this.length;
    this.goTo({ first: 0, back: ply - 1, forward: ply + 1, now: Infinity }[step]);
  }

  /** Step with the arrow keys, and keep the focus on the shown move. @param {KeyboardEvent} event */
  onKey(event) {
    const step = LIST_KEYS[event.key];
    if (!step || hasModifier(event)) return;
    event.preventDefault();
    this.#step(step);
    findAll(byId("moves"), '[tabindex="0"]')[0]?.focus();
  }

  /** Step from anywhere that does not need the arrow keys itself. @param {KeyboardEvent} event */
  #onPageKey(event) {
    const step = PAGE_KEYS[event.key];
    if (!step || event.defaultPrevented || hasModifier(event) || closest(event, OWN_ARROWS)) return;
    event.preventDefault();
    this.#step(step);
  }
}

/** All moves: those with a miniature in words, the others in the notation of the game. @param {{ steps: Steps }} props */
export function MoveList({ steps }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const { plies = [], words = [], miniatures = [], names = [], gains = [] } = table.value ?? {};
  const shown = steps.shownPly.value ?? plies.length;
  useLayoutEffect(() => {
    // The list gets lower when something is shown above it.
    const observer = new ResizeObserver(() => scrollToCurrent(list.current));
    if (list.current) observer.observe(list.current);
  }, []);
  // Always: a list that follows only from its end stops for good once a few rows are missing.
  useLayoutEffect(() => scrollToCurrent(list.current), [shown, plies]);
  const items = plies.map(([seat, move], index) => {
    const ply = index + 1;
    const svg = miniatures[index];
    const text = svg ? words[index] : move;
    const gain = gains[index] ? formatMargin(gains[index]) : "";
    const isTabbable = ply === shown || (shown === 0 && ply === 1);
    return html`<li class=${svg ? "drawn" : ""} key=${ply}><button type="button" data-ply=${ply}
      tabindex=${isTabbable ? 0 : -1} aria-current=${ply === shown ? "step" : undefined}
      aria-label=${[`${ply}, ${names[seat]}: ${text}`, formatPointsGained(gains[index])].filter(Boolean).join(", ")} title=${svg ? move : undefined} onClick=${() => steps.goTo(ply)}>
      <span class="number">${ply}</span><${Badge} seat=${seat} />
      ${svg && html`<${Drawing} svg=${svg} />`}<span class="move">${text}</span>
      ${gain && html`<span class="gain">${gain}</span>`}</button></li>`;
  });
  return html`<ol class="moves" id="moves" role="list" ref=${list}
      aria-label="Moves, use the arrow keys to step through them" onKeyDown=${(/** @type {KeyboardEvent} */ event) => steps.onKey(event)}>${items}</ol>
    ${!items.length && html`<p class="muted small" id="no-moves">No moves yet.</p>`}`;
}

/** Scroll the list, and not the page, to the shown move. @param {HTMLElement | null} list */
function scrollToCurrent(list) {
  if (!list) return;
  const item = list.querySelector("[aria-current]")?.parentElement;
  const top = item?.offsetTop ?? 0; // relative to the list, which is positioned
  const height = item?.offsetHeight ?? 0;
  if (top < list.scrollTop) list.scrollTop = top - height;
  else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
}
