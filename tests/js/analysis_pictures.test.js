import assert from "node:assert/strict";
import { test } from "node:test";

import { describeLine } from "../../src/fourcorners/web/static/analysis_pictures.js";
import { AnalysisTree } from "../../src/fourcorners/web/static/analysis_tree.js";

test("a picture has the marks of each position on the way, and the comment on the last one", () => {
  const tree = new AnalysisTree([{ depth: 0, marks: ["circle a1"], comment: "Start." }], 0);
  tree.play(["a1b1"], [0]);
  tree.play(["b1c1"], [1]);
  tree.note({ marks: ["mistake", "arrow a1 b1"], comment: "Gives a box." });
  assert.deepEqual(describeLine(tree.current), {
    marks: [["circle a1"], [], ["mistake", "arrow a1 b1"]],
    comment: "Gives a box.",
  });
});
