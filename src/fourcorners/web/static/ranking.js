// The list of all moves by value, the best first; pointing at one shows it on the board.

import { closest, hasModifier } from "./dom.js";
import { html, signal, useLayoutEffect, useRef } from "./preact.js";
import { pluralise } from "./text.js";

const FIRST_SHOWN = 40;
/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/** Group moves by value, in the order in which the values first occur. @param {[string, number][]} moves */
export function groupByValue(moves) {
  /** @type {Map<number, string[]>} */ const groups = new Map();
  for (const [move, value] of moves) groups.set(value, [...(groups.get(value) ?? []), move]);
  return [...groups];
}

/** Return where a key leads in a list, or null. @param {string} key @param {number} index @param {number} length */
export function stepIndex(key, index, length) {
  const step = STEPS[key];
  return step === undefined ? null : Math.max(0, Math.min(length - 1, index + step));
}

/** The value of which all moves are shown. */
const whole = signal(/** @type {Set<number>} */ (new Set()));
/** The move that the Tab key reaches; the first one if it is not in the list. */
const reached = signal("");

/**
 * The moves of a position, the best first.
 * @param {{ moves: [string, number][], title: string, values: MoveValues, input: MoveInput }} props
 */
export function Ranking({ moves, title, values, input }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    whole.value = new Set();
    reached.value = "";
    if (list.current) list.current.scrollTop = 0;
  }, [moves]);
  if (!moves.length) return null;
  const first = moves.some(([move]) => move === reached.value) ? reached.value : moves[0][0];
  /** Show the move that the pointer or the focus is at; between moves there is none. @param {Event} event */
  const point = (event) => values.showMove(closest(event, "[data-move]")?.dataset.move ?? null);
  const item = (/** @type {string} */ move) => html`<li key=${move}><button type="button" data-move=${move}
    tabindex=${move === first ? 0 : -1} onClick=${() => input.show(move)}>${move}</button></li>`;
  /** Move the focus through the list. @param {KeyboardEvent} event */
  function step(event) {
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    const index = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const next = stepIndex(event.key, index, buttons.length);
    if (next === null || index < 0 || hasModifier(event)) return;
    event.preventDefault();
    reached.value = buttons[next].dataset.move ?? reached.value;
    buttons[next].focus();
  }
  const groups = groupByValue(moves).map(([value, names], index) => {
    const meaning = values.describeOnly(value);
    const prefix = index === 0 && values.describe(value) !== meaning ? "Best: " : "";
    const shown = whole.value.has(value) ? names : names.slice(0, FIRST_SHOWN);
    const more = () => {
      whole.value = new Set([...whole.value, value]);
      /** @type {HTMLElement | null} */ (list.current?.querySelector(`[data-move="${names[FIRST_SHOWN]}"]`))?.focus();
    };
    const rest = html`<li key="more"><button type="button" tabindex="-1" onClick=${more}>
      ${names.length - shown.length} more</button></li>`;
    return html`<section class="rank" key=${value}>
      <h3><span class=${values.className(value)} aria-hidden="true">${values.text(value)}</span>
        <span class="what">${prefix}${meaning}</span>
        <span class="muted small">${pluralise(names.length, "{} move", "{} moves")}</span></h3>
      <ul role="list">${shown.map(item)}${shown.length < names.length && rest}</ul></section>`;
  });
  const leave = () => values.showMove(null);
  return html`<section class="panel ranking-panel" id="ranking-panel" aria-labelledby="ranking-title">
    <h2 id="ranking-title">${title}</h2>
    <div class="ranking" id="ranking" role="group" aria-label="Moves by value, use the arrow keys" ref=${list}
      onPointerOver=${point} onFocusIn=${point} onPointerLeave=${leave} onFocusOut=${leave} onKeyDown=${step}>
      ${groups}</div></section>`;
}
