// The page of a puzzle: once it is solved, what it was about, the new rating, and the way to the next one.

import { byId, setText } from "./dom.js";
import { ExercisePlayer } from "./exercise_player.js";

const place = byId("exercise");
const OUTCOMES = {
  first: "You found it at once.",
  later: "You found it after another try or a hint.",
  shown: "You did not find it.",
  missed: "",
};

/** Say how the first attempt has changed the rating. @param {Judgement} answer */
function showRating(answer) {
  if (!("rating" in answer) || answer.rating === null || answer.change === null) return;
  const { rating, change } = answer;
  const sign = change < 0 ? "−" : "+";
  setText(byId("rating"), `Your puzzle rating: ${rating} (${sign}${Math.abs(change)})`);
  byId("after").hidden = false;
}

new ExercisePlayer({
  describe: (hasErred) => (hasErred ? { helped: true } : {}),
  onAnswer: showRating,
  onDone: (_, result) => {
    byId("after").hidden = false;
    // Without words it would leave a gap in front of the theme.
    byId("outcome").hidden = !OUTCOMES[result];
    setText(byId("outcome"), OUTCOMES[result]);
    setText(byId("next"), "Next puzzle");
  },
  onEnd: () => location.assign(place.dataset.next ?? "/puzzles"),
});
