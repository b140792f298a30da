// Answers in place of those of the API: the page has them all, drawn in advance by scripts/build_practice.py.

import { byId } from "../../src/fourcorners/web/static/dom.js";
import { parsePicture, patchScene } from "../../src/fourcorners/web/static/picture.js";

const NOT_ALLOWED = "This move is not allowed here.";
const GIVEN = /** @type {StoredAnswers} */ (JSON.parse(byId("answers").textContent ?? ""));

/** How hard each puzzle is, in Elo points; empty on the page of a lesson. */
export const difficulties = GIVEN.difficulties;

/**
 * Answer about moves in a step, as the API does.
 * @param {string} _path that of the API @param {StoredQuestion} question
 * @returns {Promise<{ answer: Judgement, sentence: string }>}
 */
export function askStored(_path, { step, moves, show = false }) {
  return Promise.resolve({ answer: judge(GIVEN.steps[step], moves, show), sentence: "" });
}

/** @param {StoredStep} step @param {string[]} moves @param {boolean} givesUp */
function judge({ board, tray, start }, moves, givesUp) {
  const scene = { board: parsePicture(board), tray: parsePicture(tray) };
  let node = start;
  for (const move of moves) {
    const next = node.moves?.[move];
    if (!next) return expand(node, scene, { state: "refused", feedback: explain(node, move) });
    node = next;
    for (const patch of node.patches) patchScene(scene, GIVEN.patches[patch]);
  }
  if (!givesUp || !node.shown) return expand(node, scene);
  for (const patch of node.shown.patches) patchScene(scene, GIVEN.patches[patch]);
  return expand(node.shown, scene);
}

/** Say why a move, or its beginning, is not allowed. @param {StoredAnswer} node @param {string} text */
function explain(node, text) {
  const number = node.refusals?.[text];
  return number === undefined ? NOT_ALLOWED : GIVEN.texts[number];
}

/**
 * Return an answer as the API gives it, as far as pages read it.
 * @param {StoredAnswer} node @param {Record<Part, SVGSVGElement | null>} scene its picture
 * @param {Partial<Judgement>} changes @returns {Judgement}
 */
function expand({ state, events, next, found, ...node }, { board, tray }, changes = {}) {
  const picture = { moves: [], labels: {}, pictures: {}, effects: {}, ...node.picture };
  const play = node.play?.map(({ patch, ...move }) => ({ ...move, patch: GIVEN.patches[patch] }));
  const answer = {
    state,
    feedback: GIVEN.texts[node.feedback],
    events,
    patches: node.patches.map((patch) => GIVEN.patches[patch]),
    picture: { ...picture, board: board?.outerHTML ?? "", tray: tray?.outerHTML ?? null },
    // Lessons tell the next move, and puzzles the rest.
    ...(next !== undefined && { next }),
    ...(play && { play, found, hint: GIVEN.texts[node.hint ?? 0], facts: GIVEN.texts[node.facts ?? 0] }),
  };
  return /** @type {Judgement} */ (/** @type {unknown} */ ({ ...answer, ...changes }));
}
