// The outcomes of a series of exercises, as a list at its end.

import { make } from "./dom.js";

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

/** @param {Group[]} groups */
export function listOutcomes(groups) {
  const items = groups.map(({ sign, words, outcomes }) => {
    const names = outcomes.flatMap(({ name, link }, index) => [
      index ? ", " : "",
      link ? make("a", { href: link }, name) : name,
    ]);
    return make("li", {}, make("span", { class: "sign", "aria-hidden": "true" }, sign), ` ${words}: `, ...names);
  });
  return make("ul", { class: "outcomes", role: "list" }, ...items);
}
