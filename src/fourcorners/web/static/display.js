// The chooser of theme and palette in the head of every page, and the notice while rules are compiled.

for (const name of ["theme", "palette"]) {
  let now = "";
  try {
    now = localStorage.getItem(name) || (name === "theme" ? "auto" : "");
  } catch {
    now = "";
  }
  for (const input of document.querySelectorAll(`.display input[name="${name}"]`)) {
    input.checked = input.value === now;
    input.addEventListener("change", () => {
      try {
        localStorage.setItem(name, input.value);
      } catch {
        // storage may be forbidden: the choice then lasts for no page
      }
      dispatchEvent(new Event("fourcorners:display"));
    });
  }
}

const display = document.querySelector(".display");
document.addEventListener("click", (event) => {
  if (display?.open && !display.contains(event.target)) display.open = false;
});
display?.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && display.open) {
    display.open = false;
    display.querySelector("summary").focus();
    event.stopPropagation();
  }
});

const notice = document.querySelector("[data-warming]");
if (notice) {
  const look = async () => {
    try {
      const answer = await (await fetch("/healthz")).json();
      if (answer.ready) {
        notice.textContent = "Everything is compiled: the games can begin.";
        setTimeout(() => notice.remove(), 4000);
        return;
      }
    } catch {
      // not there at the moment: ask again
    }
    setTimeout(look, 1500);
  };
  setTimeout(look, 1500);
}
