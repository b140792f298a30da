// On every page: the menu for theme and palette, and the notice while the rules are compiled.

import { findAll } from "./dom.js";
import { loadPreference, savePreference } from "./preferences.js";

/** How often to ask whether the rules are compiled, in milliseconds. */
const POLL_INTERVAL = 1500;
const SHOW_READY_FOR = 4000;

/** Let the inputs of the menu show and change a preference. @param {"theme" | "palette"} name */
function connectPreference(name) {
  const current = loadPreference(name) || (name === "theme" ? "auto" : "");
  for (const input of /** @type {HTMLInputElement[]} */ (findAll(document, `.display input[name="${name}"]`))) {
    input.checked = input.value === current;
    input.addEventListener("change", () => {
      savePreference(name, input.value);
      dispatchEvent(new Event("fourcorners:display"));
    });
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

/** Poll until the server is ready, then remove the notice. @param {Element} notice */
async function watchCompilation(notice) {
  try {
    const health = await (await fetch("/healthz")).json();
    if (health.ready) {
      notice.textContent = "The rules are compiled. Games can start.";
      setTimeout(() => notice.remove(), SHOW_READY_FOR);
      return;
    }
  } catch {
    // The server cannot be reached now: ask again.
  }
  setTimeout(() => watchCompilation(notice), POLL_INTERVAL);
}

connectPreference("theme");
connectPreference("palette");
const menu = document.querySelector("details.display");
if (menu instanceof HTMLDetailsElement) connectMenu(menu);
const notice = document.querySelector("[data-warming]");
if (notice) setTimeout(() => watchCompilation(notice), POLL_INTERVAL);
