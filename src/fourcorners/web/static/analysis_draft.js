// The draft of an analysis, which a tab keeps while it is open, so that reloading loses nothing.

/** @typedef {import("./analysis_tree.js").AnalysisTree} AnalysisTree */
const KEY = "analysis draft";

/** @param {OpenedAnalysis} opened @param {AnalysisTree} tree */
export function saveDraft(opened, tree) {
  const draft = { ...describePage(opened), nodes: tree.flatten(), path: tree.current.path };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // The analysis works without storage.
  }
}

/** Return the draft of this analysis if the page was reloaded or reached by the history of the browser. @param {OpenedAnalysis} opened */
export function loadDraft(opened) {
  const [entry] = performance.getEntriesByType("navigation");
  const kind = entry instanceof PerformanceNavigationTiming ? entry.type : "";
  if (kind !== "reload" && kind !== "back_forward") return null;
  try {
    const { nodes, path, ...page } = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    return JSON.stringify(page) === JSON.stringify(describePage(opened)) ? { nodes, path } : null;
  } catch {
    return null;
  }
}

/** @param {OpenedAnalysis} opened */
function describePage({ nodes: _, ...opened }) {
  return { opened, address: location.pathname + location.search };
}
