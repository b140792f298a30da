// The list of puzzles: the best timed run of each game, which this browser remembers.

import "./page.js";
import { findAll, setText } from "./dom.js";
import { describeBestRun, loadBestRun } from "./puzzle_record.js";

for (const place of findAll(document, "[data-best-run]")) {
  const best = loadBestRun(place.dataset.bestRun ?? "");
  place.hidden = !best;
  setText(place, describeBestRun(best));
}
