// Unsaved work, kept in the page's entry of the browser's history: a reload, Back and Forward bring it back, even where
// storage is forbidden, and a new visit begins without it.

/** How long after the last use of the page the draft is written, unless the page is left before; in milliseconds. */
const WRITE_DELAY = 1000;

/** What reads each part of the draft, by its name. @type {Map<string, () => unknown>} */
const parts = new Map();
let timer = 0;

/**
 * Keep a part of the page from now on.
 * @param {string} name @param {() => unknown} read returns what can be cloned, null if there is nothing to keep
 * @returns {any} what was kept when this entry of the history was left, or null
 */
export function keepDraft(name, read) {
  if (!parts.size) listen();
  parts.set(name, read);
  return isReturn() ? (history.state?.draft?.[name] ?? null) : null;
}

/** Return whether the page was loaded again. Browsers also keep the entry when a link leads to the same address. */
function isReturn() {
  const [entry] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return entry?.type === "reload" || entry?.type === "back_forward";
}

function write() {
  clearTimeout(timer);
  const draft = Object.fromEntries([...parts].map(([name, read]) => [name, read()]));
  try {
    history.replaceState({ ...history.state, draft }, "");
  } catch {
    // The browser allows no more changes now, or none as large.
  }
}

/** Write the draft a while after every use of the page, and when it is left: not every browser has all of these events. */
function listen() {
  for (const name of ["input", "change", "submit", "click", "keydown"]) document.addEventListener(name, onUse);
  addEventListener("pagehide", write);
  document.addEventListener("visibilitychange", write);
}

function onUse() {
  clearTimeout(timer);
  timer = setTimeout(write, WRITE_DELAY);
  // Only now: with a listener for this some browsers do not keep the page to show it again.
  addEventListener("beforeunload", write);
}
