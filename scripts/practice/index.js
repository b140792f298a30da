// The list of lessons and puzzles, with what has been done in this browser.

import "./page.js";
import { showProgress } from "../../src/fourcorners/web/static/course_progress.js";
import { find, findAll, setText } from "../../src/fourcorners/web/static/dom.js";
import { loadResults } from "./stored_results.js";

function show() {
  showProgress();
  for (const item of findAll(document, "[data-puzzles]")) {
    const { puzzles = "", count } = item.dataset;
    const results = Object.values(loadResults(puzzles));
    const found = results.filter((result) => result !== "shown").length;
    item.classList.toggle("done", results.length >= Number(count));
    if (results.length) setText(find(item, "[data-state]"), `${results.length} of ${count} tried, ${found} solved`);
  }
}

show();
// The page may be shown as it was left.
addEventListener("pageshow", show);
