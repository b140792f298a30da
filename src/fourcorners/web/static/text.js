// Sentences and numbers as the page writes them.

/** Write the first letter as a capital. @param {string} text */
export function capitalise(text) {
  return text ? `${text[0].toUpperCase()}${text.slice(1)}` : "";
}

/** Turn a server's clause such as "a1 is taken" into a sentence. @param {string} clause without a full stop */
export function asSentence(clause) {
  return clause ? `${capitalise(clause)}.` : "";
}

/** List words: "a", "a and b", "a, b and c". @param {string[]} words */
export function listWords(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Write a margin with its sign: "+3", "−2", "0". @param {number} margin */
export function formatMargin(margin) {
  return margin > 0 ? `+${margin}` : margin < 0 ? `−${-margin}` : "0";
}
