// What to do next, in one sentence below the board.

import { parseRotation } from "./move_tree.js";
import { joinRanges, listWords } from "./text.js";

/** A token made of two points, such as c4d4. */
const EDGE = /^([a-z]+\d+)([a-z]+\d+)$/;
/** In how many of their first turns players are told how to move. */
const OPENING_TURNS = 2;

/** Return what can be chosen in the picture. @returns {Gestures} */
export function findGestures() {
  const exists = (/** @type {string} */ selector) => document.querySelector(selector) !== null;
  return {
    any: exists(".fc-board .can"),
    pick: exists('.fc-board .can[data-gesture="pick"]'),
    span: exists('.fc-board .can[data-gesture="span"]'),
    carry: exists('.fc-tray .can[data-gesture="carry"]'),
  };
}

/** Say what to do next, if anything. @param {MoveInput} input @param {ChoiceState} state @param {Gestures} gestures */
export function describeNextStep(input, state, gestures) {
  const { carried, prefix } = input;
  if (input.isBusy) return "";
  if (input.awaitsConfirmation) return askToConfirm(input, state.pictures);
  if (input.firstCorner !== null) return `From ${input.firstCorner}: choose the opposite corner.`;
  if (input.mustRotate() && input.buttons().length > 1) return "Choose how to rotate it.";
  if (carried && prefix.length < (carried.isPrefix ? 1 : 2)) return "Choose where to place it.";
  if (prefix.length && input.buttons().length) return describeChoice(input, state.game.prompts);
  const prompt = carried && state.game.prompts[carried.token];
  if (prompt && prefix.length) return describeContinuation(prompt, input);
  if (prefix.length) return gestures.any ? "Choose a place on the board." : "Choose how to continue.";
  if (input.isExploring) return "Point at a move to see its value.";
  const isOpening = state.ply < OPENING_TURNS * state.names.length;
  return input.isMine && !input.isPremoving && isOpening ? describeOpening(gestures) : "";
}

/** @param {MoveInput} input @param {Record<Token, string> | undefined} pictures of tokens that are mere codes */
function askToConfirm({ prefix, playedEffect }, pictures) {
  const isCoded = prefix.some((token) => pictures?.[token]);
  const question = isCoded ? "Play this move?" : `Play ${prefix.join(" ")}?`;
  return playedEffect ? `${question} It ${playedEffect}.` : question;
}

/** Say what the buttons are for, and what all do. @param {MoveInput} input @param {Record<string, string>} prompts */
function describeChoice(input, prompts) {
  const choices = input.buttons();
  const named = choices.map((token) => prompts[token.split(":")[0]]).find(Boolean);
  const isRotation = choices.every((token) => parseRotation(token) !== null);
  const rotations = choices.length > 1 ? "Choose how it will lie." : "It fits only like this.";
  const prompt = isRotation ? rotations : (named ?? "Choose how to continue.");
  return input.sharedEffect ? `${prompt} The move ${input.sharedEffect}.` : prompt;
}

/** Complete a prompt that ends with a colon: "Now a stick beside it: c1–d1 or d1–d2." @param {string} prompt @param {MoveInput} input */
function describeContinuation(prompt, { tree, prefix }) {
  const choices = [...(tree.continuation(prefix)?.next ?? [])];
  // The server may still be asked what can follow.
  if (!prompt.endsWith(":") || !choices.length) return prompt.replace(/:$/, ".");
  return joinRanges(
    `${prompt} ${listWords(
      choices.sort().map((token) => token.replace(EDGE, "$1–$2")),
      { last: "or" },
    )}.`,
  );
}

/** Say how a move is begun. @param {Gestures} gestures */
function describeOpening({ pick, span, carry }) {
  if (span) return "Choose one corner, then the opposite one, or drag between them.";
  if (carry && pick) return "Choose where to play, or pick up a piece first.";
  if (carry) return "Pick up a piece, then choose where to place it.";
  return pick ? "Choose where to play." : "";
}
