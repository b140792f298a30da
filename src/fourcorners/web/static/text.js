// Sentences and numbers as the page writes them.

/**
 * @param {string} text
 * @returns {string}
 */
export function capitalise(text) {
  return text ? `${text[0].toUpperCase()}${text.slice(1)}` : "";
}

/**
 * Turn a server's clause such as "a1 is taken" into a sentence.
 * @param {string} clause without a full stop
 * @returns {string}
 */
export function asSentence(clause) {
  return clause ? `${capitalise(clause)}.` : "";
}

/**
 * List words: "a", "a and b", "a, b and c".
 * @param {string[]} words
 * @returns {string}
 */
export function listWords(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * Write a margin with its sign: "+3", "−2", "0".
 * @param {number} margin
 * @returns {string}
 */
export function formatMargin(margin) {
  return margin > 0 ? `+${margin}` : margin < 0 ? `−${-margin}` : "0";
}
