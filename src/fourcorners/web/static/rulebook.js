// The figures of a rulebook: their buttons show one step at a time. A page imports this module for what it does; the
// rulebook may be added to the page at any time.

import { closest, findAll } from "./dom.js";

/** Show another step of a figure, if there is one. @param {HTMLElement} figure @param {number} change */
function step(figure, change) {
  const count = Number(figure.dataset.steps);
  const next = Number(figure.dataset.step ?? 0) + change;
  if (next < 0 || next >= count) return;
  figure.dataset.step = String(next);
  for (const image of findAll(figure, "img")) {
    // From the first press on, the browser fetches the steps that follow before they are shown.
    image.setAttribute("loading", "eager");
    image.hidden = Number(image.dataset.step) !== next;
  }
  for (const sentence of findAll(figure, "li")) {
    if (Number(sentence.dataset.step) === next) sentence.setAttribute("aria-current", "step");
    else sentence.removeAttribute("aria-current");
  }
  for (const button of findAll(figure, "[data-go]")) {
    const target = next + Number(button.dataset.go);
    button.setAttribute("aria-disabled", String(target < 0 || target >= count));
  }
  for (const counter of findAll(figure, ".step-buttons span")) counter.textContent = `Step ${next + 1} of ${count}`;
}

// The style sheet shows the buttons, and hides the sentences on other steps, only if this script runs.
document.documentElement.classList.add("can-step");
document.addEventListener("click", (event) => {
  const button = closest(event, ".step-buttons [data-go]");
  const figure = closest(event, "figure[data-steps]");
  if (button && figure) step(figure, Number(button.dataset.go));
});
