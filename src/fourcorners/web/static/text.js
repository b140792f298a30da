// Sentences and numbers as the page writes them.

/** Write the first letter as a capital. @param {string} text */
export function capitalise(text) {
  return text ? `${text[0].toUpperCase()}${text.slice(1)}` : "";
}

/**
 * Turn a server's clause into a sentence: "the game is over" gets a capital, "a1 is taken" and "bob resigned" do not,
 * because coordinates and names are written as they are. A sentence stays as it is.
 * @param {string} clause @param {string[]} names of players, with which it may begin
 */
export function asSentence(clause, names = []) {
  if (!clause || /[.!?]$/.test(clause)) return clause;
  const begins = (/** @type {string} */ name) => clause === name || /^[^\p{L}\p{N}]/u.test(clause.slice(name.length));
  const isName = names.some((name) => name && clause.startsWith(name) && begins(name));
  return isName || /^\S*\d/.test(clause) ? `${clause}.` : `${capitalise(clause)}.`;
}

/** Keep the ends of a line or a rectangle, "a1–c6", in one line: a word joiner follows each dash. @param {string} text */
export function joinRanges(text) {
  return text.replaceAll(/(?<=\w)–(?=\w)/g, "–\u2060");
}

/** List words: "a", "a and b", "a, b and c". @param {string[]} words @param {{ last?: string }} options the word before the last one */
export function listWords(words, { last = "and" } = {}) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

const PLURALS = new Intl.PluralRules("en");

/** Return the message for a count, which takes the place of {}. @param {number} count @param {string} one @param {string} other */
export function pluralise(count, one, other) {
  return (PLURALS.select(count) === "one" ? one : other).replace("{}", count.toLocaleString("en"));
}

/** Write a margin with its sign: "+3", "−2", "0". @param {number} margin */
export function formatMargin(margin) {
  return margin > 0 ? `+${margin}` : margin < 0 ? `−${-margin}` : "0";
}

/** Write in words what a move gained: "2 points gained", "1 point lost"; empty if nothing. @param {number | undefined} gain */
export function formatPointsGained(gain) {
  if (!gain) return "";
  return gain > 0
    ? pluralise(gain, "{} point gained", "{} points gained")
    : pluralise(-gain, "{} point lost", "{} points lost");
}
