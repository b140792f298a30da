// What an analysis says about a position, beside the board and to screen readers: the turn, points, facts and hands.

import { Badge, Drawing } from "./parts.js";
import { html } from "./preact.js";
import { asSentence, capitalise } from "./text.js";

/** @typedef {import("./analysis_tree.js").TreeMove} TreeMove */
/** @typedef {import("./analysis_state.js").Analysis} Analysis */

/** Whose turn it is, the points, and what else can be counted. @param {{ analysis: Analysis }} props */
export function TurnLine({ analysis }) {
  const { answer, seats } = analysis.state.value;
  const { seat = null, scores = [], facts = [] } = answer?.picture ?? {};
  const counted = facts.filter(([of]) => of === seat || of === null).map(([, name, value]) => `${name} ${value}`);
  // The result has the points, too.
  const details = seats.has_points && seat !== null ? [scores.join(" : "), ...counted] : counted;
  const words = seat === null ? asSentence(answer?.result ?? "") : `${seats.names[seat]} to move`;
  return html`<p class="turn" id="turn">${seat !== null && html`<${Badge} seat=${seat} />`} ${words}${" "}
    <span class="turn-facts">${details.join(" · ")}</span></p>`;
}

/** All hands, in a game that has any. @param {{ analysis: Analysis }} props */
export function Hands({ analysis }) {
  const { answer, seats } = analysis.state.value;
  if (!answer?.hands.length) return null;
  const rows = answer.hands.map(
    ({ seat, tokens, pictures }) => html`<dt><${Badge} seat=${seat} /> ${seats.names[seat]}</dt>
      <dd>${tokens.map((token) => html`<${Tile} token=${token} picture=${pictures[token]} />`)}</dd>`,
  );
  return html`<section class="panel hands" id="hands" aria-labelledby="hands-title">
    <h2 id="hands-title">Open hands</h2>
    <p class="small muted">The board knows all hands and the pile. The engine uses only what the seat to move may know;
      exact values assume that all hands are open.</p>
    <dl id="hand-list">${rows}</dl></section>`;
}

/** What a seat holds, as small as a word. @param {{ token: Token, picture?: string }} props */
function Tile({ token, picture }) {
  return html`<span class="tile" title=${token}>${picture && html`<${Drawing} svg=${picture} />`}
    <span class=${picture ? "hidden" : ""}>${token}</span></span>`;
}

export const OVER_HERE = "The game is over here.";
export const NOTHING_TO_UNDO = "There is nothing to undo.";

/** Return the move that led to a position, with its number. @param {TreeMove} node @param {BoardAnswer} answer */
export function nameMove(node, { mover, words }) {
  return node.parent && words ? `${node.path.length}. ${capitalise(mover)} ${words}.` : "Start.";
}

/** Return the last move, whose turn it is, and the comment. @param {TreeMove} node @param {BoardAnswer} answer @param {AnalysisSeats} seats */
export function describeMove(node, answer, { names }) {
  const { picture, result } = answer;
  const turn = picture.seat === null ? asSentence(result) : `${names[picture.seat]} to move.`;
  const others = node.children.length > 1 ? ` ${node.children.length} continuations.` : "";
  return `${nameMove(node, answer)} ${turn}${others}${node.comment ? ` ${node.comment}` : ""}`;
}

/** Return what `describeMove` does, with points and facts. @param {Analysis} analysis */
export function describePosition(analysis) {
  const { tree, answer, seats } = analysis.state.value;
  if (!answer) return "Loading.";
  const { names, has_points } = seats;
  const { scores, facts } = answer.picture;
  const points = has_points ? `${names.map((name, seat) => `${name} ${scores[seat]}`).join(", ")}. ` : "";
  const details = facts.map(([seat, name, value]) => `${seat === null ? "" : `${names[seat]}: `}${name} ${value}`);
  const position = describeMove(tree.current, answer, seats);
  return `${position} ${points}${details.length ? `${details.join(", ")}.` : ""}`.trimEnd();
}
