// The page of a puzzle: once it is solved, what it was about, the new rating, and the way to the next one.

import "./page.js";
import { prepareChallenges } from "./challenge.js";
import { byId, setText } from "./dom.js";
import { ExercisePlayer } from "./exercise_player.js";
import { effect, signal } from "./preact.js";
import { pluralise } from "./text.js";

const OUTCOMES = {
  first: "You found it at once.",
  later: "You found it after another try or a hint.",
  shown: "You did not find it.",
  missed: "",
};
const rating = signal("");
const exercise = new ExercisePlayer({
  next: "Next puzzle",
  rating,
  describe: (hasErred) => (hasErred ? { helped: true } : {}),
  onAnswer: takeRating,
  onEnd: () => location.assign(byId("exercise").dataset.next ?? "/puzzles"),
});

/** Take how the first attempt has changed the rating, and the streak of puzzles of the day. @param {Judgement} answer */
function takeRating(answer) {
  if ("streak" in answer && answer.streak) {
    setText(byId("streak"), pluralise(answer.streak, "Your streak: {} day.", "Your streak: {} days."));
  }
  if (!("rating" in answer) || answer.rating === null || answer.change === null) return;
  const { rating: points, change } = answer;
  rating.value = `Your puzzle rating: ${points} (${change < 0 ? "−" : "+"}${Math.abs(change)})`;
}

prepareChallenges();
effect(() => {
  const [result] = exercise.state.value.results;
  byId("after").hidden = !result;
  setText(byId("outcome"), result ? OUTCOMES[result] : "");
});
