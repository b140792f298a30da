// The lobby's lists, fetched again every few seconds while the page is visible.

import { byId } from "./dom.js";

/** In milliseconds. */
const INTERVAL = 3000;
const lists = byId("lists");
let shown = ""; // what the server sent last
let timer = 0;

/** @returns {Set<string | undefined>} the ids of the listed tables */
function listedTables() {
  const cards = /** @type {NodeListOf<HTMLElement>} */ (lists.querySelectorAll(".meeting"));
  return new Set([...cards].map((card) => card.dataset.table));
}

/** @returns {string | undefined} the table whose link has the focus */
function focusedTable() {
  const focused = lists.contains(document.activeElement) ? document.activeElement : null;
  return /** @type {HTMLElement | null | undefined} */ (focused?.closest(".meeting"))?.dataset.table;
}

/** @param {string} html lists in which the server has escaped every name */
function show(html) {
  if (html === shown) return;
  const isFirst = shown === "";
  shown = html;
  const before = listedTables();
  const focused = focusedTable();
  const template = document.createElement("template");
  template.innerHTML = html;
  lists.replaceChildren(template.content);
  if (focused) {
    /** @type {HTMLElement | null} */ (lists.querySelector(`[data-table="${CSS.escape(focused)}"] a`))?.focus();
  }
  const added = [...listedTables()].filter((id) => !before.has(id)).length;
  if (!isFirst && added) byId("news").textContent = added === 1 ? "1 new game." : `${added} new games.`;
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

document.addEventListener("visibilitychange", refresh);
timer = setTimeout(refresh, INTERVAL);
