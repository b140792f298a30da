// Shortcuts of a single character key. Anyone who dictates, or hits keys by accident, can turn them off (WCAG 2.1.4).

import { byId, findAll, setOrRemove } from "./dom.js";
import { loadFlag, saveFlag } from "./preferences.js";

const PREFERENCE = "single-keys";

/** Return whether single character keys are shortcuts. */
export function hasSingleKeys() {
  return loadFlag(PREFERENCE, true);
}

/** Set a button's tooltip, such as "Hint (H)", with its key while this works. @param {Element} button @param {string} title */
function setTitle(button, title) {
  const key = button.getAttribute("aria-keyshortcuts");
  button.setAttribute("title", key ? `${title} (${key.toUpperCase()})` : title);
}

/**
 * Let the switch of the menu turn them on and off, and tell tooltips and assistive technology which keys work.
 * @param {(isOn: boolean) => void} onChange
 */
export function connectSingleKeys(onChange = () => {}) {
  const input = byId("single-keys", HTMLInputElement);
  const keys = findAll(document, "[aria-keyshortcuts]").map((node) => ({
    node,
    key: node.getAttribute("aria-keyshortcuts") ?? "",
    title: node.getAttribute("title") ?? "",
  }));
  const show = () => {
    for (const { node, key, title } of keys) {
      setOrRemove(node, "aria-keyshortcuts", input.checked ? key : "");
      setTitle(node, title);
    }
  };
  input.checked = hasSingleKeys();
  input.addEventListener("change", () => {
    saveFlag(PREFERENCE, input.checked);
    show();
    onChange(hasSingleKeys());
  });
  show();
}
