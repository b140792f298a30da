// The lobby's lists, fetched again every few seconds while the page is visible.

import "./page.js";
import { byId, findAll } from "./dom.js";
import { prepareForms } from "./shuffle.js";
import { pluralise } from "./text.js";

const INTERVAL = 3000; // milliseconds
const lists = byId("lists");
let shown = ""; // what the server sent last
let timer = 0;

/** Return the ids of the listed tables. */
function getTableIds() {
  return new Set(findAll(lists, ".meeting").map((card) => card.dataset.table));
}

/** Show the lists, and keep the focus. @param {string} html lists in which the server has escaped every name */
function show(html) {
  if (html === shown) return;
  const isFirst = shown === "";
  shown = html;
  const before = getTableIds();
  const focused = findAll(lists, ".meeting").find((card) => card.contains(document.activeElement))?.dataset.table;
  const control = document.activeElement?.tagName ?? "";
  const template = document.createElement("template");
  template.innerHTML = html;
  lists.replaceChildren(template.content);
  // The pictures take the board colours that were chosen.
  dispatchEvent(new Event("fourcorners:display"));
  if (focused) {
    const controls = findAll(lists, `[data-table="${CSS.escape(focused)}"] :is(a, button)`);
    (controls.find((each) => each.tagName === control) ?? controls[0])?.focus();
  }
  const added = [...getTableIds()].filter((id) => !before.has(id)).length;
  if (!isFirst && added) byId("news").textContent = pluralise(added, "{} new game.", "{} new games.");
}

async function refresh() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const answer = await fetch(lists.dataset.from ?? "");
    if (answer.ok) show(await answer.text());
  } catch {
    // The server cannot be reached now: ask again.
  }
  timer = setTimeout(refresh, INTERVAL);
}

prepareForms();
document.addEventListener("visibilitychange", refresh);
timer = setTimeout(refresh, INTERVAL);
