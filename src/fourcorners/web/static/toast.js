// Something that somebody should have read: it stays until it is put away, or until the next move of one's own.

const byId = (id) => document.getElementById(id);

export function noting() {
  const place = byId("note");
  const text = byId("note-text");
  byId("note-close").addEventListener("click", () => note(""));
  function note(sentence, wrong = false) {
    place.classList.toggle("wrong", wrong);
    place.hidden = !sentence;
    text.textContent = sentence;
  }
  return note;
}
