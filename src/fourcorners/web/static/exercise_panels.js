// What stands below the text of an exercise: what came of the move, the buttons, and the field to type a move.

import { restoreField } from "./kept_fields.js";
import { describeShortcut, singleKeys } from "./parts.js";
import { html } from "./preact.js";

const SIGNS = { done: "✓", wrong: "✗", refused: "✗", open: "" };
/** @typedef {{ exercise: import("./exercise_player.js").ExercisePlayer }} Props */

/** What came of the last move; screen readers speak it, and then what others answered. @param {Props} props */
export function Feedback({ exercise }) {
  const { said, events } = exercise.state.value;
  const rating = exercise.host.rating?.value;
  // With a key, the same sentence is spoken again after another move.
  const line = html`<p key=${said.key}><span class="sign" aria-hidden="true">${SIGNS[said.state]}</span> ${said.words}</p>`;
  return html`<div class="feedback ${said.state}" id="feedback" role="status" aria-atomic="false">
    ${said.words && line}${rating && html`<p class="small muted" id="rating">${rating}</p>`}
    ${events.map((event) => html`<p class="small muted">${event}</p>`)}</div>`;
}

/** The hint for a move after the first one. @param {Props} props */
export function LaterHint({ exercise }) {
  const { laterHint, state } = exercise;
  if (!state.value.isHintShown || !laterHint) return null;
  return html`<p class="hint"><span class="small muted">Hint</span> ${laterHint}</p>`;
}

/** Best play, each move a button that shows the position after it. @param {Props} props */
export function BestPlay({ exercise }) {
  const { play, state } = exercise;
  if (play.length < 2) return null;
  const items = play.map(({ name }, ply) => {
    const current = ply === state.value.shownPly ? "true" : undefined;
    const show = () => exercise.showPly(ply);
    return html`<li><button type="button" aria-current=${current} onClick=${show}>${name}</button></li>`;
  });
  return html`<div class="best-play small" id="best-play"><span class="muted" id="best-play-title">Best play</span>
    <ol role="list" aria-labelledby="best-play-title">${items}</ol></div>`;
}

/** The buttons that make sense now. @param {Props} props */
export function Controls({ exercise }) {
  const { number, answer, isHintShown } = exercise.state.value;
  const { isDone, step, hasHint, host } = exercise;
  const isWrong = answer?.state === "wrong";
  const button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {() => void} */ press, more = {}) =>
    html`<button type="button" id=${id} onClick=${press} ...${more}>${text}</button>`;
  const pressed = { "aria-pressed": isHintShown, ...describeShortcut("Hint", "h") };
  const leading = { "aria-disabled": !isDone, class: isDone ? "primary" : "" };
  return html`<div class="row controls" id="controls">
    ${!host.onEnd && button("back", "Back", () => exercise.back(), { "aria-disabled": number === 0 })}
    ${hasHint && button("hint", "Hint", () => exercise.toggleHint(), pressed)}
    ${step && !isDone && button("show", "Show me", () => exercise.showMove())}
    ${isWrong && button("retry", "Try again", () => exercise.retry(), { class: "primary" })}
    ${step && !isWrong && button("next", (isDone && host.next) || "Next", () => exercise.goOn(), leading)}</div>`;
}

/** The field to type a move. @param {Props} props */
export function MoveField({ exercise }) {
  if (exercise.step?.dataset.task !== "yes") return null;
  /** @param {SubmitEvent & { currentTarget: HTMLFormElement }} event */
  async function submit(event) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (event.currentTarget.elements[0]);
    const typed = field.value.trim();
    field.value = "";
    if (typed && !(await exercise.type(typed)) && !field.value) field.value = typed;
  }
  return html`<form class="typed" id="typed" autocomplete="off" onSubmit=${submit}>
    <label class="small muted" for="typed-move">Type a move</label>
    <input type="text" id="typed-move" maxlength="100" spellcheck=${false} autocapitalize="none" autocorrect=${false}
      enterkeyhint="go" aria-keyshortcuts=${singleKeys.value ? "m" : undefined} ref=${restoreField} />
    <button>Play</button></form>`;
}
