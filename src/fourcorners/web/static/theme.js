// Applies the theme, palette and look chosen in this browser. A classic script and no module, so that it runs before the
// page is painted.

{
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  /** @param {string} name */
  const load = (name) => {
    try {
      return localStorage.getItem(name) || "";
    } catch {
      return ""; // Storage may be forbidden.
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
  addEventListener("storage", apply);
  addEventListener("fourcorners:display", apply);
}
