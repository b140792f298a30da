// Shortcuts of a single character key. Anyone who dictates, or hits keys by accident, can turn them off (WCAG 2.1.4).

import { byId, findAll, setOrRemove } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";

const PREFERENCE = "single-keys";

/** Return whether single character keys are shortcuts. */
export function hasSingleKeys() {
  return loadFlag(PREFERENCE, true);
}

/** Return a button's title with its key, such as "Hint (H)". @param {string} title @param {string} [key] nothing while keys are off */
export function addKey(title, key) {
  return key ? `${title} (${key.toUpperCase()})` : title;
}

/**
 * Let the switch of the menu turn them on and off, and tell tooltips and assistive technology which keys work.
 * @param {{ value: boolean }} isOn a signal
 */
export function connectSingleKeys(isOn) {
  const input = byId("single-keys", HTMLInputElement);
  const keys = findAll(document, "[aria-keyshortcuts]").map((node) => ({
    node,
    key: node.getAttribute("aria-keyshortcuts") ?? "",
    title: node.getAttribute("title") ?? "",
  }));
  const show = () => {
    for (const { node, key, title } of keys) {
      const working = input.checked ? key : "";
      setOrRemove(node, "aria-keyshortcuts", working);
      node.setAttribute("title", addKey(title, working));
    }
  };
  input.checked = hasSingleKeys();
  input.addEventListener("change", () => {
    saveFlag(PREFERENCE, input.checked);
    show();
    isOn.value = hasSingleKeys();
  });
  show();
}
