// The buttons of the analysis board that show what can be done with the current move and what is shown of its position.

import { describeShortcut, Icon } from "./parts.js";
import { html } from "./preact.js";

/** @typedef {import("./analysis_state.js").Analysis} Analysis */

/** Puts a variation first, or deletes it. @param {{ analysis: Analysis }} props */
export function TreeTools({ analysis }) {
  const { tree } = analysis.state.value;
  return html`<button type="button" class="plain" id="promote" ...${describeShortcut("Make this the main variation", "p")}
      aria-disabled=${!tree.canPromote} onClick=${() => analysis.promote()}>Promote</button>
    <button type="button" class="plain" id="remove" ...${describeShortcut("Delete from here on", "x")}
      aria-disabled=${!tree.canRemove} onClick=${() => analysis.remove()}>Delete</button>`;
}

/**
 * Turns the values of all moves and the layer of the game on and off.
 * @param {{ analysis: Analysis, values: import("./analysis_values.js").AnalysisValues, isOverlaid: { value: boolean },
 *   toggleOverlay: () => void }} props
 */
export function Views({ analysis, values, isOverlaid, toggleOverlay }) {
  const { overlay = null } = analysis.state.value.answer ?? {};
  const layer = html`<button type="button" class="plain" id="overlay" aria-pressed=${isOverlaid.value}
    ...${describeShortcut(overlay ?? "", "o")} onClick=${toggleOverlay}><${Icon} name="overlay" />${overlay}</button>`;
  return html`<button type="button" class="plain" id="values" aria-pressed=${values.isOn.value}
      ...${describeShortcut("Exact value of every move", "v")} onClick=${() => values.toggle()}>
      <${Icon} name="solve" />Values</button>${overlay && layer}`;
}
