// Puzzles whose answers are stored in the page; this browser remembers how each of them ended.

import "./page.js";
import { byId, findAll, setText } from "../../src/fourcorners/web/static/dom.js";
import { ExercisePlayer } from "../../src/fourcorners/web/static/exercise_player.js";
import { effect, html, render } from "../../src/fourcorners/web/static/preact.js";
import { askStored, difficulties } from "./stored_answers.js";
import { loadResults, saveResults } from "./stored_results.js";

const game = byId("exercise").dataset.game ?? "";
const SIGNS = { first: "✓", later: "✓", shown: "✗", missed: "✗" };
const WORDS = { first: "solved", later: "solved", shown: "not found", missed: "not found" };

const steps = findAll(byId("steps"), ".step[data-task]");
const ids = steps.map(({ dataset }) => /** @type {string} */ (JSON.parse(dataset.question ?? "{}").puzzle));
const known = loadResults(game);
for (const [number, step] of steps.entries()) if (known[ids[number]]) step.dataset.result = known[ids[number]];

/** The number of the puzzle that the address names, from 0; undefined if it names none. */
function readAddress() {
  const number = Number(location.hash.slice(1)) - 1;
  return steps[number] ? number : undefined;
}

const open = steps.findIndex(({ dataset }) => !dataset.result);
const exercise = new ExercisePlayer({
  first: readAddress() ?? Math.max(open, 0),
  ask: askStored,
  // What came of the first visit stays.
  onDone: (number, result) => saveResults(game, { [ids[number]]: result, ...loadResults(game) }),
});

addEventListener("hashchange", () => {
  const number = readAddress();
  if (number !== undefined && number !== exercise.state.value.number) exercise.open(number, true);
});

effect(() => {
  const { number, results } = exercise.state.value;
  const tried = results.filter(Boolean).length;
  byId("progress", HTMLProgressElement).value = tried;
  if (!exercise.step) setText(byId("step-count"), `${tried} of ${exercise.count} puzzles tried`);
  setText(byId("difficulty"), exercise.step ? `Difficulty ${difficulties[number]} · ` : "");
  // A reload, and a link to this puzzle, show it again.
  if (exercise.step) history.replaceState(null, "", `#${number + 1}`);
});

/** All puzzles by number, each with what came of it. */
function Picks() {
  const { number, results } = exercise.state.value;
  const items = results.map((result, index) => {
    const said =
      result &&
      html` <span class="sign" aria-hidden="true">${SIGNS[result]}</span><span class="hidden"> (${WORDS[result]})</span>`;
    return html`<li class=${result ?? ""}><a href="#${index + 1}" aria-current=${index === number ? "true" : undefined}><span><span class="hidden">Puzzle </span>${index + 1}${said}</span></a></li>`;
  });
  return html`<ol class="picks" role="list">${items}</ol>`;
}

render(html`<${Picks} />`, byId("picks"));
byId("again").addEventListener("click", () => {
  saveResults(game, {});
  location.hash = "";
  location.reload();
});
