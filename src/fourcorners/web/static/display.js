// On every page: the menu for theme, palette and look.

import { findAll } from "./dom.js";
import { loadPreference, savePreference } from "./preferences.js";

/** Let the inputs of the menu show and change a preference. @param {"theme" | "palette" | "look"} name */
function connectPreference(name) {
  const current = loadPreference(name) || (name === "theme" ? "auto" : "");
  for (const input of /** @type {HTMLInputElement[]} */ (findAll(document, `.display input[name="${name}"]`))) {
    input.checked = input.value === current;
    input.addEventListener("change", () => {
      savePreference(name, input.value);
      dispatchEvent(new CustomEvent("fourcorners:display", { detail: { [name]: input.value } }));
    });
  }
}

/** Let covers and figures follow palette and look, those too that were added to the page later. */
function showPictures() {
  for (const image of /** @type {HTMLImageElement[]} */ (findAll(document, 'img[src^="/games/"], img[data-board]'))) {
    const address = new URL(image.src);
    for (const name of "looks" in image.dataset ? ["palette", "look"] : ["palette"]) {
      const value = loadPreference(name);
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    if (address.href !== image.src) image.setAttribute("src", address.pathname + address.search);
  }
}

/** Close the menu on a click outside and on Escape. @param {HTMLDetailsElement} menu */
function connectMenu(menu) {
  document.addEventListener("click", (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
    event.stopPropagation();
  });
}

connectPreference("theme");
connectPreference("palette");
connectPreference("look");
addEventListener("fourcorners:display", showPictures);
showPictures();
for (const menu of findAll(document, "details.display, details.menu")) {
  connectMenu(/** @type {HTMLDetailsElement} */ (menu));
}
