// The outcomes of a series of exercises, as a list at its end.

import { html } from "./preact.js";

/** @typedef {{ name: string, link: string, result: ExerciseResult | null }} Outcome */
/** @typedef {{ sign: string, words: string, outcomes: Outcome[] }} Group */

/** @type {[ExerciseResult | null, string, string][]} */
const GROUPS = [
  ["first", "✓", "Found at once"],
  ["later", "✓", "Found after another try or a hint"],
  ["shown", "✗", "Not found, but shown"],
  ["missed", "✗", "Not found"],
  [null, "–", "Not tried"],
];

/** Group exercises by what came of them; groups without any are left out. @param {Outcome[]} outcomes @returns {Group[]} */
export function groupOutcomes(outcomes) {
  return GROUPS.map(([result, sign, words]) => ({
    sign,
    words,
    outcomes: outcomes.filter((outcome) => outcome.result === result),
  })).filter((group) => group.outcomes.length > 0);
}

/** The outcomes of all exercises, or if the series ends early, of those that were tried. @param {{ exercise: import("./exercise_player.js").ExercisePlayer }} props */
export function Outcomes({ exercise }) {
  if (exercise.step || !exercise.count) return null;
  const { results } = exercise.state.value;
  const outcomes = exercise.steps
    .map(({ dataset: { name = "", link = "" } }, number) => ({ name, link, result: results[number] }))
    .filter(({ result }) => result !== null || !exercise.host.endsEarly);
  const items = groupOutcomes(outcomes).map(({ sign, words, outcomes: same }) => {
    const names = same.map(({ name, link }, index) => [
      index ? ", " : "",
      link ? html`<a href=${link}>${name}</a>` : name,
    ]);
    return html`<li><span class="sign" aria-hidden="true">${sign}</span> ${words}: ${names}</li>`;
  });
  return html`<ul class="outcomes" role="list">${items}</ul>`;
}
