// The form that creates a game: it checks the options while somebody types, and shows the seats that they give.

import "./rulebook.js";
import { find, findAll, setOrRemove } from "./dom.js";

/** The level of a computer that is limited by time. */
const BY_TIME = "time";
/** How long nobody must type before the form is checked, in milliseconds. */
const CHECK_DELAY = 250;
const CONTROL = "select, textarea, input:not([type=hidden])";

const form = find(document, "form.setup", HTMLFormElement);
const error = find(form, "[data-error]");
const submit = find(form, "button.primary");
const rows = findAll(form, "[data-seat]");
const fields = findAll(form, "[data-field]");
const options = fields.filter((field) => field.closest(".options"));
let checks = 0;
let timer = 0;

/** Show in every seat what its kind of player needs. */
function showKinds() {
  for (const row of rows) {
    const kind = find(row, "[data-kind]", HTMLSelectElement).value;
    const level = find(row, "[data-level]", HTMLSelectElement);
    find(row, "[data-name]").hidden = kind !== "person";
    find(row, "[data-open]").hidden = kind !== "open";
    level.hidden = kind !== "computer";
    find(row, "[data-more]").hidden = kind !== "computer";
    find(row, "[data-seconds]").hidden = level.value !== BY_TIME;
    find(row, "[data-level-help]").textContent = level.selectedOptions[0]?.dataset.help ?? "";
  }
}

/** Show as many seats as the options give. @param {number} count @param {string[]} names of the seats */
function showSeats(count, names) {
  rows.forEach((row, index) => {
    row.hidden = index >= count;
    for (const control of findAll(row, "select, input")) control.toggleAttribute("disabled", row.hidden);
    if (names[index]) find(row, "[data-colour]").textContent = names[index];
  });
}

/** Show what is wrong beside its option, or above the form. @param {string} option @param {string} reason */
function showError(option, reason) {
  for (const field of fields) {
    const isWrong = field.dataset.field === option;
    const place = find(field, "[data-reason]");
    field.classList.toggle("bad", isWrong);
    setOrRemove(find(field, CONTROL), "aria-invalid", isWrong ? "true" : "");
    place.hidden = !isWrong;
    place.textContent = isWrong ? reason : "";
  }
  for (const control of rows.flatMap((row) => findAll(row, "[data-seconds] input, [data-name]"))) {
    setOrRemove(control, "aria-invalid", control.getAttribute("name") === option ? "true" : "");
  }
  const isShown = fields.some((field) => field.dataset.field === option);
  error.hidden = isShown || !reason;
  error.textContent = isShown ? "" : reason;
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

/** Ask the server whether the form can be sent as it is. */
async function check() {
  const number = ++checks;
  try {
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    const answer = await fetch(form.dataset.check ?? "", { method: "POST", body });
    const result = /** @type {FormCheck} */ (await answer.json());
    if (number !== checks) return;
    if (result.ok) showSeats(result.seats, result.seat_names);
    showError(result.ok ? "" : result.option, result.ok ? "" : result.reason);
  } catch {
    // The server cannot be reached now. It checks again when the form is sent.
  }
}

form.addEventListener("input", () => {
  showKinds();
  showChanged();
  clearTimeout(timer);
  timer = setTimeout(check, CHECK_DELAY);
});
form.addEventListener("submit", () => submit.setAttribute("aria-busy", "true"));
// The browser's history may bring back a form that is filled in.
addEventListener("pageshow", () => {
  submit.removeAttribute("aria-busy");
  showKinds();
  showChanged();
  check();
});
