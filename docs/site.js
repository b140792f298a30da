// The boards on a page follow its switch between light and dark.

function follow() {
  const theme = document.body.dataset.mdColorScheme === "slate" ? "dark" : "light";
  for (const board of document.querySelectorAll("fourcorners-board")) board.setAttribute("theme", theme);
}

new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
follow();
