// A shared analysis in a frame of another site: moves and comments to step through, nothing to change.

import { AnalysisPositions } from "./analysis_positions.js";
import { AnalysisTree } from "./analysis_tree.js";
import { Announcer } from "./announcer.js";
import { drawMarks } from "./board_marks.js";
import { byId, closest, colourBadges, hasModifier, setText } from "./dom.js";
import { Geometry } from "./geometry.js";
import { MoveValues } from "./move_values.js";
import { Picture } from "./picture.js";
import { nameMove } from "./position_words.js";
import { html, render, signal } from "./preact.js";
import { capitalise } from "./text.js";
import { connectSteps, TreeView } from "./tree_view.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */

const place = byId("analysis");
/** @type {OpenedAnalysis} */ const opened = JSON.parse(byId("opened").textContent ?? "");
const tree = new AnalysisTree(opened.nodes, opened.played);
const announcer = new Announcer();
const positions = new AnalysisPositions(opened, { show: say });
const picture = new Picture(byId("board"), byId("tray"));
/** @type {AnalysisSeats} */ const seats = JSON.parse(place.dataset.seats ?? "");
/** What is shown; the tree is changed in place. */
const state = signal({ tree, seats });
const geometry = new Geometry();
/** Every place shows what the best move that begins there is worth: there is nothing to choose. */
const input = { state: (/** @type {SceneNode} */ node) => node.dataset.token, isChosen: () => false, prefix: [] };
const values = new MoveValues(/** @type {any} */ ({ picture, geometry, input: { ...input, firstCorner: null } }));
const start = tree.at(opened.shown);
let questions = 0;
/** @type {TreeMove | null} the move whose position is shown */ let shown = null;

/** @param {TreeMove | null | undefined} node */
function go(node) {
  if (!node || (node === tree.current && node === shown)) return;
  tree.current = node;
  state.value = { ...state.value };
  show(node, true);
}

/** Show the position of a move. @param {TreeMove} node @param {boolean} isSpoken */
async function show(node, isSpoken) {
  const question = ++questions;
  const answer = await positions.fetch(node.path);
  if (question !== questions || !answer) return;
  shown = node;
  // Seats may have exchanged their colours.
  const names = answer.picture.seat_names.map(capitalise);
  state.value = { tree, seats: { ...seats, names } };
  colourBadges(place, names);
  picture.set(answer.picture.board, answer.picture.tray);
  // There is nothing to press: what stands for tokens is only described.
  for (const each of picture.nodes()) {
    each.removeAttribute("tabindex");
    each.setAttribute("role", "img");
  }
  drawMarks(picture.board, node.marks);
  geometry.clear();
  const known = node === start ? opened.values : null;
  values.set(known?.moves ?? [], known?.counts);
  setText(byId("verdict"), known?.sentence ?? "");
  place.dataset.ply = String(node.path.length);
  if (isSpoken) say(`${nameMove(node, answer)} ${node.comment}`);
}

/** @param {string} sentence */
function say(sentence) {
  announcer.announce(capitalise(sentence));
}

connectSteps(state, go);
document.addEventListener("keydown", (event) => {
  if (hasModifier(event) || event.defaultPrevented || closest(event, "#tree")) return;
  if (event.key === "ArrowLeft") go(tree.current.parent);
  if (event.key === "ArrowRight") go(tree.current.children[0]);
});
colourBadges(place, seats.names);
render(html`<${TreeView} state=${state} choose=${go} />`, byId("tree-place"));
// Badges keep the size of their text.
addEventListener("resize", () => {
  geometry.clear();
  values.refresh();
});
tree.current = start;
state.value = { ...state.value };
show(start, false);
