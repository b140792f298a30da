// The theme and palette chosen in this browser, set before anything is painted (and so no module).
"use strict";
{
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = (name) => {
    try {
      return localStorage.getItem(name) || "";
    } catch {
      return ""; // storage may be forbidden
    }
  };
  const apply = () => {
    const theme = kept("theme");
    root.dataset.theme = theme === "light" || theme === "dark" ? theme : dark.matches ? "dark" : "light";
    root.dataset.palette = kept("palette");
  };
  apply();
  dark.addEventListener("change", apply);
  addEventListener("storage", apply);
  addEventListener("fourcorners:display", apply);
}
