// Shortcuts of a single character key. Whoever dictates, or hits keys by accident, can turn them off (WCAG 2.1.4).

import { byId, findAll } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";

const PREFERENCE = "single-keys";

/** Return whether single character keys are shortcuts. */
export function hasSingleKeys() {
  return loadFlag(PREFERENCE, true);
}

/** Let the switch of the menu turn them on and off, and tell assistive technology which keys work. */
export function connectSingleKeys() {
  const input = byId("single-keys", HTMLInputElement);
  const keys = findAll(document, "[aria-keyshortcuts]").map((node) => ({
    node,
    key: node.getAttribute("aria-keyshortcuts"),
  }));
  const show = () => {
    for (const { node, key } of keys) {
      if (input.checked && key) node.setAttribute("aria-keyshortcuts", key);
      else node.removeAttribute("aria-keyshortcuts");
    }
  };
  input.checked = hasSingleKeys();
  input.addEventListener("change", () => {
    saveFlag(PREFERENCE, input.checked);
    show();
  });
  show();
}
