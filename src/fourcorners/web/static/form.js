// The form that sets up a game: asks while typing whether the options fit, and shows the seats that there are.

const form = document.querySelector("form.setup");
const error = form.querySelector("[data-error]");
const rows = [...form.querySelectorAll("[data-seat]")];
const fields = [...form.querySelectorAll("[data-field]")];
const options = fields.filter((field) => field.closest(".options"));
const BY_TIME = "time";
let asked = 0;
let timer = 0;

function showKinds() {
  for (const row of rows) {
    const kind = row.querySelector("[data-kind]").value;
    const level = row.querySelector("[data-level]");
    row.querySelector("[data-name]").hidden = kind !== "person";
    row.querySelector("[data-open]").hidden = kind !== "open";
    level.hidden = kind !== "computer";
    row.querySelector("[data-more]").hidden = kind !== "computer";
    row.querySelector("[data-seconds]").hidden = level.value !== BY_TIME;
    row.querySelector("[data-level-help]").textContent = level.selectedOptions[0]?.dataset.help ?? "";
  }
}

function showSeats(count, names) {
  rows.forEach((row, index) => {
    row.hidden = index >= count;
    for (const control of row.querySelectorAll("select, input")) control.disabled = row.hidden;
    if (names[index]) row.querySelector("[data-colour]").textContent = names[index];
  });
}

function showReason(option, sentence) {
  let shown = false;
  for (const field of fields) {
    const mine = field.dataset.field === option;
    const reason = field.querySelector("[data-reason]");
    field.classList.toggle("bad", mine);
    const control = field.querySelector("select, textarea, input:not([type=hidden])");
    if (mine) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
    reason.hidden = !mine;
    reason.textContent = mine ? sentence : "";
    shown ||= mine;
  }
  for (const control of rows.flatMap((row) => [...row.querySelectorAll("[data-seconds] input, [data-name]")])) {
    if (control.name === option) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  }
  error.hidden = shown || !sentence;
  error.textContent = shown ? "" : sentence;
}

function showChanged() {
  const changed = options.filter((field) => {
    const control = field.querySelector("select, textarea, input:not([type=hidden])");
    const value = control.type === "checkbox" ? String(control.checked) : control.value.trim();
    return value !== "" && value !== field.dataset.default;
  });
  const names = changed.map((field) => field.querySelector("label").textContent.trim());
  const place = form.querySelector("[data-changed]");
  if (place) place.textContent = names.length ? `changed: ${names.join(", ")}` : "as the rules have them";
}

async function check() {
  const number = ++asked;
  let answer;
  try {
    const body = new URLSearchParams(new FormData(form));
    answer = await (await fetch(form.dataset.check, { method: "POST", body })).json();
  } catch {
    return; // the server says it again when the form is sent
  }
  if (number !== asked) return;
  if (answer.ok) {
    showSeats(answer.seats, answer.seat_names);
    showReason("", "");
  } else {
    showReason(answer.option, answer.reason);
  }
}

form.addEventListener("input", () => {
  showKinds();
  showChanged();
  clearTimeout(timer);
  timer = setTimeout(check, 250);
});
form.addEventListener("submit", () => {
  form.querySelector("button.primary").setAttribute("aria-busy", "true");
});
// A page that comes back from the browser's history may be filled in already.
addEventListener("pageshow", () => {
  form.querySelector("button.primary").removeAttribute("aria-busy");
  showKinds();
  showChanged();
  check();
});
