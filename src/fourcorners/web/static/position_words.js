// What an analysis says about a position, beside the board and to screen readers: the turn, points, facts and hands.

import { byId, make, makeBadge, setOrRemove } from "./dom.js";
import { parsePicture } from "./picture.js";
import { asSentence, capitalise } from "./text.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */

/** Show whose turn it is, the points, and what else can be counted. @param {BoardAnswer} answer @param {AnalysisSeats} seats */
export function showTurn({ picture, result }, { names, hasPoints }) {
  const { seat, scores } = picture;
  const badge = seat === null ? null : makeBadge(seat);
  const words = seat === null ? asSentence(result) : `${names[seat]} to move`;
  const facts = picture.facts.filter(([of]) => of === seat || of === null);
  const details = [...(hasPoints ? [scores.join(" : ")] : []), ...facts.map(([, name, value]) => `${name} ${value}`)];
  byId("turn").replaceChildren(
    ...(badge ? [badge, " "] : []),
    words,
    " ",
    make("span", { class: "turn-facts" }, details.join(" · ")),
  );
}

/** Show all hands, in a game that has any. @param {BoardAnswer} answer @param {AnalysisSeats} seats */
export function showHands({ hands }, { names }) {
  const panel = document.getElementById("hands");
  if (!panel) return;
  panel.hidden = !hands.length;
  const rows = hands.flatMap(({ seat, tokens, pictures }) => [
    make("dt", {}, makeBadge(seat), " ", names[seat]),
    make("dd", {}, ...tokens.map((token) => makeTile(token, pictures[token] ?? null))),
  ]);
  byId("hand-list").replaceChildren(...rows);
}

/** Draw what a seat holds, as small as a word. @param {Token} token @param {string | null} text */
function makeTile(token, text) {
  const picture = text ? parsePicture(text) : null;
  const tile = make(
    "span",
    { class: "tile", title: token },
    picture,
    make("span", { class: picture ? "hidden" : "" }, token),
  );
  setOrRemove(tile, "data-token-name", token);
  return tile;
}

/** Return the last move, whose turn it is, and the comment. @param {TreeMove} node @param {BoardAnswer} answer @param {AnalysisSeats} seats */
export function describeMove(node, { mover, words, picture, result }, { names }) {
  const move = node.parent && words ? `${node.path.length}. ${capitalise(mover)} ${words}.` : "Start.";
  const turn = picture.seat === null ? asSentence(result) : `${names[picture.seat]} to move.`;
  const others = node.children.length > 1 ? ` ${node.children.length} continuations.` : "";
  return `${move} ${turn}${others}${node.comment ? ` ${node.comment}` : ""}`;
}

/** Return what `describeMove` does, with points and facts. @param {TreeMove} node @param {BoardAnswer} answer @param {AnalysisSeats} seats */
export function describePosition(node, answer, seats) {
  const { names, hasPoints } = seats;
  const { scores, facts } = answer.picture;
  const points = hasPoints ? `${names.map((name, seat) => `${name} ${scores[seat]}`).join(", ")}. ` : "";
  const details = facts.map(([seat, name, value]) => `${seat === null ? "" : `${names[seat]}: `}${name} ${value}`);
  return `${describeMove(node, answer, seats)} ${points}${details.length ? `${details.join(", ")}.` : ""}`.trimEnd();
}
