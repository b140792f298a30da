// The form that creates a game: it checks the options while they are typed, and shows the seats that they give.

import "./page.js";
import "./contents.js";
import "./rulebook.js";
import { find, findAll, setOrRemove } from "./dom.js";
import { SeatColours } from "./seat_colours.js";
import { prepareForms } from "./shuffle.js";

/** The level of a computer that is limited by time. */
const BY_TIME = "time";
/** How long after the last change the form is checked, in milliseconds. */
const CHECK_DELAY = 250;
const CONTROL = "select, textarea, input:not([type=hidden])";

const form = find(document, "form.setup", HTMLFormElement);
const error = find(form, "[data-error]");
const submit = find(form, "button.primary");
const rows = findAll(form, "[data-seat]");
const fields = findAll(form, "[data-field]");
const options = fields.filter((field) => field.closest(".options"));
const colourField = form.querySelector("[data-letters]");
const colours = colourField ? new SeatColours(form, /** @type {HTMLElement} */ (colourField)) : null;
let checks = 0;
let timer = 0;
/** Whether the last answer is about the form as it is now. */
let isChecked = false;

/** Show in every seat what its kind of player needs. */
function showKinds() {
  const described = new Set();
  for (const row of rows) {
    const kind = find(row, "[data-kind]", HTMLSelectElement).value;
    const level = find(row, "[data-level]", HTMLSelectElement);
    find(row, "[data-name]").hidden = kind !== "person";
    find(row, "[data-open]").hidden = kind !== "open";
    level.hidden = kind !== "computer";
    find(row, "[data-more]").hidden = kind !== "computer";
    find(row, "[data-seconds]").hidden = level.value !== BY_TIME;
    const help = find(row, "[data-level-help]");
    help.textContent = level.selectedOptions[0]?.dataset.help ?? "";
    // Several seats with the same level need one explanation.
    help.hidden = !level.hidden && described.has(level.value);
    if (!level.hidden && !row.hidden) described.add(level.value);
  }
}

/** Show as many seats as the options give. @param {number} count @param {string[]} names of the seats */
function showSeats(count, names) {
  rows.forEach((row, index) => {
    row.hidden = index >= count;
    for (const control of findAll(row, "select, input")) control.toggleAttribute("disabled", row.hidden);
    if (names[index]) find(row, ".colour").textContent = names[index];
  });
  showKinds();
}

/** Return the place beside the field for its error, or the one above the form. @param {string} option */
function findReason(option) {
  const field = fields.find((field) => field.dataset.field === option);
  const row = rows.find((row) => row.querySelector(`[name="${CSS.escape(option)}"]`));
  const place = field ?? row;
  return place ? find(place, "[data-reason]") : error;
}

/** Show what is wrong below its field, or above the form; no option means that nothing is wrong.
 * @param {string} option @param {string} reason */
function showError(option, reason) {
  const place = option || reason ? findReason(option) : null;
  for (const other of [error, ...findAll(form, "[data-reason]")]) {
    other.hidden = other !== place;
    // Only what changes is announced.
    const text = other === place ? reason : "";
    if (other.textContent !== text) other.textContent = text;
  }
  for (const field of fields) field.classList.toggle("bad", field.dataset.field === option);
  for (const control of findAll(form, CONTROL).filter((control) => control.getAttribute("type") !== "radio")) {
    setOrRemove(control, "aria-invalid", place && control.getAttribute("name") === option ? "true" : "");
  }
}

/** Bring the wrong control into view and give it the focus. @returns {boolean} whether there is one */
function focusError() {
  const [wrong] = [...findAll(form, "[aria-invalid]"), error].filter((place) => place.checkVisibility());
  if (!wrong) return false;
  const details = wrong.closest("details");
  if (details) details.open = true;
  wrong.scrollIntoView({ block: "center" });
  wrong.focus({ preventScroll: true });
  return true;
}

/** Name the options that differ from the defaults. */
function showChanged() {
  const place = form.querySelector("[data-changed]");
  if (!place) return;
  const changed = options.filter((field) => {
    const control = find(field, CONTROL, HTMLInputElement);
    const value = control.type === "checkbox" ? String(control.checked) : control.value.trim();
    return value !== "" && value !== field.dataset.default;
  });
  const names = changed.map((field) => find(field, "label").textContent?.trim());
  place.textContent = names.length ? `Changed: ${names.join(", ")}` : "Default";
}

/** Give a game that is to be rated a clock, and against the computer the standard board and random seats. @param {HTMLInputElement} rated */
function prepareRated(rated) {
  const clock = find(form, "#clock", HTMLSelectElement);
  if (!rated.checked) return;
  if (!clock.value) clock.value = rated.dataset.clock ?? "";
  if (!form.querySelector("[data-kind]:enabled option[value=computer]:checked")) return;
  for (const choice of ["who-begins][value=random", "board][value=standard"]) {
    const radio = form.querySelector(`[name=${choice}]`);
    if (radio instanceof HTMLInputElement) radio.checked = true;
  }
}

/** Ask the server whether the form can be sent as it is. */
async function check() {
  const number = ++checks;
  try {
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    const answer = await fetch(form.dataset.check ?? "", { method: "POST", body });
    const result = /** @type {FormCheck} */ (await answer.json());
    if (number !== checks) return;
    isChecked = true;
    if (result.ok) showSeats(result.seats, result.seat_names);
    showError(result.ok ? "" : result.option, result.ok ? "" : result.reason);
  } catch {
    // The server cannot be reached now. It checks again when the form is sent.
  }
}

form.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement && target.name === "rated") prepareRated(target);
  isChecked = false;
  checks += 1;
  showKinds();
  showChanged();
  clearTimeout(timer);
  timer = setTimeout(check, CHECK_DELAY);
});
form.addEventListener("submit", (event) => {
  // An error that is known and has not been corrected is shown again; the server finds all others.
  if (isChecked && focusError()) event.preventDefault();
  else submit.setAttribute("aria-busy", "true");
});
prepareForms();
// The browser's history may bring back a form that is filled in.
addEventListener("pageshow", () => {
  submit.removeAttribute("aria-busy");
  colours?.show();
  showKinds();
  showChanged();
  check();
});
