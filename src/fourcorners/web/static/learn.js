// The list of lessons: which of them are done, and which have been begun.

import { find, findAll, setText } from "./dom.js";
import { loadProgress } from "./lesson_progress.js";

/** Show how many steps are done. */
function showProgress() {
  const progress = loadProgress();
  for (const course of findAll(document, ".course")) {
    const items = findAll(course, "[data-lesson]");
    const isDone = (/** @type {HTMLElement} */ item) =>
      (progress[item.dataset.lesson ?? ""] ?? 0) >= Number(item.dataset.steps);
    for (const item of items) {
      const steps = progress[item.dataset.lesson ?? ""] ?? 0;
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

showProgress();
addEventListener("pageshow", showProgress);
