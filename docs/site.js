// What the theme leaves to its site: boards follow the switch between light and dark, wide tables scroll by the keyboard,
// and the buttons of each block of code have a name.

function follow() {
  const theme = document.body.dataset.mdColorScheme === "slate" ? "dark" : "light";
  for (const board of document.querySelectorAll("fourcorners-board")) board.setAttribute("theme", theme);
}

new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
follow();

// The theme offers this observable to scripts of a site.
/** @type {any} */ (window).document$.subscribe(() => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.setAttribute("tabindex", "0");
  for (const [index, bar] of document.querySelectorAll(".md-code__nav").entries()) bar.ariaLabel = `Code ${index + 1}`;
});
