// Applies the theme, palette and look chosen in this browser. A classic script and no module, so that it runs before the
// page is painted.

{
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  /** @type {Record<string, string>} what has been chosen on this page, as storage may be forbidden or full */
  let chosen = {};

  /** @param {string} name */
  const load = (name) => {
    try {
      return chosen[name] ?? localStorage.getItem(name) ?? "";
    } catch {
      return "";
    }
  };

  const apply = () => {
    const theme = load("theme");
    const isChosen = theme === "light" || theme === "dark";
    root.dataset.theme = isChosen ? theme : prefersDark.matches ? "dark" : "light";
    root.dataset.palette = load("palette");
    root.dataset.look = load("look");
    // The browser's own bars take the colour of the paper.
    const paper = getComputedStyle(root).getPropertyValue("--paper").trim();
    if (paper) document.querySelector('meta[name="theme-color"]')?.setAttribute("content", paper);
  };

  apply();
  prefersDark.addEventListener("change", apply);
  addEventListener("storage", () => {
    // Another page has stored a newer choice.
    chosen = {};
    apply();
  });
  addEventListener("fourcorners:display", (event) => {
    if (event instanceof CustomEvent) chosen = { ...chosen, ...event.detail };
    apply();
  });
}
