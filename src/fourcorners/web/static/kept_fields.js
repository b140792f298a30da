// On every page: its fields keep their contents after a reload, Back and Forward.

import { findAll } from "./dom.js";
import { keepDraft } from "./draft.js";

/** Texts, and choices that a form sends; no secrets. */
const FIELDS = [
  "#main textarea:not([readonly])",
  "#main input:is([type=text], [type=number]):not([readonly], [name=recovery-code])",
  "#main form :is(select, input:is([type=checkbox], [type=radio]))[name]",
].join();
/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */

/** @param {Field} field @returns {field is HTMLInputElement} */
const isSwitch = (field) => field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type);

/** Identify a field on its page: two forms may have fields with the same name. @param {Field} field */
function identify(field) {
  const form = field.form?.getAttribute("action") ?? "";
  return `${form} ${isSwitch(field) ? `${field.name}=${field.value}` : field.name || field.id}`;
}

/** List the fields of the page, each with its identity. @returns {[string, Field][]} */
function listFields() {
  const fields = /** @type {Field[]} */ (/** @type {unknown} */ (findAll(document, FIELDS)));
  return fields.filter(({ id, name }) => id || name).map((field) => [identify(field), field]);
}

/** Return whether a field differs from what the server sent. @param {Field} field */
function isChanged(field) {
  if (isSwitch(field)) return field.checked !== field.defaultChecked;
  if (!(field instanceof HTMLSelectElement)) return field.value !== field.defaultValue;
  const initial = [...field.options].find((option) => option.defaultSelected) ?? field.options[0];
  return field.value !== initial?.value;
}

/** Return what was typed and chosen, by field. */
function read() {
  const changed = listFields().filter(([, field]) => !field.hidden && isChanged(field));
  return Object.fromEntries(changed.map(([key, field]) => [key, isSwitch(field) ? field.checked : field.value]));
}

const kept = keepDraft("fields", read) ?? {};

/** Give a field what was in it when the page was left. @param {Field | null} field null does nothing */
export function restoreField(field) {
  const key = field ? identify(field) : "";
  if (!field || !Object.hasOwn(kept, key)) return;
  if (isSwitch(field)) field.checked = kept[key];
  else field.value = kept[key];
  // A later step of an exercise has the same field again.
  delete kept[key];
}
for (const [, field] of listFields()) restoreField(field);
