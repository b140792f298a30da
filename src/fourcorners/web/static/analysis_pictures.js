// Pictures of an analysis: the shown position with its marks, or the moves that lead there, in the colours of the page.

import { fetchFile } from "./api_client.js";
import { byId, findAll, setText } from "./dom.js";
import { saveFile } from "./file_saver.js";
import { ANIMATION_WIDTH, ANIMATIONS, readColours } from "./picture_links.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */
/** @typedef {{ game: string, options: object, position: string, moves: string[] }} AnalysedPosition */

export class AnalysisPictures {
  /** @param {() => AnalysedPosition} locate @param {() => TreeMove} findCurrent @param {Toast} toast */
  constructor(locate, findCurrent, toast) {
    for (const button of findAll(byId("pictures"), "[data-kind]")) {
      button.addEventListener("click", async () => {
        const kind = button.dataset.kind ?? "";
        const body = { ...locate(), ...describeLine(findCurrent()), style: describeStyle(kind) };
        setText(byId("pictures-said"), "Drawing…");
        const { file, sentence } = await fetchFile(`/api/analysis/picture.${kind}`, body);
        setText(byId("pictures-said"), file ? "Saved." : "");
        if (file) saveFile(file, `${body.game}-analysis.${kind}`);
        else toast.show(sentence, true);
      });
    }
  }
}

/** Return the marks at the start and after each move up to the current one, and its comment. @param {TreeMove} current */
export function describeLine(current) {
  /** @type {string[][]} */
  const marks = [];
  for (let node = /** @type {TreeMove | null} */ (current); node; node = node.parent) marks.unshift(node.marks);
  return { marks, comment: current.comment };
}

/** @param {string} kind */
function describeStyle(kind) {
  const width = ANIMATIONS.includes(kind) ? { width: ANIMATION_WIDTH } : {};
  return { ...readColours(), ...width };
}
