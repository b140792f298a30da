// A list of lessons: which of them are done, and which have been begun.

import { find, findAll, setText } from "./dom.js";
import { loadProgress } from "./lesson_progress.js";

/** Show how many steps are done. */
export function showProgress() {
  const progress = loadProgress();
  for (const course of findAll(document, ".course")) {
    const items = findAll(course, "[data-lesson]");
    const countSteps = (/** @type {HTMLElement} */ { dataset: { lesson = "", done } }) =>
      Math.max(progress[lesson] ?? 0, Number(done));
    const isDone = (/** @type {HTMLElement} */ item) => countSteps(item) >= Number(item.dataset.steps);
    for (const item of items) {
      const steps = countSteps(item);
      item.classList.toggle("done", isDone(item));
      const state = isDone(item) ? "done · " : steps ? `step ${steps + 1} of ${item.dataset.steps} · ` : "";
      setText(find(item, "[data-state]"), state);
    }
    const count = items.filter(isDone).length;
    const line = find(course, "[data-progress]", HTMLElement);
    line.hidden = !count;
    setText(line, `${count} of ${items.length} done · `);
  }
}
