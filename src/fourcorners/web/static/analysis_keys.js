// One-letter commands of the analysis board, with the list of them.

import { closest, hasModifier } from "./dom.js";
import { html } from "./preact.js";
import { hasSingleKeys } from "./shortcuts.js";

/** Where keys are text, or belong to something else. */
const NO_COMMANDS = 'input:not([type="checkbox"]), textarea, select, dialog';
/** What needs the arrow keys itself. */
const OWN_ARROWS = `#scene [data-token], #tree, ${NO_COMMANDS}`;

/** @typedef {{ key: string, name?: string, words: string, run: () => void }} Command */

/** The list of commands. @param {{ commands: Command[] }} props */
export function KeysDialog({ commands }) {
  const rows = commands.map(
    ({ key, name, words }) => html`<dt><kbd>${name ?? key.toUpperCase()}</kbd></dt><dd>${words}</dd>`,
  );
  return html`<dialog class="panel keys-dialog" id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Commands</h2>
    <dl id="keys-list">${rows}</dl>
    <form method="dialog" class="row"><button autofocus>Close</button></form></dialog>`;
}

/** @param {Command[]} commands whose keys are in lower case @param {Command[]} steps for keys that are no letters */
export function connectCommands(commands, steps) {
  let usesPointer = false;
  const notice = (/** @type {PointerEvent | KeyboardEvent} */ event) => {
    if (!(event instanceof KeyboardEvent)) usesPointer = true;
    else if (["Tab", "Enter", " "].includes(event.key)) usesPointer = false;
    else if (usesPointer) stepFromBoard(event, steps);
  };
  document.addEventListener("pointerdown", notice, { capture: true });
  document.addEventListener("keydown", notice, { capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || (event.repeat === true && event.key.length === 1)) return;
    if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !closest(event, NO_COMMANDS)) {
      event.preventDefault();
      commands.find(({ key }) => key === "u")?.run();
      return;
    }
    if (hasModifier(event)) return;
    const step = closest(event, OWN_ARROWS) ? undefined : steps.find(({ key }) => key === event.key);
    const isAllowed = hasSingleKeys() && !closest(event, NO_COMMANDS);
    const command = step ?? (isAllowed ? commands.find(({ key }) => key === event.key.toLowerCase()) : undefined);
    if (!command) return;
    event.preventDefault();
    command.run();
  });
}

/**
 * Step with the arrow keys after a move by mouse: what was clicked has the focus, but keys do not move it about.
 * @param {KeyboardEvent} event @param {Command[]} steps
 */
function stepFromBoard(event, steps) {
  const node = closest(event, "#scene");
  const step = steps.find(({ key }) => key === event.key);
  if (!node || !step || hasModifier(event)) return;
  event.preventDefault();
  event.stopPropagation();
  // Otherwise the next picture would give the focus to the same place, and show it.
  /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  step.run();
}
