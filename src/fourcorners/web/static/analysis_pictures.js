// Pictures of an analysis: the shown position with its marks, or the moves that lead there, in the colours of the page.

import { fetchFile } from "./api_client.js";
import { saveFile } from "./file_saver.js";
import { ANIMATION_WIDTH, ANIMATIONS, LAST, readColours } from "./picture_links.js";
import { html, useSignal } from "./preact.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */
/**
 * @typedef {{ analysis: import("./analysis_state.js").Analysis, toast: Toast,
 *   values: import("./analysis_values.js").AnalysisValues }} PicturesProps
 */
/** The formats, by their names in addresses. */
const FORMATS = { png: "PNG", svg: "SVG", gif: "GIF", webp: "WebP", pdf: "PDF" };

/** A button for each format. @param {PicturesProps} props */
export function Pictures({ analysis, values, toast }) {
  const said = useSignal("");
  /** @param {string} kind @param {boolean} isEnd whether only the last moves are shown */
  async function save(kind, isEnd = false) {
    const body = {
      ...analysis.where,
      ...describeLine(analysis.tree.current),
      ...describeValues(values.shown),
      style: describeStyle(kind, isEnd),
    };
    said.value = "Drawing…";
    const { file, sentence } = await fetchFile(`/api/analysis/picture.${kind}`, body);
    said.value = file ? "Saved." : "";
    if (file) saveFile(file, `${body.game}-analysis.${kind}`);
    else toast.show(sentence, true);
  }
  const buttons = Object.entries(FORMATS).map(
    ([kind, label]) => html`<button type="button" onClick=${() => save(kind)}>${label}</button>`,
  );
  return html`<details class="pictures" id="pictures"><summary>Picture or PDF</summary>
    <p class="row small">${buttons}</p>
    <p class="row small"><button type="button" onClick=${() => save("gif", true)}>GIF of the last ten moves</button></p>
    <p class="small muted">PNG, SVG and PDF show this position with its marks and Values, GIF and WebP the moves that lead to it.
      ${" "}<span id="pictures-said" role="status">${said.value}</span></p></details>`;
}

/** Return the marks at the start and after each move up to the current one, and its comment. @param {TreeMove} current */
export function describeLine(current) {
  /** @type {string[][]} */
  const marks = [];
  for (let node = /** @type {TreeMove | null} */ (current); node; node = node.parent) marks.unshift(node.marks);
  return { marks, comment: current.comment };
}

/** @param {{ moves: [string, number][], counts: Counts } | null} shown */
function describeValues(shown) {
  return shown ? { values: shown.moves.map(([move, value]) => ({ move, value })), counts: shown.counts } : {};
}

/** @param {string} kind @param {boolean} isEnd */
function describeStyle(kind, isEnd) {
  const width = ANIMATIONS.includes(kind) ? { width: ANIMATION_WIDTH } : {};
  return { ...readColours(), ...width, ...(isEnd ? { last: LAST } : {}) };
}
