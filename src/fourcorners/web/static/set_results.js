// The page of the results of a set: its links are copied, and the results are fetched again while the page is visible.

import "./page.js";
import { copyText, LINK_IS_SELECTED } from "./clipboard.js";
import { byId, findAll, setText } from "./dom.js";

const INTERVAL = 5000; // milliseconds
const place = byId("table");
let shown = ""; // what the server sent last
let timer = 0;

/** Show the results, and keep the marks and the focus. @param {string} html in which the server has escaped every name */
function show(html) {
  if (html === shown) return;
  shown = html;
  const boxes = () => /** @type {HTMLInputElement[]} */ (findAll(place, "input[type=checkbox]"));
  const marked = new Set(
    boxes()
      .filter((box) => box.checked)
      .map((box) => box.name),
  );
  const focused = document.activeElement;
  const name = focused instanceof HTMLInputElement && place.contains(focused) ? focused.name : "";
  const template = document.createElement("template");
  template.innerHTML = html;
  place.replaceChildren(template.content);
  for (const box of boxes()) {
    box.checked = marked.has(box.name);
    if (name && box.name === name) box.focus({ preventScroll: true });
  }
}

async function refresh() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const answer = await fetch(place.dataset.from ?? "");
    if (answer.ok) show(await answer.text());
  } catch {
    // The server cannot be reached now: ask again.
  }
  timer = setTimeout(refresh, INTERVAL);
}

for (const button of findAll(document, "[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = byId(button.dataset.copy ?? "", HTMLInputElement);
    field.select();
    setText(byId("said"), await copyText(field.value, LINK_IS_SELECTED));
  });
}
document.addEventListener("visibilitychange", refresh);
timer = setTimeout(refresh, INTERVAL);
