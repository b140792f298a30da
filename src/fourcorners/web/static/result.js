// The end of a game: who won, with what points and why, and what to do next.

import { CountForm } from "./count.js";
import { byId } from "./dom.js";
import { classes } from "./parts.js";
import { html, useLayoutEffect, useRef, useSignal } from "./preact.js";
import { prepareValue } from "./shuffle.js";
import { table } from "./table.js";
import * as words from "./table_state.js";
import { asSentence, joinRanges } from "./text.js";

/** How the game ended, and what to do next. @param {PanelPage & { count: import("./count.js").Count }} page */
export function Result({ send, count }) {
  const state = table.value;
  // The picture of an earlier position has no frame.
  const frame = useRef("");
  frame.current = state?.over ? describeFrame(state) || frame.current : "";
  const own = state ? words.onlySeat(state) : null;
  const ratings = state?.outcome && own !== null ? state.moved?.[own] : null;
  const reason = asSentence(state?.outcome?.reason ?? "", state?.names);
  const details = state ? [words.describeRanks(state), words.describeMajority(state), reason, frame.current] : [];
  const unrated = state?.outcome && state.unrated;
  const rated = ratings && html`<span class="moved">Your rating: ${words.formatRatingChange(ratings)}</span>`;
  return html`<div class="result" id="result" role="group" aria-label="Result" tabindex="-1" hidden=${!state?.over}>
    <p id="result-text"><strong>${state?.over && words.describeTurn(state)}</strong>
      ${unrated && html`<span class="unrated">This game does not count for ratings: ${unrated}.</span>`}
      ${rated}</p>
    <p class="small" id="result-margin">${joinRanges(details.filter(Boolean).join(" "))}</p>
    ${state?.outcome && state.ply > 0 && html`<${Turn} />`}
    <${CountForm} count=${count} />
    ${count.answer.value && html`<p class="small" id="count-answer">${count.answer.value}</p>`}
    ${state?.over && html`<${NextSteps} state=${state} send=${send} />`}
  </div>`;
}

/** What a review has proven about the move that turned the game, if there is one. */
function Turn() {
  const found = useSignal("");
  useLayoutEffect(() => {
    const ask = async () => {
      const answer = await fetch(`${location.pathname}/review/turn`);
      if (answer.ok) found.value = await answer.text();
    };
    ask().catch(() => {}); // the page has a link to the review as well
  }, []);
  // The server has escaped every name in the HTML.
  return found.value && html`<p class="small" id="result-turn" dangerouslySetInnerHTML=${{ __html: found.value }} />`;
}

/** Ask for a rematch, or agree to one. @param {TableState} state @param {PanelPage["send"]} send @param {number} level of the computers; 0 keeps theirs */
async function playAgain(state, send, level = 0) {
  const hash = state.shuffle ? await prepareValue() : "";
  await send("rematch", { ...(level ? { level } : {}), ...(hash ? { hash } : {}) });
}

/**
 * Offers a rematch, says who asks for one, or leads to it. It stands beside the result, and on a phone above the board.
 * @param {{ send: PanelPage["send"] }} props
 */
export function Rematch({ send }) {
  const state = table.value;
  if (!state?.over) return null;
  if (state.rematch) {
    const text = state.seats.length ? "Go to the rematch" : "Watch the rematch";
    return html`<div class="rematch"><a class="button primary" href="/play/${state.rematch}">${text}</a></div>`;
  }
  const text = words.describeRematchRequest(state);
  const isAsked = state.may.includes("decline-rematch");
  const isOwn = isAsked && !state.may.includes("rematch");
  const agree = html`<button type="button" class="primary" onClick=${() => playAgain(state, send)}>
    ${isAsked ? "Accept" : "Rematch"}</button>`;
  const decline = html`<button type="button" onClick=${() => send("decline-rematch")}>${isOwn ? "Cancel" : "Decline"}</button>`;
  if (!text && !state.may.includes("rematch")) return null;
  return html`<div class=${classes("rematch", isAsked && "asked")} role="group" aria-label="Rematch">
    ${text && html`<span class="asks">${text}</span>`}
    ${state.may.includes("rematch") && agree}
    ${isAsked && decline}</div>`;
}

/** A rematch, at the next levels too, and what else to do. @param {{ state: TableState, send: PanelPage["send"] }} props */
function NextSteps({ state, send }) {
  const own = words.onlySeat(state);
  const { outcome } = state;
  const winners = outcome?.winners ?? [];
  const hasWon = own !== null && winners.includes(own);
  const level = state.may.includes("rematch") && !words.hasOpponents(state) ? findLevel(state) : 0;
  const hasEasier = level > 1 && (!hasWon || winners.length > 1);
  const hasHarder = level > 0 && level < state.game.levels && (hasWon || !winners.length);
  const button = (/** @type {string} */ text, /** @type {number} */ wanted) =>
    html`<button type="button" key=${text} onClick=${() => playAgain(state, send, wanted)}>${text}</button>`;
  const review = html`<form method="post" action="${location.pathname}/review"><button>Review this game</button></form>`;
  const suggestion = hasWon && winners.length !== state.names.length && suggest(state);
  return html`<div class="row">
      <${Rematch} send=${send} />
      ${hasEasier && button(`Easier (level ${level - 1})`, level - 1)}
      ${hasHarder && button(`Harder (level ${level + 1})`, level + 1)}
      ${outcome && state.ply > 0 && review}
      ${outcome && html`<button type="button" onClick=${() => byId("share-open").click()}>Share</button>`}
      ${outcome && html`<a class="button" href="${location.pathname}/analysis">Analyse</a>`}
    </div>
    ${suggestion && html`<p class="small" id="next-step">${suggestion}</p>`}`;
}

/** Suggest another level or board after a win. @param {TableState} state */
function suggest(state) {
  const level = findLevel(state);
  if (!level) return null;
  const [isHighest, hasOptions] = [level === state.game.levels, Object.keys(state.game.options).length > 0];
  const link = (/** @type {string} */ text) => html`<a href="/games/${state.game.id}">${text}</a>`;
  if (isHighest) return html`You have beaten the highest level. ${hasOptions && html`${link("Try other options")}.`}`;
  return html`Next: the same game one level higher${hasOptions && html`, or ${link("with other options")}`}.`;
}

/** Say what the frame on the board is; where the last move wins, that has been named. @param {TableState} state */
function describeFrame({ outcome, game }) {
  const isShown = outcome && game.scoring !== "last-move" && byId("board").querySelector(".decisive");
  return isShown ? "The frame marks what decided it." : "";
}

/** Return the level of the computers that a person plays alone, if they have the same. @param {TableState} state */
export function findLevel(state) {
  const kinds = new Set(state.kinds.filter((_, seat) => words.isComputer(state, seat)));
  const [kind] = kinds;
  const level = kinds.size === 1 ? Number(/^computer:(\d+)$/.exec(kind)?.[1] ?? 0) : 0;
  return words.onlySeat(state) === null ? 0 : level;
}
